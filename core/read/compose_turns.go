package read

import (
	"cmp"
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/text"
)

// turnLine is one passage as evidence.
type turnLine struct {
	Scored
	*shownTurn
	text   string // verbatim
	note   string // what relative phrases resolve to, as shown
	record string // id of the record that pointed at it
}

// takeTurns fills what is left with turns by rank. One that does not fit is
// passed over for a shorter one behind it.
func (c *composer) takeTurns(budget int) {
	passed := -1 // the best turn that did not fit
	c.headers = map[int32]bool{}
	expanded := c.expanded()
	turns := c.f.Ranking.Turns
	c.turns = make([]turnLine, 0, min(len(turns), budget/20+8))
	for i, t := range turns {
		if c.left < spare {
			break
		}
		if int(c.f.Ranking.ix.least[t.at]) > c.left {
			if passed < 0 {
				passed = i
			}
			continue
		}
		l, cost := c.turnLine(t, expanded)
		day := c.f.Ranking.ix.day[t.at]
		if !c.headers[day] {
			cost += c.f.Ranking.ix.shownDay(day).cost
		}
		if cost > c.left {
			if passed < 0 {
				passed = i
			}
			continue
		}
		c.left -= cost
		c.headers[day] = true
		c.turns = append(c.turns, l)
	}
	if passed >= 0 && 2*c.left > budget {
		c.takeExcerpt(turns[passed], expanded)
	}
}

// takeExcerpt shows the beginning of a passage that does not fit whole, where
// more than half of the budget would be left empty.
func (c *composer) takeExcerpt(t Scored, expanded map[string]string) {
	l, _ := c.turnLine(t, expanded)
	day := c.f.Ranking.ix.day[t.at]
	cost := func() int {
		n := c.tokens(l.speaker + ": " + l.text + l.note)
		if !c.headers[day] {
			n += c.f.Ranking.ix.shownDay(day).cost
		}
		return n
	}
	whole := l.text
	l.text = ""
	l.text = strings.TrimSpace(text.Cut(whole, c.left-cost()-1))
	if l.text == "" || cost() > c.left {
		return
	}
	c.left -= cost()
	c.headers[day] = true
	c.turns = append(c.turns, l)
}

// inTime lists the turns taken in order of day, then as they stand in their
// session. Sorting where they stand would move whole lines about.
func (c *composer) inTime() []*turnLine {
	out := make([]*turnLine, len(c.turns))
	for i := range out {
		out[i] = &c.turns[i]
	}
	day := c.f.Ranking.ix.day
	slices.SortStableFunc(out, func(a, b *turnLine) int { return cmp.Or(cmp.Compare(day[a.at], day[b.at]), cmp.Compare(a.at, b.at)) })
	return out
}

// expanded maps turns to the record that pointed at them, where the demand asks
// for detail.
func (c *composer) expanded() map[string]string {
	if !c.f.Plan.Demand.Fidelity {
		return nil
	}
	out := map[string]string{}
	for _, r := range c.f.Records[:min(c.f.Plan.Depth.Record, len(c.f.Records))] {
		if r.Rel < leastRel {
			continue
		}
		for _, id := range r.Memory.Sources {
			if _, taken := out[id]; !taken {
				out[id] = r.Memory.ID
			}
		}
	}
	return out
}
