package core

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// farPast is a clock by which nothing has expired: a deletion also takes what
// has expired and is not purged yet.
var farPast = time.Unix(0, 0)

// viewer shows rows as entries. The states of profiles and events are computed
// once, when the first of them is shown.
type viewer struct {
	s      *bank.Snapshot
	states map[string]mem.State
}

func newViewer(o *opened) *viewer { return &viewer{s: o.Snapshot()} }

// state gives the interval in which a profile or event held.
func (v *viewer) state(id string) (mem.State, bool) {
	if v.states == nil {
		v.states = map[string]mem.State{}
		for _, kind := range []mem.Kind{mem.KindProfile, mem.KindEvent} {
			var all []mem.Memory
			v.s.ByKind(kind, func(row int) { all = append(all, v.s.MemoryAt(row)) })
			states := mem.ProfileStates
			if kind == mem.KindEvent {
				states = mem.TimelineStates
			}
			for _, st := range states(all) {
				v.states[st.Memory.ID] = st
			}
		}
	}
	st, ok := v.states[id]
	return st, ok
}

// entry shows a live row.
func (v *viewer) entry(row int) Entry {
	r := v.s.Row(row)
	if r.Kind == mem.KindTurn {
		t := v.s.TurnAt(row)
		return Entry{
			ID: t.ID, Kind: r.Kind, Text: bank.TurnText(t), Speaker: t.Speaker, Session: t.Session, Date: r.Day,
			Sources: []string{t.SourceOrID()}, Labels: t.Labels, Expires: t.Expires, Parts: t.Parts,
		}
	}
	m := v.s.MemoryAt(row)
	e := Entry{
		ID: m.ID, Kind: m.Kind, Text: m.Text(), Subject: m.Subject(), Session: m.Session, Date: mem.Day(m),
		Labels: m.Labels, Expires: m.Expires, Profile: m.Profile, Event: m.Event, Record: m.Record,
		Path: m.Path, Revisions: m.Revisions,
	}
	for _, id := range m.Sources {
		if src, ok := v.s.Find(id); ok {
			e.Sources = append(e.Sources, v.s.TurnAt(src).SourceOrID())
		}
	}
	if st, ok := v.state(m.ID); ok {
		e.Current, e.From, e.Until, e.Repeats = &st.Current, st.From, st.Until, st.Repeats
	}
	return e
}

// sortRows orders rows by kind, then turns by session and place, memories by
// time and id.
func sortRows(s *bank.Snapshot, rows []int) {
	mem.Sort(rows, func(a, b *int) int {
		x, y := s.Row(*a), s.Row(*b)
		if c := cmp.Compare(slices.Index(mem.Kinds, x.Kind), slices.Index(mem.Kinds, y.Kind)); c != 0 {
			return c
		}
		if x.Kind == mem.KindTurn {
			return cmp.Or(cmp.Compare(x.Session, y.Session), cmp.Compare(x.Seq, y.Seq), cmp.Compare(x.ID, y.ID))
		}
		return cmp.Or(cmp.Compare(x.Time, y.Time), cmp.Compare(x.ID, y.ID))
	})
}

// list pages through a bank.
func (e *Engine) list(ctx context.Context, o *opened, q *ListRequest) (*ListResult, error) {
	if err := o.selects(&q.Filter); err != nil {
		return nil, err
	}
	if q.Status != "" && q.Status != "current" && q.Status != "past" {
		return nil, effect.Errorf(effect.InvalidArgument, "status %.40q is neither empty, current nor past", q.Status)
	}
	limit, from, err := page(q.After, q.Limit, 100)
	if err != nil {
		return nil, err
	}
	v := newViewer(o)
	match := o.Snapshot().Matcher(q.Filter, o.run.Now)
	var rows []int
	for _, kind := range mem.Kinds {
		if len(q.Filter.Kinds) > 0 && !slices.Contains(q.Filter.Kinds, kind) {
			continue
		}
		o.Snapshot().ByKind(kind, func(row int) {
			if match(row) && v.hasStatus(row, q.Status) {
				rows = append(rows, row)
			}
		})
	}
	sortRows(o.Snapshot(), rows)
	res := &ListResult{Entries: []Entry{}, Total: len(rows)}
	for i := from; i < len(rows) && i < from+limit; i++ {
		res.Entries = append(res.Entries, v.entry(rows[i]))
	}
	if from+limit < len(rows) {
		res.Next = itoa(from + limit)
	}
	res.Outcome = o.outcome()
	return res, nil
}

// hasStatus keeps the states that hold ("current": each once, repeats left
// out) or no longer hold ("past"). What has no state is always current.
func (v *viewer) hasStatus(row int, status string) bool {
	if status == "" {
		return true
	}
	st, ok := v.state(v.s.Row(row).ID)
	if !ok {
		return status == "current"
	}
	if status == "current" {
		return st.Current && st.Repeats == ""
	}
	return !st.Current
}

// get reads entries by id, ours or the caller's.
func (e *Engine) get(ctx context.Context, o *opened, q *GetRequest) (*GetResult, error) {
	if err := o.exists(); err != nil {
		return nil, err
	}
	if len(q.IDs) == 0 {
		return nil, effect.Errorf(effect.InvalidArgument, "no id is named")
	}
	v := newViewer(o)
	res := &GetResult{Entries: []Entry{}}
	for _, id := range q.IDs {
		rows := o.rowsOf(id)
		for _, row := range rows {
			res.Entries = append(res.Entries, v.entry(row))
		}
		if len(rows) == 0 {
			res.Missing = append(res.Missing, id)
		}
	}
	res.Outcome = o.outcome()
	return res, nil
}

// rowsOf finds the live, unexpired rows of an id: one of ours, or every turn
// that the caller gave that id.
func (o *opened) rowsOf(id string) []int {
	s := o.Snapshot()
	match := s.Matcher(mem.Filter{IDs: []string{id}}, o.run.Now)
	if row, ok := s.Find(id); ok {
		if match(row) {
			return []int{row}
		}
		return nil
	}
	var rows []int
	s.ByKind(mem.KindTurn, func(row int) {
		if match(row) {
			rows = append(rows, row)
		}
	})
	sortRows(s, rows)
	return rows
}

// history lists the states of a memory's timeline or attribute, or those of a
// subject, in time order.
func (e *Engine) history(ctx context.Context, o *opened, q *HistoryRequest) (*HistoryResult, error) {
	if err := o.exists(); err != nil {
		return nil, err
	}
	if q.ID == "" && q.Subject == "" && q.Attribute == "" {
		return nil, effect.Errorf(effect.InvalidArgument, "name a memory's id, a subject, or an attribute or topic")
	}
	keep := func(m mem.Memory) bool { return about(m, q.Subject, q.Attribute) }
	if q.ID != "" {
		row, ok := o.Snapshot().Find(q.ID)
		if !ok || o.Snapshot().Row(row).Kind == mem.KindTurn {
			return nil, effect.Errorf(effect.NotFound, "no memory has the id %.80q", q.ID)
		}
		keep = sameLine(o.Snapshot().MemoryAt(row))
	}
	v := newViewer(o)
	match := o.Snapshot().Matcher(mem.Filter{}, o.run.Now)
	var rows []int
	for _, kind := range []mem.Kind{mem.KindProfile, mem.KindEvent} {
		o.Snapshot().ByKind(kind, func(row int) {
			if match(row) && keep(o.Snapshot().MemoryAt(row)) {
				rows = append(rows, row)
			}
		})
	}
	res := &HistoryResult{Entries: []Entry{}}
	for _, row := range rows {
		res.Entries = append(res.Entries, v.entry(row))
	}
	mem.Sort(res.Entries, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Date, b.Date), cmp.Compare(a.ID, b.ID))
	})
	res.Outcome = o.outcome()
	return res, nil
}

// about reports whether a memory is about the subject and, by its attribute or
// the words of its topic, about what is named.
func about(m mem.Memory, subject, topic string) bool {
	if subject != "" && !strings.EqualFold(m.Subject(), subject) {
		return false
	}
	if topic == "" {
		return true
	}
	own := ""
	if m.Profile != nil {
		own = m.Profile.Attribute + " " + m.Profile.Value
	} else if m.Event != nil {
		own = m.Event.Topic + " " + m.Event.State
	}
	words := text.Words(own)
	for _, w := range text.Words(topic) {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return true
}

// sameLine selects the memories whose states follow each other with m's.
func sameLine(m mem.Memory) func(mem.Memory) bool {
	return func(x mem.Memory) bool { return mem.LineKey(x) == mem.LineKey(m) }
}
