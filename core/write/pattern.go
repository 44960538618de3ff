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
	first     list   // if any, the first word of the value must be one of these
	holds     list   // if any, some word of the value must be one of these
	counted   bool   // the value must begin with a number or an article
	trade     bool   // the value must name a trade
	capital   bool   // the value must begin with a capital letter
	split     bool   // the value may list several
	lasting   bool   // how long it has held must follow

	elements []string // of the pattern
}

// match tries the elements of a pattern at word i. It returns the words of the
// value.
func (e *extractor) match(pattern []string, i int, third bool) (value []word, ok bool) {
	for _, element := range pattern {
		if element == "{}" {
			value = e.capture(i)
			i += len(value)
			if len(value) == 0 {
				return nil, false
			}
			continue
		}
		optional := element[len(element)-1] == '?'
		if optional {
			element = element[:len(element)-1]
		}
		j, found := i, false
		for ; j < len(e.ws); j++ {
			if found = literal(element, &e.ws[j], third); found || !e.ws[j].in(adverbs) {
				break
			}
		}
		switch {
		case found:
			i = j + 1
		case !optional:
			return nil, false
		}
	}
	return value, true
}

// capture is the value that begins at word i. Many rules ask for the same.
func (e *extractor) capture(i int) []word {
	if e.captured == nil || e.capturedAt != i {
		e.captured, e.capturedAt = capture(e.ws[i:]), i
	}
	return e.captured
}

// literal compares a word with the alternatives of a pattern element. After a
// third person a verb's ending is taken off first.
func literal(element string, w *word, third bool) bool {
	if w.punct {
		return false
	}
	for from := 0; from <= len(element); {
		end := from
		for end < len(element) && element[end] != '|' {
			end++
		}
		alternative := element[from:end]
		if alternative == w.fold || third && firstPerson(w.fold, alternative) {
			return true
		}
		from = end + 1
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
const ()

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
		case w.punct || w.in(enders):
			return trim(ws[:n])
		case (w.fold == "and" || w.fold == "or") && (i+1 == len(ws) || ws[i+1].punct || ws[i+1].in(subjects) || verbLike(ws, i+1)):
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
	return i > 0 && (w == "that" || w == "which" || w == "who") && !ws[i-1].punct && !ws[i-1].in(pointing) &&
		i+2 < len(ws) && !ws[i+1].punct && !ws[i+1].in(subjects) && !verbLike(ws, i+1) && !ws[i+2].punct
}

// describesOn reports that the comma at i stands between two adjectives of one
// noun ("a safe, warm place").
func describesOn(ws []word, i int) bool {
	return i > 0 && adjective(ws[i-1].fold) && i+2 < len(ws) && !ws[i+1].punct && !ws[i+2].punct && !ws[i+1].in(subjects) && !ws[i+1].in(enders)
}

// adjective reports a word that, at the end of a value, wants its noun.
func adjective(w string) bool {
	if adjectives.has(w) {
		return true
	}
	for _, suffix := range []string{"ful", "ous", "able", "ible", "less"} {
		if len(w) > len(suffix)+3 && strings.HasSuffix(w, suffix) {
			return true
		}
	}
	return false
}

// listGoesOn reports whether the comma at i stands in a list: one to three
// words follow, then a comma with more behind it, or "and".
func listGoesOn(ws []word, i int) bool {
	for j := i + 1; j < len(ws) && j <= i+4; j++ {
		w := ws[j]
		switch {
		case w.fold == "and" && j > i+1 && j+1 < len(ws) && !ws[j+1].in(subjects), w.fold == "and" && j == i+1 && j+1 < len(ws) && !ws[j+1].in(subjects) && !verbLike(ws, j+1):
			return true
		case w.punct && w.fold == ",":
			return j > i+1 && listGoesOn(ws, j)
		case w.punct || w.in(enders) || w.in(subjects):
			return false
		}
	}
	return false
}

// verbLike reports whether a new predicate begins at i ("and play …", "and
// can't …"), so that an "and" before it ends the value.
func verbLike(ws []word, i int) bool {
	return i < len(ws) && ws[i].in(verbs)
}

// duration reports whether "for" is followed by a length of time.
func duration(ws []word) bool {
	for i, w := range ws {
		if i > 4 || w.punct {
			return false
		}
		if w.in(lengths) {
			return true
		}
	}
	return false
}

// trim drops what hangs on at the end of a value.
func trim(ws []word) []word {
	for len(ws) > 0 && ws[len(ws)-1].in(trailing) {
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
