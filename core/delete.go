package core

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

// delete erases what a filter selects with everything derived from it. Erased
// turns are marked, so that a client's late retry does not bring them back.
func (e *Engine) delete(ctx context.Context, o *opened, q *DeleteRequest) (*DeleteResult, error) {
	if err := o.selects(&q.Filter); err != nil {
		return nil, err
	}
	if q.Filter.Empty() {
		return nil, effect.Errorf(effect.InvalidArgument, "the filter selects everything: name ids, sessions, speakers or something else, or drop the bank")
	}
	res := &DeleteResult{DryRun: q.DryRun, Entries: []Entry{}}
	v := newViewer(o)
	for _, row := range o.doomed(o.Snapshot(), q.Filter) {
		res.Entries = append(res.Entries, v.entry(row))
		if o.Snapshot().Row(row).Kind == mem.KindTurn {
			res.Turns++
		} else {
			res.Memories++
		}
	}
	if !q.DryRun && len(res.Entries) > 0 {
		if err := o.erase(ctx, q.Filter); err != nil {
			return nil, err
		}
	}
	res.Outcome = o.outcome()
	return res, nil
}

// erase commits the removal of what the filter selects at that moment.
func (o *opened) erase(ctx context.Context, f mem.Filter) error {
	return o.Commit(ctx, func(s *bank.Snapshot) (*bank.Change, error) {
		rows := o.doomed(s, f)
		if len(rows) == 0 {
			return nil, nil
		}
		c := &bank.Change{}
		left := map[string]int{}
		for _, row := range rows {
			r := s.Row(row)
			c.Erase = append(c.Erase, r.ID)
			if r.Kind != mem.KindTurn {
				continue
			}
			c.Mark = append(c.Mark, r.ID)
			if _, seen := left[r.Session]; !seen {
				left[r.Session] = len(s.SessionTurns(r.Session))
			}
			left[r.Session]--
		}
		for _, name := range slices.Sorted(maps.Keys(left)) {
			if left[name] > 0 {
				continue
			}
			if st, ok := s.Session(name); ok { // its name goes with its last turn
				st.Removed, st.Derived = true, st.Next
				c.Sessions = append(c.Sessions, st)
			}
		}
		return c, nil
	})
}

// doomed lists the rows that a deletion takes: those that match and those
// derived from them, ordered by kind, session, place and id.
func (o *opened) doomed(s *bank.Snapshot, f mem.Filter) []int {
	match := s.Matcher(f, farPast)
	hit := map[int]bool{}
	var turns []string
	for _, kind := range mem.Kinds {
		s.ByKind(kind, func(row int) {
			if !match(row) {
				return
			}
			hit[row] = true
			if kind == mem.KindTurn {
				turns = append(turns, s.Row(row).ID)
			}
		})
	}
	for _, row := range s.DerivedFrom(turns) {
		hit[row] = true
	}
	rows := slices.Collect(maps.Keys(hit))
	sortRows(s, rows)
	return rows
}

// restore lifts marks.
func (e *Engine) restore(ctx context.Context, o *opened, q *RestoreRequest) (*RestoreResult, error) {
	if err := o.exists(); err != nil {
		return nil, err
	}
	res := &RestoreResult{}
	err := o.Commit(ctx, func(s *bank.Snapshot) (*bank.Change, error) {
		c := &bank.Change{Unmark: q.IDs, UnmarkSession: q.Sessions, UnmarkAll: len(q.IDs)+len(q.Sessions) == 0}
		res.Lifted = s.CountMarks(c)
		if res.Lifted == 0 {
			return nil, nil
		}
		return c, nil
	})
	if err != nil {
		return nil, fmt.Errorf("lift marks: %w", err)
	}
	res.Outcome = o.outcome()
	return res, nil
}
