package leanmem

import (
	"context"
	"fmt"
	"slices"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/evolve"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
)

// Evolve consolidates the event buffer when it has reached its capacity, or on
// demand. It takes full lots of events in the order in which they were said and
// leaves the rest, unless it was asked for: so a buffer that filled in one add
// and one that filled in many are consolidated alike. Within a lot, events are
// decided in waves: one that may follow another of the lot waits until that one
// is decided. Each wave is one commit.
func (s Strategy) Evolve(ctx context.Context, h *bank.Handle, run *mem.Run, force bool) error {
	if run.Options.IsOff(mem.OffEvolution) {
		return nil
	}
	capacity := run.Options.BufferCapacity
	if capacity <= 0 {
		capacity = evolve.Capacity
	}
	n := evolve.Count(h.Snapshot())
	if !force {
		n -= n % capacity
	}
	if n == 0 {
		return nil
	}
	waiting := evolve.Buffered(h.Snapshot())[:n]
	e := evolver{h: h, run: run, asker: newAsker(h, run), evolved: map[string]mem.Memory{}, stems: evolve.Stems{}, total: n}
	for len(waiting) > 0 {
		size := min(capacity, len(waiting))
		if err := e.consolidate(ctx, waiting[:size]); err != nil {
			return err
		}
		waiting = waiting[size:]
		if len(e.fresh) >= commitEvents && len(waiting) > 0 {
			if err := e.pause(ctx); err != nil {
				return err
			}
		}
	}
	return e.commit(ctx)
}

// commitEvents is how many events are decided by rule before they are committed
// and the host is told, so that a long run can be seen, stopped and gone on with.
const commitEvents = 256

// pause commits what is decided and tells the host.
func (e *evolver) pause(ctx context.Context) error {
	if err := e.commit(ctx); err != nil {
		return err
	}
	return e.h.Client().Progress(ctx, "evolve", len(e.evolved), e.total)
}

// evolver is the state of one Evolve.
type evolver struct {
	h       *bank.Handle
	run     *mem.Run
	asker   *asker
	evolved map[string]mem.Memory // decided in this run, as they now are
	fresh   []mem.Memory          // decided and not committed yet
	stems   evolve.Stems
	total   int // events to decide
}

// consolidate decides a lot. Rules decide its events one after another and
// leave the commit to the end of the run; a model is asked in waves.
func (e *evolver) consolidate(ctx context.Context, events []mem.Memory) error {
	lot := evolve.LotOf(events, e.stems)
	if !e.run.Options.LLM {
		for _, m := range lot.Events {
			c := lot.Case(e.h.Snapshot(), m, e.evolved)
			d, _ := evolve.ByRule(c)
			e.settle(c, d)
		}
		return nil
	}
	for waiting := lot.Events; len(waiting) > 0; {
		var wave []evolve.Case
		wave, waiting = e.ready(lot, waiting)
		stopped := e.decide(ctx, wave)
		if err := e.commit(ctx); err != nil {
			return err
		}
		if stopped != nil {
			return fmt.Errorf("evolve: %d of %d buffered events are decided, the rest stays buffered: %w", len(e.evolved), e.total, stopped)
		}
		if len(e.evolved) < e.total {
			if err := e.h.Client().Progress(ctx, "evolve", len(e.evolved), e.total); err != nil {
				return err
			}
		}
	}
	return nil
}

// ready splits off the cases that depend on no event that still waits.
func (e *evolver) ready(lot evolve.Lot, waiting []mem.Memory) (cases []evolve.Case, rest []mem.Memory) {
	undecided := map[string]bool{}
	for _, m := range waiting {
		undecided[m.ID] = true
	}
	for _, m := range waiting {
		c := lot.Case(e.h.Snapshot(), m, e.evolved)
		if slices.ContainsFunc(c.Related, func(r mem.Memory) bool { return undecided[r.ID] }) {
			rest = append(rest, m)
			continue
		}
		cases = append(cases, c)
	}
	return cases, rest
}

// decide settles the clear cases by rule and asks the model about the others.
func (e *evolver) decide(ctx context.Context, cases []evolve.Case) error {
	var unclear []evolve.Case
	for _, c := range cases {
		if d, clear := evolve.ByRule(c); clear {
			e.settle(c, d)
			continue
		}
		unclear = append(unclear, c)
	}
	for attempt := range 2 {
		if len(unclear) == 0 {
			return nil
		}
		left, err := e.ask(ctx, unclear, attempt == 1)
		if unclear = left; err != nil {
			return err
		}
	}
	for _, c := range unclear {
		d, _ := evolve.ByRule(c)
		e.settle(c, d)
	}
	e.asker.gaveUp("evolve", "events", len(unclear))
	return nil
}

// ask puts cases to the model and returns those that it did not settle.
func (e *evolver) ask(ctx context.Context, cases []evolve.Case, repair bool) (left []evolve.Case, err error) {
	batches := evolve.Batches(cases)
	questions := make([]question, len(batches))
	messages := make([]prompt.Message, len(batches))
	for i, b := range batches {
		messages[i] = evolve.Message(b)
		if repair {
			messages[i] = messages[i].Repair()
		}
		questions[i] = question{message: messages[i]}
	}
	replies, err := e.asker.ask(ctx, questions)
	for i, b := range batches {
		if !replies[i].asked {
			left = append(left, b...)
			continue
		}
		decisions, refused := evolve.Read(replies[i].text, b)
		e.asker.report("evolve", refused)
		e.asker.finish(messages[i])
		for j, c := range b {
			if d, ok := decisions[j]; ok {
				e.settle(c, d)
			} else {
				left = append(left, c)
			}
		}
	}
	return left, err
}

func (e *evolver) settle(c evolve.Case, d evolve.Decision) {
	m := evolve.Apply(c.Event, d)
	e.evolved[m.ID] = m
	e.fresh = append(e.fresh, m)
	e.run.Ledger.Took("evolve", d.Path)
}

// commit writes the places of the events decided since the last commit. Each
// is laid over the event as it stands now: one that was deleted or evolved
// meanwhile is left alone, and one whose target is gone opens a timeline.
func (e *evolver) commit(ctx context.Context) error {
	fresh := e.fresh
	e.fresh = nil
	err := e.h.Commit(ctx, func(now *bank.Snapshot) (*bank.Change, error) {
		c := &bank.Change{Used: e.asker.consumed(now), Vectors: map[string][]int8{}}
		for _, m := range fresh {
			row, ok := now.Find(m.ID)
			if !ok {
				continue
			}
			current := now.MemoryAt(row)
			if current.Event == nil || !current.Event.Buffered {
				continue
			}
			d := evolve.Decision{Relation: m.Event.Relation}
			if m.Event.Target != "" {
				target, ok := place(now, fresh, m.Event.Target)
				if !ok {
					d = evolve.Decision{Relation: mem.Opens}
				}
				d.Target = target
			}
			c.Memories = append(c.Memories, evolve.Apply(current, d))
			if v := now.Vector(row); len(v) > 0 && e.run.Options.Embedder == hostEmbedder {
				c.Vectors[m.ID] = v // topic and state are the same
			}
		}
		if len(c.Memories) == 0 && len(c.Used) == 0 {
			return nil, nil
		}
		return c, nil
	})
	if err != nil {
		return fmt.Errorf("store evolved events: %w", err)
	}
	return nil
}

// place gives an event as it will be after the commit: from what was just
// decided, else from the bank; not when the bank has lost it.
func place(now *bank.Snapshot, fresh []mem.Memory, id string) (mem.Memory, bool) {
	row, ok := now.Find(id)
	if !ok {
		return mem.Memory{}, false
	}
	if i := slices.IndexFunc(fresh, func(m mem.Memory) bool { return m.ID == id }); i >= 0 {
		return fresh[i], true
	}
	m := now.MemoryAt(row)
	return m, m.Event != nil
}
