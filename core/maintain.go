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

// flush closes sessions and derives what is owed.
func (e *Engine) flush(ctx context.Context, o *opened, q *FlushRequest) (*AddResult, error) {
	if err := o.exists(); err != nil {
		return nil, err
	}
	if err := o.compatible(); err != nil {
		return nil, err
	}
	if err := o.haveSessions(q.Sessions); err != nil {
		return nil, err
	}
	err := o.Commit(ctx, func(s *bank.Snapshot) (*bank.Change, error) {
		c := &bank.Change{}
		for _, st := range s.Sessions() {
			if !st.Closed && st.Derived < st.Next && (len(q.Sessions) == 0 || slices.Contains(q.Sessions, st.Name)) {
				st.Closed = true
				c.Sessions = append(c.Sessions, st)
			}
		}
		if len(c.Sessions) == 0 {
			return nil, nil
		}
		return c, nil
	})
	if err != nil {
		return nil, fmt.Errorf("close sessions: %w", err)
	}
	return o.derived(ctx)
}

// haveSessions refuses the name of a session that is not in the bank.
func (o *opened) haveSessions(names []string) error {
	for _, name := range names {
		if _, ok := o.Snapshot().Session(name); !ok {
			return effect.Errorf(effect.NotFound, "session %.80q is not in bank %q", name, o.call.Bank)
		}
	}
	return nil
}

// derived settles what is owed and reports it as an add without turns.
func (o *opened) derived(ctx context.Context) (*AddResult, error) {
	before, owed := countKinds(o.Snapshot()), pending(o.Snapshot())
	stop, err := o.settle(ctx)
	if err != nil {
		return nil, err
	}
	left := pending(o.Snapshot())
	return &AddResult{
		Outcome: o.outcome(), Derived: difference(countKinds(o.Snapshot()), before),
		Settled: max(0, owed-left), Pending: left, Stopped: stop,
	}, nil
}

// reprocess forgets the derived memories of sessions and derives them anew. The
// old ones go in the commit that marks their turns as owed.
func (e *Engine) reprocess(ctx context.Context, o *opened, q *ReprocessRequest) (*AddResult, error) {
	if err := o.exists(); err != nil {
		return nil, err
	}
	if err := o.compatible(); err != nil {
		return nil, err
	}
	if err := o.haveSessions(q.Sessions); err != nil {
		return nil, err
	}
	err := o.Commit(ctx, func(s *bank.Snapshot) (*bank.Change, error) {
		c := &bank.Change{}
		var turns []string
		for _, st := range s.Sessions() {
			if len(q.Sessions) > 0 && !slices.Contains(q.Sessions, st.Name) {
				continue
			}
			for _, row := range s.SessionTurns(st.Name) {
				turns = append(turns, s.Row(row).ID)
			}
			st.Closed = st.Closed || st.Derived == st.Next
			st.Derived = 0
			c.Sessions = append(c.Sessions, st)
		}
		for _, row := range s.DerivedFrom(turns) {
			if len(s.MemoryAt(row).Revisions) == 0 { // what a user corrected stays
				c.Erase = append(c.Erase, s.Row(row).ID)
			}
		}
		return c, nil
	})
	if err != nil {
		return nil, fmt.Errorf("forget derived memories: %w", err)
	}
	return o.derived(ctx)
}

// evolve consolidates the event buffer now.
func (e *Engine) evolve(ctx context.Context, o *opened, q *EvolveRequest) (*EvolveResult, error) {
	if err := o.exists(); err != nil {
		return nil, err
	}
	if err := o.compatible(); err != nil {
		return nil, err
	}
	waiting := bufferedEvents(o.Snapshot())
	stop, err := stopped(o.strategy.Evolve(ctx, o.Handle, o.run, true))
	if err != nil {
		return nil, err
	}
	res := &EvolveResult{Relations: map[string]int{}, Stopped: stop}
	s := o.Snapshot()
	for _, id := range waiting {
		row, ok := s.Find(id)
		if !ok {
			continue
		}
		if s.Row(row).Buffered {
			res.Buffered++
			continue
		}
		res.Relations[string(s.MemoryAt(row).Event.Relation)]++
	}
	res.Outcome = o.outcome()
	return res, nil
}

func bufferedEvents(s *bank.Snapshot) []string {
	var ids []string
	s.ByKind(mem.KindEvent, func(row int) {
		if r := s.Row(row); r.Buffered {
			ids = append(ids, r.ID)
		}
	})
	slices.Sort(ids)
	return ids
}

// expire purges what has expired by now, with everything derived from it.
func (e *Engine) expire(ctx context.Context, o *opened, q *ExpireRequest) (*ExpireResult, error) {
	if err := o.exists(); err != nil {
		return nil, err
	}
	res := &ExpireResult{}
	err := o.Commit(ctx, func(s *bank.Snapshot) (*bank.Change, error) {
		c := &bank.Change{}
		at := o.run.Now.Unix()
		var turns []string
		gone := map[string]bool{}
		for _, kind := range mem.Kinds {
			s.ByKind(kind, func(row int) {
				r := s.Row(row)
				if r.Expires == 0 || r.Expires > at {
					return
				}
				gone[r.ID] = true
				if kind == mem.KindTurn {
					turns = append(turns, r.ID)
				}
			})
		}
		for _, row := range s.DerivedFrom(turns) {
			gone[s.Row(row).ID] = true
		}
		c.Erase = slices.Sorted(maps.Keys(gone))
		res.Purged = len(c.Erase)
		if res.Purged == 0 {
			return nil, nil
		}
		return c, nil
	})
	if err != nil {
		return nil, fmt.Errorf("purge: %w", err)
	}
	res.Outcome = o.outcome()
	return res, nil
}

// drop deletes a whole bank.
func (e *Engine) drop(ctx context.Context, o *opened, q *Call) (*Outcome, error) {
	if err := o.exists(); err != nil {
		return nil, err
	}
	if err := o.Drop(ctx); err != nil {
		return nil, err
	}
	out := o.outcome()
	out.Version = ""
	return &out, nil
}

// stats describes a bank.
func (e *Engine) stats(ctx context.Context, o *opened, q *Call) (*StatsResult, error) {
	if err := o.exists(); err != nil {
		return nil, err
	}
	s := o.Snapshot()
	res := &StatsResult{Counts: countKinds(s), Totals: s.Totals(), Embedder: s.Embedder().Name, Dims: s.Embedder().Dims}
	res.Blocks, res.Bytes = s.Blocks()
	res.Counts["sessions"] = len(s.Sessions())
	res.Counts["pending"] = pending(s)
	res.Counts["buffered"] = len(bufferedEvents(s))
	s.ByKind(mem.KindTurn, func(row int) {
		d := s.Row(row).Day
		if d == "" {
			return
		}
		if res.First == "" || d < res.First {
			res.First = d
		}
		if d > res.Last {
			res.Last = d
		}
	})
	if res.Totals == nil {
		res.Totals = map[string]mem.Usage{}
	}
	res.Outcome = o.outcome()
	return res, nil
}

// banks lists the banks that the host lets the caller see.
func (e *Engine) banks(ctx context.Context, port effect.Port, request []byte) (any, error) {
	var q BanksRequest
	if err := decodeCall(request, &q, &q.Call); err != nil {
		return nil, err
	}
	if q.Limit < 0 || q.Limit > 10000 {
		return nil, effect.Errorf(effect.InvalidArgument, "limit %d is outside 0 to 10000", q.Limit)
	}
	names, more, err := effect.Client{Port: port}.Banks(ctx, q.After, q.Limit)
	if err != nil {
		return nil, err
	}
	if names == nil {
		names = []string{}
	}
	return &BanksResult{
		Outcome: Outcome{Paths: map[string]mem.Path{}, Usage: map[string]mem.Usage{}}, Banks: names, More: more,
	}, nil
}

// version names what runs.
func (e *Engine) version(ctx context.Context, port effect.Port, request []byte) (any, error) {
	if len(request) > 0 {
		var q struct{ Call }
		if err := decodeCall(request, &q, &q.Call); err != nil {
			return nil, err
		}
	}
	out := &VersionResult{Version: Version, ABI: ABI, Format: bank.Format, Embedder: builtIn.Name, Verbs: Verbs}
	for _, s := range e.strategies {
		out.Strategies = append(out.Strategies, s.Name())
	}
	return out, nil
}

// countKinds counts the live rows of each kind.
func countKinds(s *bank.Snapshot) map[string]int {
	out := map[string]int{}
	for _, kind := range mem.Kinds {
		out[string(kind)], _ = s.Count(kind)
	}
	return out
}

// difference gives how many more of each derived kind there are.
func difference(after, before map[string]int) map[string]int {
	out := map[string]int{}
	for _, kind := range mem.Kinds {
		if k := string(kind); kind != mem.KindTurn {
			out[k] = after[k] - before[k]
		}
	}
	return out
}

// pending counts the turns that are not yet turned into memory.
func pending(s *bank.Snapshot) int {
	n := 0
	for _, st := range s.Owing() {
		n += st.Next - st.Derived
	}
	return n
}
