package read

import (
	"cmp"
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// quantity reports a number that somebody has, has reached or has done. It is
// what it was when it was said: the next one may be told in words that no rule
// reads.
func quantity(m mem.Memory) bool {
	p := m.Profile
	if p == nil || !p.Single {
		return false
	}
	switch p.Attribute {
	case "birthday", "phone", "address", "email", "name":
		return false
	}
	first, _, _ := strings.Cut(p.Value, " ")
	return number(first)
}

// number reports a number in digits or in words.
func number(w string) bool {
	switch strings.ToLower(w) {
	case "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
		"seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred":
		return true
	}
	w = strings.TrimLeft(w, "$€£")
	return w != "" && w[0] >= '0' && w[0] <= '9'
}

// counts reports that a memory is the number that the question asks for ("how
// many stamps have I got?"). The turn that says it may be shown too, but it
// does not say that it is the last one.
func (c *composer) counts(cand Candidate) bool {
	if c.f.Plan.Demand.Scope != mem.Count || !quantity(cand.Memory) || !c.about(cand.Memory.Profile) {
		return false
	}
	return covered(c.f.Ranking.ix.stems(cand.Memory.Profile.Attribute), c.moment.asks) >= 0.5
}

// outdated reports that a turn found for the question, said later by the same
// speaker, names what is counted beside another number.
func (c *composer) outdated(states []mem.State) bool {
	last := states[len(states)-1].Memory
	if !quantity(last) {
		return false
	}
	of := contentStems(last.Profile.Attribute)
	ix := c.f.Ranking.ix
	for _, t := range c.f.Ranking.Turns[:min(headTurns, len(c.f.Ranking.Turns))] {
		row := ix.s.Row(int(ix.rows[t.at]))
		if row.Time <= last.Time.Unix() || !strings.EqualFold(cmp.Or(row.Speaker, string(row.Role)), last.Profile.Subject) {
			continue
		}
		said := ix.shown(t.at).text
		if covered(of, contentStems(said)) >= 0.5 && slices.ContainsFunc(text.Words(said), number) {
			return true
		}
	}
	return false
}
