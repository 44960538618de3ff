package leanmem

import (
	"context"
	"fmt"
	"slices"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/write"
)

// waveTurns is how many turns are settled in one commit.
const waveTurns = 400

// Derive turns every span that is due into memories. Spans are settled in
// order, a wave to a commit, with the new states of their sessions. Where a
// model is asked, each reply is committed before it is used (asker). When the
// model fails or a limit is reached, what is decided is settled and the rest
// stays owed.
func (s Strategy) Derive(ctx context.Context, h *bank.Handle, run *mem.Run) error {
	d := deriver{strategy: s, h: h, run: run, asker: newAsker(h, run), spans: dueSpans(h.Snapshot(), run.Options)}
	for _, sp := range d.spans {
		d.total += sp.turns()
	}
	if len(d.spans) == 0 {
		return nil
	}
	unclear := d.byRules()
	var stopped error
	switch {
	case run.Options.LLM && run.Options.IsFused() && !run.Options.IsOff(mem.OffScheduling):
		stopped = d.fused(ctx, unclear)
	case run.Options.LLM:
		stopped = d.oneByOne(ctx, unclear)
	}
	if stopped == nil {
		stopped = d.settle(ctx, d.decided())
	}
	if stopped != nil {
		return fmt.Errorf("derive: %d of %d due turns are memory, the rest stays owed: %w", d.done, d.total, stopped)
	}
	return nil
}

// deriver is the state of one Derive.
type deriver struct {
	strategy    Strategy
	h           *bank.Handle
	run         *mem.Run
	asker       *asker
	spans       []*span // not settled yet, in order
	done, total int     // turns
}

// byRules routes every segment by rule and returns those that a model should
// decide.
func (d *deriver) byRules() []open {
	ledger, o := d.run.Ledger, d.run.Options
	ledger.Took("filter", mem.Rules)
	ledger.Took("segment", mem.Rules)
	var unclear []open
	for _, sp := range d.spans {
		for i, seg := range sp.segments {
			decision := write.Schedule(seg)
			if o.IsOff(mem.OffScheduling) {
				decision = write.Unified(seg)
			}
			// The paper's protocol asks about every segment that says anything.
			clear := decision.Clear && (o.IsFused() || len(seg.Anchors) == 0)
			if !o.LLM || clear {
				ledger.Took("schedule", mem.Rules)
				sp.routes[i] = decision.Routes
				continue
			}
			unclear = append(unclear, open{span: sp, index: i, rules: decision.Routes})
		}
	}
	return unclear
}

// oneByOne asks about segments one by one, a wave of spans at a time.
func (d *deriver) oneByOne(ctx context.Context, unclear []open) error {
	for len(unclear) > 0 {
		n, turns := 0, 0
		for n < len(unclear) && (turns < waveTurns || unclear[n].span == unclear[n-1].span) {
			turns += len(unclear[n].segment().Turns)
			n++
		}
		ask := d.asker.unfused
		if d.run.Options.IsOff(mem.OffScheduling) {
			ask = d.asker.summarise
		}
		stopped := ask(ctx, unclear[:n])
		if err := d.settle(ctx, d.decided()); err != nil {
			return err
		}
		if stopped != nil {
			return stopped
		}
		unclear = unclear[n:]
	}
	return nil
}

// decided lists the spans that are decided.
func (d *deriver) decided() []*span {
	var out []*span
	for _, sp := range d.spans {
		if sp.decided() {
			out = append(out, sp)
		}
	}
	return out
}

// settle commits spans, wave by wave.
func (d *deriver) settle(ctx context.Context, spans []*span) error {
	for len(spans) > 0 {
		k, turns := 0, 0
		for k < len(spans) && turns < waveTurns {
			turns += spans[k].turns()
			k++
		}
		if err := d.commit(ctx, spans[:k]); err != nil {
			return fmt.Errorf("store derived memories: %w", err)
		}
		spans, d.done = spans[k:], d.done+turns
		d.spans = slices.DeleteFunc(slices.Clone(d.spans), func(sp *span) bool { return sp.settled })
		if len(d.spans) > 0 {
			if err := d.h.Client().Progress(ctx, "derive", d.done, d.total); err != nil {
				return err
			}
		}
	}
	return nil
}

// commit materialises spans and writes their memories.
func (d *deriver) commit(ctx context.Context, spans []*span) error {
	fingerprint := d.strategy.Fingerprint(d.run.Options)
	var memories []mem.Memory
	for _, sp := range spans {
		for i, seg := range sp.segments {
			routes := make([]mem.Route, len(sp.routes[i]))
			for j, r := range sp.routes[i] {
				routes[j] = write.Complete(seg, r)
				d.run.Ledger.Took("materialise", r.Path)
			}
			memories = append(memories, write.Materialise(seg, routes, fingerprint)...)
		}
	}
	if err := tag(ctx, d.h, d.run, memories); err != nil {
		return err
	}
	vectors, embedder, err := embed(ctx, d.h, d.run.Options, memories)
	if err != nil {
		return err
	}
	for _, sp := range spans {
		sp.settled = true
	}
	return d.h.Commit(ctx, func(now *bank.Snapshot) (*bank.Change, error) {
		c := &bank.Change{Vectors: vectors, Embedder: embedder, Used: d.asker.consumed(now)}
		open := map[string]bool{}
		for _, sp := range spans {
			state, ok := now.Session(sp.session)
			if !ok || state.Derived != sp.from {
				continue // another writer settled or deleted it
			}
			open[sp.session] = true
			state.Derived = sp.to
			c.Sessions = append(c.Sessions, state)
		}
		for _, m := range memories {
			if open[m.Session] && present(now, m.Sources) && !corrected(now, m.ID) {
				c.Memories = append(c.Memories, m)
			}
		}
		if len(c.Sessions) == 0 && len(c.Used) == 0 {
			return nil, nil
		}
		return c, nil
	})
}

// corrected reports whether a user changed the memory of that id: deriving it
// anew would undo the correction.
func corrected(s *bank.Snapshot, id string) bool {
	row, ok := s.Find(id)
	return ok && len(s.MemoryAt(row).Revisions) > 0
}

// present reports whether no source was deleted meanwhile.
func present(s *bank.Snapshot, ids []string) bool {
	for _, id := range ids {
		if _, ok := s.Find(id); !ok {
			return false
		}
	}
	return true
}
