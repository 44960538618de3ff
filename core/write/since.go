package write

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// since says when the state of a predicate began, where the clause says it: on
// the date that stands beside a verb of change, or since when. The predicate
// begins at word i, its value at value[0].
func (e *extractor) since(i int, value []word) mem.Anchor {
	if e.at.IsZero() {
		return mem.Anchor{}
	}
	change := slices.ContainsFunc(e.ws[i:], func(w word) bool { return w.end <= value[0].start && w.in(begins) })
	end := e.clauseEnd(i, value)
	for _, r := range e.line.temporal() {
		ahead := e.opens(r)
		if own := ahead && e.wordAfter(r) == i-1 || !ahead && r.Start >= e.ws[i].start && r.End <= end; !own || r.Open() {
			continue
		}
		before := e.before(r)
		switch {
		case strings.HasPrefix(strings.ToLower(r.Phrase), "since "):
			// What the word bounds is found where another preposition stands.
			if inner := text.Temporal("in "+r.Phrase[len("since "):], e.at); len(inner) > 0 && !inner[0].Open() {
				return mem.Anchor{From: inner[0].From, To: inner[0].To, Phrase: r.Phrase}
			}
		case change && r.Grain != text.Span && !bounds.has(before) && (ahead || before != "and" && before != "but"):
			return mem.Anchor{From: r.From, To: r.To, Phrase: r.Phrase}
		}
	}
	return mem.Anchor{}
}

// clauseEnd is where the clause of a predicate ends: at the next subject behind
// its value, or at a word that opens another clause.
func (e *extractor) clauseEnd(i int, value []word) int {
	for j := i; j < len(e.ws); j++ {
		w := e.ws[j]
		if w.start < value[len(value)-1].end {
			continue
		}
		if w.in(subjects) && w.fold != "this" && w.fold != "there" && w.fold != "my" && w.fold != "our" || w.in(openers) ||
			w.upper && e.people[written(e.s, []word{w})] || w.punct && strings.Contains(";:–—", w.fold) {
			return w.start
		}
	}
	return len(e.s)
}

// opens reports a temporal phrase that belongs to the clause behind it: the
// subject follows at once ("last week I …"), or behind a comma where the phrase
// itself opens a clause ("Last week, I …").
func (e *extractor) opens(r text.TimeRef) bool {
	j := e.wordAfter(r)
	if j == len(e.ws) || e.ws[j].fold != "i" && e.ws[j].fold != "we" && e.ws[j].fold != "my" && !(e.ws[j].upper && e.people[written(e.s, e.ws[j:j+1])]) {
		return false
	}
	if j == 0 || e.ws[j-1].fold != "," {
		return true
	}
	before := e.before(r)
	return before == "" || before == "," || before == "and" || before == "but" || before == "also" || before == "so" || before == "then"
}

// wordAfter is the first word behind a phrase, a comma left out.
func (e *extractor) wordAfter(r text.TimeRef) int {
	for j, w := range e.ws {
		if w.start >= r.End && w.fold != "," {
			return j
		}
	}
	return len(e.ws)
}

// before is the word before a phrase, a preposition left out.
func (e *extractor) before(r text.TimeRef) string {
	for _, w := range slices.Backward(e.ws) {
		if w.end <= r.Start && !w.in(prepositions) {
			return w.fold
		}
	}
	return ""
}

// lasting reports that a value is followed by how long it has held.
func (e *extractor) lasting(value []word) bool {
	for j, w := range e.ws {
		if w.start < value[len(value)-1].end {
			continue
		}
		return w.fold == "since" || w.fold == "for" && duration(e.ws[j+1:]) || w.fold == "all"
	}
	return false
}

// within reads the place inside or around a place: "to Berlin, to Kreuzberg".
func (e *extractor) within(value []word) []word {
	for j, w := range e.ws {
		if w.start < value[len(value)-1].end {
			continue
		}
		if w.fold == "," && j+2 < len(e.ws) && (e.ws[j+1].fold == "to" || e.ws[j+1].fold == "in" || e.ws[j+1].fold == "into") && e.ws[j+2].upper {
			return e.fit(&rule{attribute: Location, capital: true}, capture(e.ws[j+2:]))
		}
		break
	}
	return nil
}

// sinceTold gives a model's facts the beginnings that rules read of the same
// values in their sources.
func sinceTold(facts []mem.Profile, turns []mem.Turn, people People) []mem.Profile {
	out := slices.Clone(facts)
	for _, t := range turns {
		if !t.Role.Anchor() {
			continue
		}
		for _, read := range turnFacts(t, linesOf(t), people, map[string]bool{}) {
			for i := range out {
				if out[i].Since == (mem.Anchor{}) && out[i].Polarity == read.Polarity && strings.EqualFold(out[i].Subject, read.Subject) &&
					strings.Contains(strings.ToLower(out[i].Value), strings.ToLower(read.Value)) {
					out[i].Since = read.Since
				}
			}
		}
	}
	return out
}
