package read

import (
	"slices"

	"github.com/leanmem/leanmem/core/text"
)

// attributesIn names the profile attributes that the words of a question ask
// for, as profiles call them. A relation ("sister") is an attribute too.
func attributesIn(q string) []string {
	var out []string
	for _, w := range text.Words(q) {
		names := attributesOf(w)
		if relationWords[w] {
			names = append(names, w)
		}
		for _, a := range names {
			if !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

func attributesOf(word string) []string {
	switch word {
	case "job", "jobs", "work", "works", "working", "career", "profession", "occupation", "employer", "employed":
		return []string{"occupation", "employer"}
	case "live", "lives", "living", "home", "city", "town", "country", "address", "move", "moved", "based":
		return []string{"location"}
	case "hometown", "born", "from", "originally":
		return []string{"origin"}
	case "hobby", "hobbies", "pastime", "pastimes", "activity", "activities":
		return []string{"hobby", "habit"}
	case "like", "likes", "love", "loves", "enjoy", "enjoys", "prefer", "prefers", "interests":
		return []string{"likes"}
	case "dislike", "dislikes", "hate", "hates":
		return []string{"dislikes"}
	case "pet", "pets", "dog", "dogs", "cat", "cats":
		return []string{"pet"}
	case "siblings", "family", "children", "kids":
		return []string{"family"}
	case "married", "single", "dating", "relationship":
		return []string{"relationship status"}
	case "diet", "eat", "eats", "vegetarian", "vegan":
		return []string{"diet"}
	case "allergy", "allergies", "allergic":
		return []string{"allergy"}
	case "age", "old":
		return []string{"age"}
	case "birthday", "name":
		return []string{word}
	}
	return nil
}
