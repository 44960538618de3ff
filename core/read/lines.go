package read

import (
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
)

// turnLine makes the line of a ranked passage.
func (c *composer) turnLine(t Scored, expanded map[string]string) turnLine {
	row := int(c.f.Ranking.ix.rows[t.at])
	turn := c.s.TurnAt(row)
	passage := c.passage(row, turn)
	shown := passage
	if !c.off(TermTrim) {
		shown = trim(passage)
	}
	l := turnLine{at: t.at, text: prompt.Quote(shown)}
	if l.text == "" { // nothing but an image or a tool's data
		l.text = prompt.Quote(captions(turn))
	}
	if c.f.Question.dates && !c.off(TermDates) {
		l.note = dateNote(passage, turn.Time)
	}
	l.item = mem.Item{
		ID: turn.ID, Kind: mem.KindTurn, Text: l.text, Sources: []string{turn.SourceOrID()},
		Date: c.s.Row(row).Day, Speaker: prompt.Quote(turn.Speaker), Score: t.Score,
	}
	if id := expanded[turn.ID]; id != "" {
		l.item.ID, l.item.Kind = id, mem.KindRecord
	}
	return l
}

// passage is the text that a row ranks: the whole turn, or its passage.
func (c *composer) passage(row int, turn mem.Turn) string {
	if r := c.s.Row(row); r.Passages > 1 {
		return bank.TurnText(turn)[r.Start:r.End]
	}
	if strings.TrimSpace(turn.Text) != "" {
		return turn.Text
	}
	return captions(turn)
}

// captions is what a turn without text of its own says: its parts.
func captions(t mem.Turn) string {
	t.Text = ""
	return strings.ReplaceAll(bank.TurnText(t), "\n", " ")
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

// memoryLine makes the line of a profile or event with the time in which it
// held.
func (c *composer) memoryLine(st mem.State, score float64) line {
	m := st.Memory
	l := line{item: mem.Item{
		ID: m.ID, Kind: m.Kind, Date: st.From, Speaker: prompt.Quote(m.Subject()), Score: score, Until: st.Until,
	}}
	current := st.Current
	l.item.Current = &current
	for _, id := range m.Sources {
		if row, ok := c.s.Find(id); ok {
			l.item.Sources = append(l.item.Sources, c.s.TurnAt(row).SourceOrID())
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
	l.shown += l.item.Text + " (" + held(st) + ")"
	return l
}

// held writes the time in which a state held.
func held(st mem.State) string {
	since := humanDay(st.From)
	if e := st.Memory.Event; e != nil && e.Anchor.From != "" {
		since = humanSpan(e.Anchor.From, e.Anchor.To)
	}
	switch {
	case st.Current && st.Memory.Event != nil:
		return since
	case st.Current:
		return "since " + since
	case st.Until != "":
		return since + " – " + humanDay(st.Until) + ", no longer"
	}
	return since + ", no longer"
}

// render writes the evidence and lists its items in the order in which they
// stand. Neighbouring passages of one turn are one item.
func (c *composer) render() mem.Evidence {
	var b strings.Builder
	e := mem.Evidence{Items: []mem.Item{}}
	write := func(s string) {
		b.WriteString(s)
		b.WriteByte('\n')
	}
	for _, section := range []struct {
		header string
		lines  []line
	}{{profilesHeader, c.profiles}, {eventsHeader, c.events}} {
		if len(section.lines) > 0 {
			write(section.header)
		}
		for _, l := range section.lines {
			write(l.shown)
			e.Items = append(e.Items, l.item)
		}
	}
	day := int32(1<<31 - 1) // no position has it
	for _, l := range c.turns {
		if d := c.f.Ranking.ix.day[l.at]; d != day {
			day = d
			write(humanDay(isoDay(d)))
		}
		write(l.item.Speaker + ": " + l.text + l.note)
		e.Items = append(e.Items, l.item)
	}
	if c.unsure {
		write(unsureLine)
	}
	e.Text = strings.TrimSuffix(b.String(), "\n")
	e.Tokens = text.EstimateTokens(e.Text)
	return e
}
