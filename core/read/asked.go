package read

import (
	"slices"

	"github.com/leanmem/leanmem/core/mem"
)

// asked marks the states of a line that are asked for: those that held at the
// moment of the question or, where it tells none, the one that it names. told
// reports that the others are not asked for.
func (c *composer) asked(states []mem.State) (marks []bool, told bool) {
	m := &c.moment
	l := succession{ix: c.f.Ranking.ix, states: states, marks: make([]bool, len(states))}
	for i, st := range states {
		if st.Repeats == "" {
			l.order = append(l.order, i)
		}
	}
	if len(states) > 0 && len(m.whose) > 0 && containsFold(m.who, states[0].Memory.Subject()) {
		return l.marks, false // somebody by whose state the time is told
	}
	if m.at != untold && (l.successive() || m.at == atPresent || m.at == previously) {
		told = c.markAt(&l)
	}
	if !told && len(l.order) > 1 && l.states[l.order[0]].Memory.Profile != nil {
		l.mark(l.named(m.asks))
	}
	return l.marks, told
}

// markAt marks what held at the moment; false where that cannot be told.
func (c *composer) markAt(l *succession) bool {
	m := &c.moment
	switch m.at {
	case atPresent:
		// "Do I still play chess?" names what may hold no longer.
		if k := l.named(m.asks); k >= 0 && l.at(k).Memory.Profile != nil {
			l.markWith(k)
			return l.successive() && l.markIf(func(st mem.State) bool { return st.Current })
		}
		return l.markIf(func(st mem.State) bool { return st.Current })
	case atFirst:
		l.markWith(0)
		return true
	case previously:
		return l.markPrevious(m.bound == "used" || m.bound == "use" || m.bound == "fruher" || m.loose)
	}
	if k := l.named(m.refers); k >= 0 {
		switch m.at {
		case earlier:
			l.markBefore(k)
		case later:
			l.markAfter(k)
		default:
			l.markWith(k)
		}
		return true
	}
	if len(m.periods) > 0 {
		l.markIn(m)
		return true
	}
	if p, ok := c.timeOf(l); ok {
		told := *m
		told.periods = []mem.Interval{p}
		l.markIn(&told)
		return true
	}
	if m.loose && m.at == earlier {
		return l.markPrevious(true)
	}
	return m.at == earlier && len(l.order) > 1
}

// timeOf is when that held or happened by which the moment is told: the state
// or event among what was found that covers most of its words.
func (c *composer) timeOf(l *succession) (p mem.Interval, ok bool) {
	const enough = 0.6
	best := 0.0
	whose := c.moment.who
	if len(whose) == 0 {
		whose = []string{l.states[0].Memory.Subject()}
	}
	for _, pool := range [][]Candidate{c.f.Events, c.f.Profiles} {
		for _, cand := range pool {
			if !containsFold(whose, cand.Memory.Subject()) {
				continue
			}
			share := covered(c.moment.refers, c.f.Ranking.ix.stems(ownText(cand.Memory)))
			if share < enough || share <= best {
				continue
			}
			for _, st := range c.f.Ranking.ix.states(cand.Memory, mem.LineKey(cand.Memory), c.f.Alive) {
				if st.Memory.ID == cand.Memory.ID && st.From != "" {
					best, ok = share, true
					p = mem.Interval{From: st.From, To: st.Until}
				}
			}
			if e := cand.Memory.Event; ok && e != nil {
				p.To = max(e.Anchor.To, p.From)
			}
		}
	}
	return p, ok
}

// ownText is what a profile or event says, its subject left out.
func ownText(m mem.Memory) string {
	if p := m.Profile; p != nil {
		return p.Attribute + " " + p.Value
	}
	return m.Event.Topic + " " + m.Event.State
}

// covered is the share of words that stand among others.
func covered(words, among []string) float64 {
	n := 0.0
	for _, w := range words {
		if slices.Contains(among, w) {
			n++
		}
	}
	return n / max(1, float64(len(words)))
}

// succession is a line of states in order of time, of which some are marked.
type succession struct {
	ix     *index
	states []mem.State
	order  []int // the states that repeat no other
	marks  []bool
}

// successive reports whether the states take each other's place.
func (l *succession) successive() bool {
	if len(l.order) == 0 {
		return false
	}
	if p := l.states[l.order[0]].Memory.Profile; p != nil {
		return p.Single
	}
	return slices.ContainsFunc(l.states, func(st mem.State) bool { return !st.Current })
}

func (l *succession) at(k int) mem.State { return l.states[l.order[k]] }

func (l *succession) markIf(held func(mem.State) bool) bool {
	found := false
	for _, i := range l.order {
		if held(l.states[i]) {
			l.marks[i], found = true, true
		}
	}
	return found
}

func (l *succession) mark(k int) {
	if k >= 0 {
		l.marks[l.order[k]] = true
	}
}

// markWith marks a state and what held together with it.
func (l *succession) markWith(k int) {
	st := l.at(k)
	l.markIf(func(x mem.State) bool { return x.From == st.From && x.Until == st.Until && x.Current == st.Current })
}

// markBefore marks what had ended when a state began; in a timeline whose
// points end nothing, the point before it.
func (l *succession) markBefore(k int) {
	for j := k - 1; j >= 0; j-- {
		if end := l.at(j).Until; end != "" && end <= l.at(k).From || l.at(j).Memory.Event != nil {
			l.markWith(j)
			return
		}
	}
}

func (l *succession) markAfter(k int) {
	for j := k + 1; j < len(l.order); j++ {
		if l.at(j).From > l.at(k).From || l.at(j).From == l.at(k).Until {
			l.markWith(j)
			return
		}
	}
}

// markPrevious marks the last state that no longer holds; each where all are
// asked for ("used to"), and of values that held side by side.
func (l *succession) markPrevious(all bool) bool {
	if all || !l.successive() {
		return l.markIf(func(st mem.State) bool { return !st.Current })
	}
	for k := len(l.order) - 1; k >= 0; k-- {
		if !l.at(k).Current {
			l.markWith(k)
			break
		}
	}
	return true
}

// markIn marks the states that held in, before or after a period.
func (l *succession) markIn(m *moment) {
	for _, p := range m.periods {
		switch {
		case m.at == later:
			l.markIf(func(st mem.State) bool { return st.Until == "" && st.Current || st.Until > max(p.From, p.To) })
		case m.at == earlier:
			l.markUntil(p, m.bound)
		case m.begins && l.markIf(func(st mem.State) bool { return st.From >= p.From && (p.To == "" || st.From <= p.To) }):
		case !l.markIf(func(st mem.State) bool { return meets(st, p) }):
			l.markEarliest(p)
		}
	}
}

// markUntil marks what held before a period: "until March" may name the very
// month in which it ended.
func (l *succession) markUntil(p mem.Interval, bound string) {
	ends := bound != "before" && bound != "bevor" && bound != "vor" && bound != "antes" && bound != "prior"
	if ends && l.markIf(func(st mem.State) bool { return st.Until >= p.From && st.Until <= p.To }) {
		return
	}
	for k := len(l.order) - 1; k >= 0; k-- {
		if from := l.at(k).From; from != "" && from < p.From {
			l.markWith(k)
			return
		}
	}
}

// markEarliest marks the first state for a time before it was told of, unless
// it is known to have begun later.
func (l *succession) markEarliest(p mem.Interval) {
	first := l.at(0)
	if p.To != "" && p.To < first.From && (first.Memory.Profile == nil || first.Memory.Profile.Since.From == "") {
		l.markWith(0)
	}
}

// meets reports whether a state held on some day of a period.
func meets(st mem.State, p mem.Interval) bool {
	return st.From != "" && (p.To == "" || st.From <= p.To) && (st.Until == "" && st.Current || st.Until > p.From)
}

// named finds the state that words name best, the latest of those that fit
// alike; -1 for none. A profile is named by its value, an event by most of the
// words.
func (l *succession) named(words []string) int {
	best, at := 0.5, -1
	for k := range l.order {
		m := l.at(k).Memory
		score := 0.0
		switch {
		case len(words) == 0, m.Profile != nil && m.Profile.Polarity == mem.Ended && !l.at(k).Current: // the end of another
		case m.Profile != nil:
			score = covered(l.ix.stems(m.Profile.Value), words)
		case m.Event != nil:
			score = covered(words, l.ix.stems(ownText(m)))
		}
		if score >= best {
			best, at = score, k
		}
	}
	return at
}

// nowFirst puts what holds before what held, where now is asked about.
func (c *composer) nowFirst(a, b *line) int {
	if x, y := *a.item.Current, *b.item.Current; c.moment.at == atPresent && x != y {
		if x {
			return -1
		}
		return 1
	}
	return 0
}

// ended reports the end of something that the question names ("still").
func (c *composer) ended(m mem.Memory) bool {
	p := m.Profile
	return p != nil && p.Polarity == mem.Ended && c.about(p) && covered(c.f.Ranking.ix.stems(p.Value), c.moment.asks) >= 0.5
}
