package host

import (
	"context"
	"errors"
	"hash/fnv"
	"sync"
)

// pool keeps a number of slots, each with a worker, and gives every call one
// that is likely to hold the call's bank in its cache.
type pool struct {
	open    func(ctx context.Context) (instance, error)
	recycle int64 // bytes past which a worker is replaced; 0: never
	flows   int   // that one worker may have
	places  *gate // one for each flow of all slots

	mu    sync.Mutex
	slots []*worker
}

// worker is a slot's instance with its queue. A worker that was replaced lives
// on until its last flow is over.
type worker struct {
	slot int
	turn *gate // one place: whoever is in computes

	// Guarded by the pool's lock.
	flows    int // under way, computing or waiting for effects
	pressure int // computing or waiting for the turn
	retired  bool

	// Guarded by the turn.
	instance instance // nil until it is first needed
	dead     bool
}

func newPool(slots, flows int, recycle int64, open func(context.Context) (instance, error)) *pool {
	p := &pool{open: open, recycle: recycle, flows: flows, places: newGate(slots * flows)}
	for i := range slots {
		p.slots = append(p.slots, newWorker(i))
	}
	return p
}

func newWorker(slot int) *worker { return &worker{slot: slot, turn: newGate(1)} }

// join waits for a place and gives a worker, which the caller must part from.
func (p *pool) join(ctx context.Context, bank string) (*worker, error) {
	if err := p.places.enter(ctx, bank); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.choose(bank)
	w.flows++
	return w, nil
}

// choose prefers the bank's own slot, and the ones after it in a fixed order
// when that one is under more pressure than the idlest by more than a call: a
// busy bank spreads over the same few slots each time. There are as many places
// as flows, so one slot has room.
func (p *pool) choose(bank string) *worker {
	least := -1
	for _, w := range p.slots {
		if w.flows < p.flows && (least < 0 || w.pressure < least) {
			least = w.pressure
		}
	}
	h := fnv.New32a()
	h.Write([]byte(bank))
	first := int(h.Sum32() % uint32(len(p.slots)))
	for i := range p.slots {
		w := p.slots[(first+i)%len(p.slots)]
		if w.flows < p.flows && w.pressure <= least+1 {
			return w
		}
	}
	return p.slots[first]
}

// part gives the place back. The last one to leave a replaced worker closes it.
func (p *pool) part(ctx context.Context, w *worker) {
	p.mu.Lock()
	w.flows--
	last := w.retired && w.flows == 0
	p.mu.Unlock()
	if last {
		w.close(ctx)
	}
	p.places.leave()
}

// step waits for the worker's turn and computes. When the wait fails, compute
// was not run. Errors that wrap errLost end the worker.
func (p *pool) step(ctx context.Context, w *worker, bank string, compute func(instance) error) error {
	p.press(w, 1)
	defer p.press(w, -1)
	if err := w.turn.enter(ctx, bank); err != nil {
		return err
	}
	defer w.turn.leave()
	if w.dead {
		return errLost
	}
	if w.instance == nil {
		i, err := p.open(ctx)
		if err != nil {
			return err
		}
		w.instance = i
	}
	err := compute(w.instance)
	switch {
	case errors.Is(err, errLost):
		w.dead = true
		w.instance.Close(context.WithoutCancel(ctx))
		p.replace(w)
	case p.recycle > 0 && w.instance.Size() > p.recycle:
		p.replace(w)
	}
	return err
}

func (p *pool) press(w *worker, by int) {
	p.mu.Lock()
	w.pressure += by
	p.mu.Unlock()
}

// replace puts a fresh worker into the slot; flows of the old one go on there.
func (p *pool) replace(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.slots[w.slot] == w {
		p.slots[w.slot] = newWorker(w.slot)
		w.retired = true
	}
}

// close ends every worker; no call may be under way.
func (p *pool) close(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, w := range p.slots {
		errs = append(errs, w.close(ctx))
	}
	return errors.Join(errs...)
}

func (w *worker) close(ctx context.Context) error {
	if w.instance == nil || w.dead {
		return nil
	}
	w.dead = true
	return w.instance.Close(ctx)
}
