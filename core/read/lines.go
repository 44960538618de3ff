package read

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
	"github.com/leanmem/leanmem/core/text"
)

// Headers of the sections. A line of dialogue cannot pose as one: it begins
// with its speaker and a colon.
const (
	profilesHeader = "Profiles"
	eventsHeader   = "Timelines"
	recordsHeader  = "Summaries"
)

// shownTurn is a passage as evidence shows it. It depends on no question, so an
// index keeps those it has made.
type shownTurn struct {
	text     string
	cost     int // tokens of the line
	id       string
	sources  []string // the one id that callers know the turn by
	speaker  string
	noted    bool   // what follows is made
	note     string // what relative phrases resolve to
	noteCost int
}

// shownKept is how many passages an index keeps as they are shown, and half as
// many more as it has.
const shownKept = 4096

// shown makes a passage ready to be shown.
func (ix *index) shown(at int32) *shownTurn {
	if known := ix.lineOf[at]; known != nil {
		return known
	}
	row := int(ix.rows[at])
	r := ix.s.Row(row)
	out := &shownTurn{text: prompt.Block(strings.TrimSpace(ix.passage(row)), ix.poses), id: r.ID, sources: []string{cmp.Or(r.Source, r.ID)}, speaker: prompt.Quote(r.Speaker)}
	if out.text == "" { // nothing but an image or a tool's data
		out.text = prompt.Quote(captions(ix.s.TurnAt(row)))
	}
	out.cost = ix.tokens.Count(out.speaker + ": " + out.text + "\n")
	if ix.shownLines >= shownKept+len(ix.rows)/2 {
		clear(ix.lineOf)
		ix.shownLines = 0
	}
	ix.lineOf[at] = out
	ix.shownLines++
	return out
}

// leastCost is what the line of a passage costs at least, in tokens: index words
// overlap in scripts without spaces, but each takes half a token.
func leastCost(r *bank.Row) int32 { return int32(min(r.Length/2+2, math.MaxInt32)) }

// annotate adds what the relative phrases of a passage resolve to.
func (ix *index) annotate(at int32, x *shownTurn) {
	if x.noted {
		return
	}
	x.noted = true
	row := int(ix.rows[at])
	if x.note = dateNote(ix.passage(row), ix.s.TurnAt(row).Time); x.note != "" {
		x.noteCost = ix.tokens.Count(x.note + "\n")
	}
}

// turnLine makes the line of a ranked passage and says what it costs.
func (c *composer) turnLine(t Scored, expanded map[string]string) (l turnLine, cost int) {
	ix := c.f.Ranking.ix
	x := ix.shown(t.at)
	l = turnLine{Scored: t, shownTurn: x, text: x.text, record: expanded[x.id]}
	cost = x.cost
	if c.f.Question.dates && !c.off(TermDates) {
		ix.annotate(t.at, x)
		l.note = x.note
		cost += x.noteCost
	}
	return l, cost
}

// item is the line as callers get it.
func (l *turnLine) item(day string) mem.Item {
	out := mem.Item{ID: l.id, Kind: mem.KindTurn, Text: l.text, Sources: l.sources, Date: day, Speaker: l.speaker, Score: l.Score}
	out.Resolved = strings.TrimSuffix(strings.TrimPrefix(l.note, " ("), ")")
	if l.record != "" {
		out.ID, out.Kind = l.record, mem.KindRecord
	}
	return out
}

// passage is the text that a row ranks: the whole turn, or its passage.
func (ix *index) passage(row int) string {
	if ix.s.Row(row).Passages > 1 {
		return ix.s.PassageAt(row)
	}
	if t := ix.s.TextAt(row); strings.TrimSpace(t) != "" {
		return t
	}
	return captions(ix.s.TurnAt(row))
}

// captions is what a turn without text of its own says: its parts.
func captions(t mem.Turn) string {
	t.Text = ""
	if s := strings.ReplaceAll(bank.TurnText(t), "\n", " "); s != "" {
		return s
	}
	if len(t.Parts) > 0 {
		return "(" + strings.ReplaceAll(string(t.Parts[0].Type), "_", " ") + ")" // an image of which nothing is said
	}
	return ""
}

// dateNote says what the relative phrases of a passage resolve to:
// " (= 7 May 2023)", or each phrase with its date where there are several. It
// stands behind the text, which so stays verbatim.
func dateNote(passage string, at time.Time) string {
	const most = 3
	if at.IsZero() {
		return ""
	}
	type resolved struct{ phrase, date string }
	var all []resolved
	seen := map[string]bool{}
	for _, ref := range text.Temporal(passage, at) {
		if !ref.Relative || ref.From == "" {
			continue
		}
		date := humanSpan(ref.From, ref.To)
		if !seen[date] && len(all) < most {
			seen[date] = true
			all = append(all, resolved{prompt.Quote(ref.Phrase), date})
		}
	}
	switch len(all) {
	case 0:
		return ""
	case 1:
		return " (= " + all[0].date + ")"
	}
	parts := make([]string, len(all))
	for i, r := range all {
		parts[i] = r.phrase + " = " + r.date
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// humanSpan writes an interval of dates as short as it can be: a day, a month,
// a year, or a range.
func humanSpan(from, to string) string {
	a, errA := time.Parse(time.DateOnly, from)
	b, errB := time.Parse(time.DateOnly, to)
	switch {
	case errA != nil:
		return from
	case errB != nil || from == to:
		return a.Format("2 January 2006")
	}
	next := b.AddDate(0, 0, 1)
	switch {
	case a.Day() == 1 && next.Equal(a.AddDate(0, 1, 0)):
		return a.Format("January 2006")
	case a.YearDay() == 1 && next.Equal(a.AddDate(1, 0, 0)):
		return a.Format("2006")
	case a.Year() != b.Year():
		return a.Format("2 January 2006") + " – " + b.Format("2 January 2006")
	case a.Month() != b.Month():
		return a.Format("2 January") + " – " + b.Format("2 January 2006")
	}
	return a.Format("2") + "–" + b.Format("2 January 2006")
}

// shownState names a state as evidence shows it.
type shownState struct {
	id, from, until string
	current         bool
	ended           string // id of the state that ended it
	corrected       string // ISO date
}

// correctedOn is the day on which a user last changed the wording of a state or
// of one that repeats it; "" for never.
func correctedOn(states []mem.State, i int) string {
	last := states[i].Memory.Corrected()
	for _, st := range states {
		if at := st.Memory.Corrected(); st.Repeats == states[i].Memory.ID && at.After(last) {
			last = at
		}
	}
	if last.IsZero() {
		return ""
	}
	return last.Format(time.DateOnly)
}

// memoryLine makes the line of a profile or event with the time in which it
// held, and says what it costs. An index keeps the lines it has made.
func (c *composer) memoryLine(states []mem.State, i int, score float64) (l line, cost int) {
	ix, st := c.f.Ranking.ix, states[i]
	key := shownState{st.Memory.ID, st.From, st.Until, st.Current, "", correctedOn(states, i)}
	end := endedBy(states, i)
	if end != nil {
		key.ended = end.Memory.ID
	}
	known, ok := ix.stateOf[key]
	if !ok {
		known = ix.stateLine(st, heldIn(st, end), key.corrected)
		known.cost = ix.tokens.Count(known.shown + "\n")
		if ix.stateOf == nil || len(ix.stateOf) >= shownKept {
			ix.stateOf = map[shownState]line{}
		}
		ix.stateOf[key] = known
	}
	known.item.Score = score
	current := st.Current
	known.item.Current, known.item.Sources = &current, slices.Clone(known.item.Sources)
	return known, known.cost
}

func (ix *index) stateLine(st mem.State, in, corrected string) line {
	m := st.Memory
	l := line{item: mem.Item{
		ID: m.ID, Kind: m.Kind, Date: st.From, Speaker: prompt.Quote(m.Subject()), Until: st.Until, Corrected: corrected, Held: in,
	}}
	for _, id := range m.Sources {
		if row, ok := ix.s.Find(id); ok {
			l.item.Sources = append(l.item.Sources, ix.s.TurnAt(row).SourceOrID())
		}
	}
	body := m
	if m.Profile != nil { // the subject stands before the text
		p := *m.Profile
		p.Subject = ""
		body.Profile = &p
	}
	l.item.Text = prompt.Quote(body.Text())
	l.shown = "- "
	if l.item.Speaker != "" && !strings.HasPrefix(l.item.Text, l.item.Speaker) {
		l.shown += l.item.Speaker + ", "
	}
	l.shown += l.item.Text + " (" + held(st, in)
	if corrected != "" {
		l.shown += "; corrected by the user on " + humanDay(corrected)
	}
	l.shown += ")"
	return l
}

// bound writes the day from which a state held, or the month or year in which it
// began where no more is known.
func bound(st mem.State) string {
	if began := st.Memory.Anchor(); began.From != "" {
		return humanSpan(began.From, began.To)
	}
	return humanDay(st.From)
}

// endedBy is the state with which another ended, nil where none is told.
func endedBy(states []mem.State, i int) (end *mem.State) {
	for j := range states {
		if until := states[i].Until; until != "" && states[j].From == until && states[j].Repeats == "" {
			end = &states[j]
		}
	}
	return end
}

// heldIn writes the time in which a state held, its bounds as precisely as they
// are known: "May 2023 – 2024".
func heldIn(st mem.State, end *mem.State) string {
	if st.Current || st.Until == "" {
		return bound(st)
	}
	until := humanDay(st.Until)
	if end != nil {
		if span := bound(*end); !strings.Contains(span, "–") { // a second dash would be hard to read
			until = span
		}
	}
	return bound(st) + " – " + until
}

// held says of a state that it holds since then or no longer.
func held(st mem.State, in string) string {
	switch {
	case !st.Current:
		return in + ", no longer"
	case st.Memory.Event != nil:
		return in
	case quantity(st.Memory):
		return "as of " + in
	}
	return "since " + in
}

// render writes the evidence and lists its items in the order in which they
// stand. Neighbouring passages of one turn are one item.
func (c *composer) render(budget int) mem.Evidence {
	var b strings.Builder
	b.Grow(5 * (budget - c.left)) // a token has four bytes on average
	e := mem.Evidence{Items: make([]mem.Item, 0, len(c.profiles)+len(c.events)+len(c.turns))}
	write := func(s string) {
		b.WriteString(s)
		b.WriteByte('\n')
	}
	for _, section := range []struct {
		header string
		lines  []line
	}{{profilesHeader, c.profiles}, {eventsHeader, c.events}, {recordsHeader, c.records}} {
		if len(section.lines) > 0 {
			write(section.header)
		}
		for _, l := range section.lines {
			write(l.shown)
			e.Items = append(e.Items, l.item)
		}
	}
	var day *shownDay
	for _, l := range c.inTime() {
		if d := c.f.Ranking.ix.shownDay(c.f.Ranking.ix.day[l.at]); d != day {
			day = d
			write(d.header)
		}
		b.WriteString(l.speaker)
		b.WriteString(": ")
		b.WriteString(l.text)
		write(l.note)
		e.Items = append(e.Items, l.item(day.iso))
	}
	if c.unsure {
		write(unsureLine)
	}
	e.Text = strings.TrimSuffix(b.String(), "\n")
	e.Tokens = budget - c.left
	return e
}
