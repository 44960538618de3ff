package write

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core/text"
)

// The words that a pattern captured become the value of a fact here, or are
// refused because they say nothing that lasts.

// fit drops temporal phrases and articles from a captured value and checks it
// against the rule. It returns nothing when the value says nothing.
func (e *extractor) fit(r *rule, value []word) []word {
	if r.attribute != "birthday" {
		value = e.timeless(value)
	}
	if len(value) == 0 || r.lasting && !e.lasting(value) || tastes(r) && fleeting(value) || r.counted && !value[0].in(counts) {
		return nil
	}
	if r.attribute == "interest" && (value[0].in(asks) || fleeting(value)) {
		return nil
	}
	if r.attribute == Hobby && (value[0].fold == "a" || value[0].fold == "an" || value[0].fold == "some") {
		return nil // one game, some song: what was just played
	}
	if r.attribute == Location {
		value = until(value, placeEnds)
	}
	if len(value) > 1 && value[0].fold == "to" && (r.attribute == Likes || r.attribute == Dislikes) && value[1].in(polite) {
		return nil
	}
	if len(value) > 1 && (value[0].fold == "to" || !value[0].upper && (value[0].fold == "a" || value[0].fold == "an" || value[0].fold == "the" || value[0].fold == "some")) {
		value = value[1:]
	}
	if len(value) == 0 || empty(value) || r.capital && !value[0].upper {
		return nil
	}
	if r.ends && (value[0].fold == "my" || value[0].fold == "our") {
		return nil // a job, a lease: something that happened, not a trait
	}
	if r.first != 0 && !value[0].in(r.first) || r.trade && !trade(value) {
		return nil
	}
	if r.holds != 0 && !slices.ContainsFunc(value, func(w word) bool { return w.in(r.holds) }) {
		return nil
	}
	return value
}

// timeless cuts a value where a temporal phrase of the sentence begins, but
// keeps recurrence ("chess on Sundays"), which belongs to the fact.
func (e *extractor) timeless(value []word) []word {
	if len(value) == 0 {
		return value
	}
	for _, r := range e.line.temporal() {
		if r.Grain == text.Span && !strings.ContainsAny(r.Phrase, "0123456789") {
			continue
		}
		for i, w := range value {
			if w.start >= r.Start && w.start < r.End {
				return trim(value[:i])
			}
		}
	}
	return value
}

// until cuts a value at the first of the words.
func until(value []word, at list) []word {
	for i, w := range value {
		if i > 0 && w.in(at) {
			return value[:i]
		}
	}
	return value
}

// cutShort reports a value that ends before what it is about: "listening to
// …", "games that I …", "a warm …".
func (e *extractor) cutShort(r *rule, value []word) bool {
	if !tastes(r) && r.attribute != Hobby && r.attribute != "interest" {
		return false
	}
	last := value[len(value)-1]
	for j, w := range e.ws {
		if w.start < last.end {
			continue
		}
		relates := (w.fold == "that" || w.fold == "which" || w.fold == "who") && j+1 < len(e.ws) && e.ws[j+1].in(subjects)
		if w.in(dangling) || relates && !w.punct {
			return true
		}
		break
	}
	return len(value) > 1 && value[len(value)-2].in(articles) && adjective(last.fold)
}

// tastes reports a rule about what somebody likes or not.
func tastes(r *rule) bool { return r.attribute == Likes || r.attribute == Dislikes }

// fleeting reports a value that points at what was just said or shown: "his
// tech", "the colours", "watching them play". What everybody knows by its
// article ("the sea") and names stay.
func fleeting(value []word) bool {
	if value[0].in(subjects) && value[0].fold != "my" && value[0].fold != "our" || value[0].fold == "its" || value[0].fold == "every" {
		return true
	}
	for i, w := range value[:min(3, len(value))] {
		switch w.fold {
		case "them", "him", "it", "this", "these", "those":
			return true
		case "that":
			if !relatesOn(value, i) {
				return true
			}
		}
	}
	if value[0].fold != "the" || len(value) > 1 && value[1].upper {
		return false
	}
	return len(value) < 2 || !value[1].in(known) || len(value) > 2 && !value[2].in(joining) // "the dark sky"
}

// empty reports a value that points at something instead of saying it.
func empty(value []word) bool {
	const ()
	if value[0].in(pointers) {
		return true
	}
	if len(value) == 1 && (len(value[0].fold) < 2 || value[0].in(subjects)) {
		return true
	}
	if value[0].in(heads) && (len(value) == 1 || value[1].fold == "of" || value[1].fold == "you" || value[1].fold == "i") {
		return true
	}
	if value[len(value)-1].in(picks) {
		return true // of what was just offered
	}
	content := false
	for _, w := range value {
		if w.fold == "you" || w.fold == "your" || w.fold == "yours" {
			return true
		}
		content = content || !w.punct && !text.Stop(w.fold)
	}
	return !content
}

// trade reports whether a value names what one does for a living.
func trade(value []word) bool {
	const ()
	head := value[0]
	for _, w := range value {
		if w.punct || w.in(tradeEnds) {
			break
		}
		head = w
	}
	f := head.fold
	for _, suffix := range []string{"ologist", "ician", "eer", "smith", "wright", "grapher"} {
		if strings.HasSuffix(f, suffix) && len(f) > len(suffix)+1 {
			return true
		}
	}
	return trades.has(f)
}

// split takes a list of short items apart; anything else stays one value.
func split(s string, value []word, may bool) []string {
	if !may {
		return []string{written(s, value)}
	}
	if slices.ContainsFunc(value, func(w word) bool { return w.quoted }) {
		return []string{written(s, value)} // a title
	}
	var items []string
	start := 0
	for i := 0; i <= len(value); i++ {
		if i < len(value) && value[i].fold != "," && value[i].fold != "and" && value[i].fold != "or" {
			continue
		}
		if i-start > 3 || i == start+1 && i < len(value) && adjective(value[start].fold) {
			return []string{written(s, value)}
		}
		if item := written(s, value[start:i]); item != "" {
			items = append(items, item)
		}
		start = i + 1
	}
	return items
}

func hasCapital(s string) bool { return strings.ContainsFunc(s, unicode.IsUpper) }

func startsUpper(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}
