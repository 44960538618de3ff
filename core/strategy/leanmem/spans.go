package leanmem

import (
	"cmp"
	"slices"
	"time"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/write"
)

// span is the due part of one session: its segments, and how far the session
// is settled once they are memory.
type span struct {
	session  string
	from, to int // SessionState.Derived before and after
	began    time.Time
	segments []mem.Segment
	routes   [][]mem.Route // of each segment; nil: not decided yet
	settled  bool          // its memories are in the commit under way or made
}

// dueSpans finds what is due in every session, sessions in order of time and
// name.
func dueSpans(s *bank.Snapshot, o mem.Options) []*span {
	var out []*span
	for _, state := range s.Owing() {
		if sp := dueSpan(s, state, o); sp != nil {
			out = append(out, sp)
		}
	}
	slices.SortStableFunc(out, func(a, b *span) int {
		return cmp.Or(a.began.Compare(b.began), cmp.Compare(a.session, b.session))
	})
	return out
}

func dueSpan(s *bank.Snapshot, state bank.SessionState, o mem.Options) *span {
	rows := s.SessionTail(state.Name, state.Derived)
	tail, vectors := make([]mem.Turn, 0, len(rows)), make(map[string][]int8, len(rows))
	for _, row := range rows {
		t := s.TurnAt(row)
		tail = append(tail, t)
		vectors[t.ID] = s.Vector(row)
	}
	segments, settled := write.Settle(tail, state.Closed, o.IsOff(mem.OffSegmentation), cutter(o, vectors))
	sp := &span{session: state.Name, from: state.Derived, segments: segments}
	switch {
	case settled < len(tail):
		sp.to = tail[settled].Seq
	case state.Closed, len(tail) == 0: // all that was owed was deleted or has expired
		sp.to = state.Next
	default:
		sp.to = tail[len(tail)-1].Seq + 1
	}
	if settled == 0 && len(tail) > 0 {
		return nil
	}
	if len(tail) > 0 {
		sp.began = tail[0].Time
	}
	sp.routes = make([][]mem.Route, len(segments))
	return sp
}

// cutter is filter and segment, or what an ablation puts in their place.
func cutter(o mem.Options, vectors map[string][]int8) func([]mem.Turn) []mem.Segment {
	return func(turns []mem.Turn) []mem.Segment {
		key := write.All(turns)
		if !o.IsOff(mem.OffFilter) {
			key = write.Filter(turns)
		}
		if o.IsOff(mem.OffSegmentation) {
			return write.Whole(turns, key)
		}
		rows := make([][]int8, len(turns))
		for i, t := range turns {
			rows[i] = vectors[t.ID]
		}
		return write.Segments(turns, key, rows)
	}
}

func (sp *span) turns() int {
	n := 0
	for _, seg := range sp.segments {
		n += len(seg.Turns)
	}
	return n
}

func (sp *span) decided() bool {
	return !slices.ContainsFunc(sp.routes, func(r []mem.Route) bool { return r == nil })
}
