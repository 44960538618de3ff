package read

import (
	"cmp"
	"slices"

	"github.com/leanmem/leanmem/core/mem"
)

// Found is what the stages before composition found for one question.
type Found struct {
	Question *Question
	Plan     mem.Plan
	Ranking  *Ranking
	Profiles []Candidate
	Events   []Candidate
	Records  []Candidate

	// Alive tells which rows have not expired, Keep which may be shown at all;
	// nil: all. A state ends with the next one that is alive, though it may not
	// be shown itself.
	Alive, Keep func(row int) bool
}

// Shares of the budget that derived memories may take. What they do not take
// goes to turns.
const (
	profileShare       = 0.06
	profileShareAsked  = 0.12 // of a judgement, or of a state
	eventShare         = 0.08
	eventShareTemporal = 0.12

	leastRel  = 0.25 // below it a memory is not shown
	strongRel = 0.5  // from here a memory stands on its own although its turns are not shown
	headTurns = 40   // turns ranked so high are taken to be shown
	spare     = 10   // tokens that are not worth filling
)

// unsureBelow is the confidence under which the evidence itself says that it
// may not hold the answer.
const unsureBelow = 0.10

const unsureLine = "Nothing that is stored clearly answers this."

// Compose assembles evidence by role under the budget: profiles, then events in
// time order, then turns in time order under one date header a day. It never
// exceeds the budget by the estimate, which errs on the safe side.
func Compose(s Snapshot, f *Found, budget int, off func(string) bool) mem.Evidence {
	c := &composer{s: s, f: f, left: budget, off: off}
	if len(f.Profiles)+len(f.Events) > 0 {
		c.moment = momentOf(f.Question, f.Plan, f.Ranking.ix)
	}
	confidence := f.Ranking.Confidence(f.Question)
	c.doubted = confidence < SufficientFrom
	c.unsure = confidence < unsureBelow && c.pay(unsureLine)
	c.takeProfiles(budget)
	c.takeEvents(budget)
	c.takeRecords()
	if c.unsure && c.known {
		c.unsure = false
		c.left += c.tokens(unsureLine)
	}
	c.takeTurns(budget)
	e := c.render(budget)
	if c.known {
		confidence = max(confidence, SufficientFrom)
	}
	if len(e.Items) == 0 {
		confidence = 0 // nothing that is shown can hold the answer
	}
	e.Confidence, e.Sufficient = confidence, confidence >= SufficientFrom
	return e
}

type composer struct {
	s      Snapshot
	f      *Found
	left   int // tokens
	off    func(string) bool
	unsure bool
	moment moment

	doubted bool // by the turns alone
	known   bool // a state is shown that is the very attribute asked for

	profiles []line
	events   []line
	records  []line
	turns    []turnLine
	headers  map[int32]bool  // days whose header is paid
	head     map[string]bool // what headSources has found
}

// line is one memory as evidence.
type line struct {
	shown string
	cost  int // tokens
	item  mem.Item
}

// rank puts a state that is asked for before others, then what a user
// corrected: the turns below still say what it was.
func (l *line) rank() int {
	switch {
	case l.item.Asked != nil && *l.item.Asked:
		return 0
	case l.item.Corrected != "":
		return 1
	}
	return 2
}

// tokens is what a line costs.
func (c *composer) tokens(shown string) int { return c.f.Ranking.ix.tokens.Count(shown + "\n") }

// pay takes the tokens of a line from the budget if they are there.
func (c *composer) pay(shown string) bool {
	n := c.tokens(shown)
	if n > c.left {
		return false
	}
	c.left -= n
	return true
}

// takeProfiles shows facts about a person where the question asks for a
// judgement or a state, or where no turn shown says them.
func (c *composer) takeProfiles(budget int) {
	if c.off(TermProfiles) {
		return
	}
	share := profileShare
	if d := c.f.Plan.Demand; d.Scope == mem.Judgement || d.Temporal || slices.ContainsFunc(c.f.Profiles, c.asksForValues) {
		share = profileShareAsked
	}
	c.profiles = c.take(c.f.Profiles, allowance(budget, share), profilesHeader)
}

// takeEvents shows states with the time in which they held.
func (c *composer) takeEvents(budget int) {
	if c.off(TermTimelines) {
		return
	}
	share := eventShare
	if c.f.Plan.Demand.Temporal {
		share = eventShareTemporal
	}
	c.events = c.take(c.f.Events, allowance(budget, share), eventsHeader)
	mem.Sort(c.events, func(a, b *line) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.item.Date, b.item.Date), cmp.Compare(a.item.ID, b.item.ID))
	})
}

// takeRecords shows the gists that a user corrected. Of others the turns are
// shown that they point at.
func (c *composer) takeRecords() {
	for _, cand := range c.f.Records[:min(c.f.Plan.Depth.Record, len(c.f.Records))] {
		st := []mem.State{{Memory: cand.Memory, From: mem.Day(cand.Memory), Current: true}}
		if cand.Rel < leastRel || correctedOn(st, 0) == "" {
			continue
		}
		l, tokens := c.memoryLine(st, 0, cand.Score)
		if len(c.records) == 0 {
			tokens += c.tokens(recordsHeader)
		}
		if tokens <= c.left {
			c.left -= tokens
			c.records = append(c.records, l)
		}
	}
}

// allowance is a share of the budget, but room for a state and the one before
// it where the budget is small.
func allowance(budget int, share float64) int {
	return min(max(int(float64(budget)*share), 60), budget/5)
}

// take picks candidates in order of score, each with the other states of its
// line where it has changed.
func (c *composer) take(candidates []Candidate, allowed int, header string) []line {
	if len(candidates) == 0 {
		return nil
	}
	allowed = min(allowed, c.left) - c.tokens(header)
	shown := c.headSources()
	ix := c.f.Ranking.ix
	var found [][]line
	done := map[string]bool{}
	for _, cand := range candidates {
		if cand.Rel < leastRel {
			continue
		}
		key := ix.memory(cand.Row).line
		states := ix.states(cand.Memory, key, c.f.Alive)
		if done[key] || !c.worth(cand, states, shown) || c.outdated(states) {
			continue
		}
		done[key] = true
		lines, cost := c.history(states, cand, allowed)
		c.known = c.known || answers(lines) &&
			(c.asksForValues(cand) || (c.asksFor(cand) || c.counts(cand)) && c.asksNoMore(cand.Memory.Profile.Attribute))
		allowed -= cost
		c.left -= cost
		if len(lines) > 0 {
			found = append(found, lines)
		}
	}
	if len(found) > 0 {
		c.left -= c.tokens(header)
	}
	first := func(lines []line) int {
		least := lines[0].rank()
		for i := range lines {
			least = min(least, lines[i].rank())
		}
		return least
	}
	mem.Sort(found, func(a, b *[]line) int { return cmp.Compare(first(*a), first(*b)) })
	return slices.Concat(found...)
}

func byRank(a, b *line) int { return cmp.Compare(a.rank(), b.rank()) }

// answers reports whether a state is shown of the time that is asked about.
func answers(lines []line) bool {
	for i := range lines {
		if asked := lines[i].item.Asked; asked == nil || *asked {
			return true
		}
	}
	return false
}

// worth reports whether a memory says what the turns beside it do not: a state
// that has changed or ended, what a user corrected, the number that is asked
// for, the very attribute where the turns leave it in doubt, or a fact whose
// turns are not among those shown.
func (c *composer) worth(cand Candidate, states []mem.State, shown map[string]bool) bool {
	if c.doubted && c.asksFor(cand) || c.asksForValues(cand) || c.counts(cand) || c.ended(cand.Memory) {
		return true
	}
	for _, st := range states {
		if !st.Current && st.Repeats == "" || len(st.Memory.Revisions) > 0 {
			return true
		}
	}
	if c.f.Plan.Demand.Scope == mem.Judgement && cand.Memory.Kind == mem.KindProfile {
		return true
	}
	return cand.Rel >= strongRel && !slices.ContainsFunc(cand.Memory.Sources, func(id string) bool { return shown[id] })
}

// headSources are the turns that are ranked high enough to be shown anyway.
func (c *composer) headSources() map[string]bool {
	if c.head != nil {
		return c.head
	}
	out := make(map[string]bool, headTurns)
	c.head = out
	for _, t := range c.f.Ranking.Turns[:min(headTurns, len(c.f.Ranking.Turns))] {
		out[c.s.Row(int(c.f.Ranking.ix.rows[t.at])).ID] = true
	}
	return out
}

// history shows the states of a line, at most four of one that is not asked for
// with all its values, within a number of tokens:
// those that are asked for before all others, then the current one and what was
// corrected or, where nothing holds any more, the last, then the one that was
// found, then the latest. Where the first does not fit nothing is shown:
// another state alone would mislead. What is asked for stands first, then what
// was corrected, the rest in order of time.
func (c *composer) history(states []mem.State, cand Candidate, allowed int) (lines []line, cost int) {
	most := 4
	several := c.asksForValues(cand)
	if several {
		most = 2 * valuesInAnswer
	}
	order := make([]int, 0, len(states))
	for i, st := range states {
		if st.Repeats == "" && c.mayShow(st.Memory.ID) && (!several || st.Memory.Profile.Attribute == cand.Memory.Profile.Attribute) {
			order = append(order, i)
		}
	}
	marks, told := c.asked(states)
	weight := func(i int) int {
		switch {
		case marks[i]:
			return 0
		case states[i].Current, correctedOn(states, i) != "":
			return 1
		case states[i].Memory.ID == cand.Memory.ID:
			return 2
		}
		return 3
	}
	mem.Sort(order, func(i, j *int) int {
		return cmp.Or(cmp.Compare(weight(*i), weight(*j)), cmp.Compare(*j, *i))
	})
	shown := map[int]line{}
	for n, i := range order[:min(most, len(order))] {
		l, tokens := c.memoryLine(states, i, cand.Score)
		if marks[i] || told {
			l.item.Asked = &marks[i]
		}
		if cost+tokens > allowed {
			if n == 0 {
				return nil, 0
			}
			continue
		}
		cost += tokens
		shown[i] = l
	}
	for i := range states {
		if l, ok := shown[i]; ok {
			lines = append(lines, l)
		}
	}
	mem.Sort(lines, func(a, b *line) int { return cmp.Or(byRank(a, b), c.nowFirst(a, b)) })
	return lines, cost
}

// mayShow reports whether the filter of the question lets a memory be shown.
func (c *composer) mayShow(id string) bool {
	if c.f.Keep == nil {
		return true
	}
	row, ok := c.s.Find(id)
	return ok && c.f.Keep(row)
}
