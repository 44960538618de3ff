package write

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// People are the names that a segment has made known: its speakers, and whom they
// introduced ("my friend Bo"). Only of a known name do rules believe a fact in
// the third person.
type People map[string]bool

// PeopleOf starts with the speakers of a segment.
func PeopleOf(turns []mem.Turn) People {
	p := People{}
	for _, t := range turns {
		if t.Role.Anchor() && t.Speaker != "" {
			p[t.Speaker] = true
		}
	}
	return p
}

// Facts extracts by rule what a speaker's words state about the speaker and
// about people known by name. Questions, suppositions and quotations state
// nothing. Names that the words introduce are added to people.
func Facts(said, speaker string, at time.Time, people People) []mem.Profile {
	var facts []mem.Profile
	for _, s := range text.Sentences(said) {
		l := newLine(s, at)
		facts = append(facts, l.facts(speaker, people)...)
	}
	return dedupe(facts)
}

// longestSentence is how many bytes of a sentence the rules read; what is
// longer is no sentence.
const longestSentence = 2000

// bounded cuts a sentence to what the rules read.
func bounded(s string) string {
	if len(s) <= longestSentence {
		return s
	}
	cut := longestSentence
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}

// facts extracts what a line states.
func (l *line) facts(speaker string, people People) []mem.Profile {
	if l.chinese {
		return denseFacts(l.s, speaker, l.at)
	}
	s := l.s
	e := extractor{line: l, s: s, ws: l.stated, speaker: speaker, at: l.at, people: people}
	for i, w := range e.ws {
		switch {
		case w.punct || w.quoted:
		case w.fold == "i" || w.fold == "we":
			e.first(i)
		case (w.fold == "and" || w.fold == "but") && e.subject != "" && verbLike(e.ws, i+1):
			e.predicate(i+1, e.subject, e.third)
		case w.fold == "my" || w.fold == "our":
			n := len(e.facts)
			if e.possessive(i); len(e.facts) == n {
				e.measured(i)
			}
		case w.upper && people[written(s, e.ws[i:i+1])] && i+1 < len(e.ws) && !supposed(e.ws, i):
			e.predicate(i+1, written(s, e.ws[i:i+1]), true)
		}
	}
	return e.facts
}

// declared is the part of a question that states something: what stands before
// its last comma.
func declared(ws []word) []word {
	for i := len(ws) - 1; i >= 0; i-- {
		if ws[i].fold == "," || ws[i].fold == "-" || ws[i].fold == "–" {
			return ws[:i]
		}
	}
	return nil
}

type extractor struct {
	line    *line
	s       string
	ws      []word
	speaker string
	at      time.Time
	people  People
	facts   []mem.Profile
	subject string // of the predicate read last, for "… and plays chess"
	third   bool

	captured   []word // the value at word capturedAt, found when first needed
	capturedAt int
}

// supposed reports whether what follows the subject at i is asked, wished or
// supposed rather than said.
func supposed(ws []word, i int) bool {
	if i > 0 && ws[i-1].fold == "not" {
		i--
	}
	if i > 1 && ws[i-1].fold == "may" && ws[i-1].upper {
		return false // the month
	}
	return i > 0 && !ws[i-1].punct && ws[i-1].in(supposing)
}

// first reads the predicate of "I" or "we" at word i.
func (e *extractor) first(i int) {
	if supposed(e.ws, i) || i+1 == len(e.ws) {
		return
	}
	n := len(e.facts)
	e.selfNamed(i + 1)
	e.age(i + 1)
	e.predicate(i+1, e.speaker, false)
	if len(e.facts) == n {
		e.counted(i + 1)
	}
	if len(e.facts) == n {
		e.habit(i + 1)
	}
}

func (e *extractor) predicate(i int, subject string, third bool) {
	n := len(e.facts)
	rules := opened(e.ws, i, third)
	for r := rules.next(0); r >= 0; r = rules.next(r + 1) {
		rule := &predicates[r]
		value, ok := e.match(rule.elements, i, third)
		if !ok {
			continue
		}
		if e.cutShort(rule, value) {
			continue
		}
		value = e.fit(rule, value)
		if len(value) == 0 || e.has(n, rule.attribute) {
			continue
		}
		since := e.since(i, value)
		values := split(e.s, value, rule.split)
		if rule.attribute == Location {
			if inner := e.within(value); len(inner) > 0 {
				values = append(values, written(e.s, inner))
			}
		}
		for _, v := range values {
			if rule.first == vices {
				v = in(habits, v)
			}
			if e.add(subject, attributeFor(rule, v), v, rule.ends) {
				e.facts[len(e.facts)-1].Since = since
			}
		}
		e.subject, e.third = subject, third
	}
}

// has reports whether the predicate that began at fact n already gave this
// attribute, or its opposite.
func (e *extractor) has(n int, attribute string) bool {
	return slices.ContainsFunc(e.facts[n:], func(p mem.Profile) bool {
		return p.Attribute == attribute || p.Attribute == Dislikes && attribute == Likes
	})
}

// attributeFor refines a rule's attribute by the value: a home that is not
// named is not where one's location changed to.
func attributeFor(r *rule, value string) string {
	switch {
	case r.attribute == Location && !hasCapital(value):
		return "home"
	case r.ends && in(habits, value) != "":
		return Habit
	}
	return r.attribute
}

func (e *extractor) add(subject, attribute, value string, ends bool) bool {
	value = strings.TrimSpace(value)
	if value == "" {
		return false
	}
	p := mem.Profile{Subject: subject, Attribute: attribute, Value: value, Single: Single(attribute)}
	if ends {
		p.Polarity = mem.Ended
	}
	e.facts = append(e.facts, p)
	return true
}

func dedupe(facts []mem.Profile) []mem.Profile {
	var out []mem.Profile
	for _, f := range facts {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
