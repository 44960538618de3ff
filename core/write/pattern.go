package write

import (
	"strings"
)

// A rule says which profile a clause states. Its pattern is matched after the
// subject, word by word: a literal, alternatives "a|b", an optional word "a?",
// and the capture "{}" of a value, which comes last or before further
// literals. Adverbs between literals are passed over.
type rule struct {
	pattern   string
	attribute string // of attributes.go; "" makes no fact
	ends      bool   // the value no longer holds
	first     list   // if set, the first word of the value must be one of these
	holds     list   // if set, some word of the value must be one of these
	counted   bool   // the value must begin with a number or an article
	trade     bool   // the value must name a trade
	capital   bool   // the value must begin with a capital letter
	split     bool   // the value may list several
	lasting   bool   // how long it has held must follow
}

// adverbs may stand between the words of a pattern without changing it.
const adverbs list = " also really just still actually currently now absolutely always usually mostly honestly personally kinda " +
	"totally definitely truly especially particularly both simply genuinely recently finally officially already all secretly " +
	"regularly often sometimes mainly do does did have been quite so very super pretty deeply even "

// match tries a pattern at word i. It returns the words of the value.
func match(pattern string, ws []word, i int, third bool) (value []word, ok bool) {
	for element := range strings.FieldsSeq(pattern) {
		if element == "{}" {
			value = capture(ws[i:])
			i += len(value)
			if len(value) == 0 {
				return nil, false
			}
			continue
		}
		optional := strings.HasSuffix(element, "?")
		element = strings.TrimSuffix(element, "?")
		j := i
		for j < len(ws) && !literal(element, ws[j], third) && adverbs.has(ws[j].fold) {
			j++
		}
		switch {
		case j < len(ws) && literal(element, ws[j], third):
			i = j + 1
		case !optional:
			return nil, false
		}
	}
	return value, true
}

// literal compares a word with the alternatives of a pattern element. After a
// third person a verb's ending is taken off first.
func literal(element string, w word, third bool) bool {
	if w.punct {
		return false
	}
	for element != "" {
		var alternative string
		alternative, element, _ = strings.Cut(element, "|")
		if alternative == w.fold || third && firstPerson(w.fold, alternative) {
			return true
		}
	}
	return false
}

// firstPerson reports whether w is the third person of the verb v.
func firstPerson(w, v string) bool {
	switch v {
	case "am":
		return w == "is" || w == "'s" || w == "are"
	case "have":
		return w == "has"
	case "do":
		return w == "does"
	case "study":
		return w == "studies"
	}
	return len(w) > len(v) && w[:len(v)] == v && (w[len(v):] == "s" || w[len(v):] == "es")
}

// Words at which a value ends.
const (
	enders list = " but because cause cuz so when while if since though although which who whom that as where unless until than " +
		"cause too lately anymore nowadays yet however therefore except hence plus otherwise then "
	subjects list = " i we he she it they you my our your his her their this there what let "
)

// valueWords is the most words that a value may have.
const valueWords = 10

// capture takes the words of a value: up to the end of the clause. A comma
// ends it unless a list goes on.
func capture(ws []word) []word {
	n := 0
	for i := 0; i < len(ws); i++ {
		w := ws[i]
		switch {
		case w.punct && w.fold == ",":
			if !listGoesOn(ws, i) && !describesOn(ws, i) {
				return trim(ws[:n])
			}
			continue
		case relatesOn(ws, i):
			continue
		case w.punct || enders.has(w.fold):
			return trim(ws[:n])
		case (w.fold == "and" || w.fold == "or") && (i+1 == len(ws) || ws[i+1].punct || subjects.has(ws[i+1].fold) || verbLike(ws, i+1)):
			return trim(ws[:n])
		case w.fold == "for" && duration(ws[i+1:]), w.fold == "am", w.fold == "is", w.fold == "are", w.fold == "was", w.fold == "were", w.fold == "would", w.fold == "will":
			return trim(ws[:n])
		case n > 0 && (w.fold == "not" || w.fold == "i" || w.fold == "we" || w.fold == "she" || w.fold == "he" || w.fold == "they"):
			return trim(ws[:n])
		}
		if n = i + 1; i >= valueWords-1 {
			break
		}
	}
	return trim(ws[:n])
}

// relatesOn reports a relative clause without which its noun would say too much
// ("stories that end well").
func relatesOn(ws []word, i int) bool {
	w := ws[i].fold
	return i > 0 && (w == "that" || w == "which" || w == "who") && !ws[i-1].punct && !pointing.has(ws[i-1].fold) &&
		i+2 < len(ws) && !ws[i+1].punct && !subjects.has(ws[i+1].fold) && !verbLike(ws, i+1) && !ws[i+2].punct
}

// describesOn reports that the comma at i stands between two adjectives of one
// noun ("a safe, warm place").
func describesOn(ws []word, i int) bool {
	return i > 0 && adjective(ws[i-1].fold) && i+2 < len(ws) && !ws[i+1].punct && !ws[i+2].punct && !subjects.has(ws[i+1].fold) && !enders.has(ws[i+1].fold)
}

// adjective reports a word that, at the end of a value, wants its noun.
func adjective(w string) bool {
	const common list = " safe warm cosy cozy quiet calm nice big small long short sweet good great new old fresh healthy simple easy fun quick " +
		"slow spicy sour bitter dark bright light heavy hot cold cool dry wet clean soft hard loud strong rich poor deep wide young real fine " +
		"happy sad funny creative friendly lovely cheap comfy crisp "
	if common.has(w) {
		return true
	}
	for _, suffix := range []string{"ful", "ous", "able", "ible", "less"} {
		if len(w) > len(suffix)+3 && strings.HasSuffix(w, suffix) {
			return true
		}
	}
	return false
}

// pointing are words that need no relative clause to point at something.
const pointing list = " it that this those these you him her them all one ones everything anything something nothing people someone way fact "

// listGoesOn reports whether the comma at i stands in a list: one to three
// words follow, then a comma with more behind it, or "and".
func listGoesOn(ws []word, i int) bool {
	for j := i + 1; j < len(ws) && j <= i+4; j++ {
		w := ws[j]
		switch {
		case w.fold == "and" && j > i+1 && j+1 < len(ws) && !subjects.has(ws[j+1].fold), w.fold == "and" && j == i+1 && j+1 < len(ws) && !subjects.has(ws[j+1].fold) && !verbLike(ws, j+1):
			return true
		case w.punct && w.fold == ",":
			return j > i+1 && listGoesOn(ws, j)
		case w.punct || enders.has(w.fold) || subjects.has(w.fold):
			return false
		}
	}
	return false
}

// verbLike reports whether a new predicate begins at i ("and play …", "and
// can't …"), so that an "and" before it ends the value.
func verbLike(ws []word, i int) bool {
	const verbs list = " am is are was were have has had do does did can could will would should love like hate enjoy play " +
		"work live go went got think want need hope try started used never always then even just also loves likes hates enjoys plays " +
		"works lives goes wants thinks hopes speaks "
	return i < len(ws) && verbs.has(ws[i].fold)
}

// duration reports whether "for" is followed by a length of time.
func duration(ws []word) bool {
	const units list = " year years month months week weeks day days hour hours decade decades ages while now long life minutes "
	for i, w := range ws {
		if i > 4 || w.punct {
			return false
		}
		if units.has(w.fold) {
			return true
		}
	}
	return false
}

// trim drops what hangs on at the end of a value.
func trim(ws []word) []word {
	const trailing list = " too also though now well already again anymore today tonight yesterday tomorrow lately recently much lot " +
		"so very right currently either indeed really lol haha and or to of the a an with in on at for by from moment days these from " +
		"i'd originally literally actually bit since ever always myself definitely about before until till after during around , "
	for len(ws) > 0 && trailing.has(ws[len(ws)-1].fold) {
		ws = ws[:len(ws)-1]
	}
	for len(ws) > 0 && ws[0].punct {
		ws = ws[1:]
	}
	return ws
}

// written is the text of words as it stands in the sentence.
func written(s string, ws []word) string {
	if len(ws) == 0 {
		return ""
	}
	return strings.Trim(strings.TrimSpace(s[ws[0].start:ws[len(ws)-1].end]), `"“”`)
}
