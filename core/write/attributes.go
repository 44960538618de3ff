package write

import "strings"

// The attributes that rules and readers refer to by name. Others are the words
// of a pattern or of a model.
const (
	Name         = "name"
	Origin       = "origin"
	Location     = "location"
	Occupation   = "occupation"
	Employer     = "employer"
	Relationship = "relationship status"
	Diet         = "diet"
	Allergy      = "allergy"
	Likes        = "likes"
	Dislikes     = "dislikes"
	Hobby        = "hobby"
	Habit        = "habit"
	Pet          = "pet"
	Family       = "family"
	Friend       = "friend"
)

// Single reports whether an attribute holds one value at a time, whatever
// words a model chose for it.
func Single(attribute string) bool {
	a := strings.ToLower(strings.TrimSpace(attribute))
	a = strings.ReplaceAll(a, "_", " ")
	switch {
	case a == Relationship || a == "marital status":
		return true
	case strings.HasPrefix(a, "favourite ") || strings.HasPrefix(a, "favorite ") || strings.HasPrefix(a, "最喜欢的"):
		return true
	case strings.HasPrefix(a, "current "):
		return true
	}
	return !strings.Contains(a, " ") && singles.has(a)
}

// synonyms maps what models call an attribute to what rules call it, so that
// values of both meet in one history.
var synonyms = [][2]string{
	{"like", Likes}, {"loves", Likes}, {"enjoys", Likes}, {"interest", Likes}, {"interests", Likes}, {"dislike", Dislikes}, {"hates", Dislikes},
	{"hobbies", Hobby}, {"job", Occupation}, {"profession", Occupation}, {"career", Occupation}, {"job title", Occupation},
	{"workplace", Employer}, {"company", Employer}, {"works at", Employer}, {"residence", Location}, {"lives in", Location}, {"home", Location},
	{"city", Location}, {"current location", Location}, {"allergies", Allergy}, {"pets", Pet}, {"marital status", Relationship}, {"hometown", Origin},
	{"plays", Hobby}, {"dietary preference", Diet},
}

// Attribute is the usual form of an attribute's name.
func Attribute(name string) string {
	a := strings.Join(strings.Fields(strings.ToLower(strings.ReplaceAll(name, "_", " "))), " ")
	if rest, ok := strings.CutPrefix(a, "favorite "); ok {
		a = "favourite " + rest
	}
	for _, s := range synonyms {
		if s[0] == a {
			return s[1]
		}
	}
	return a
}
