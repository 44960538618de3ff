package host

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/flow"
	"github.com/leanmem/leanmem/hostfuncs"
)

// patience is how long Close lets calls finish.
const patience = 10 * time.Second

// Host runs calls. It is safe for concurrent use.
type Host struct {
	config Config
	pool   *pool
	// replays says that instances can be lost, so that calls keep a log.
	replays bool
	close   func(context.Context) error // of the runtime

	work   sync.WaitGroup  // calls under way, and cancellations behind their backs
	ending context.Context // done when calls are to be cut short
	end    context.CancelFunc

	mu     sync.Mutex
	closed bool
	calls  int
	banks  map[string]int // calls by bank

	turns *turns // to commit
}

// Open starts a host and its first instance.
func Open(ctx context.Context, c Config) (*Host, error) {
	return openWith(ctx, c, func() flow.Call { return nativeCall(c.CacheBytes) })
}

// openWith is Open with another maker of native engines.
func openWith(ctx context.Context, c Config, engine func() flow.Call) (*Host, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	h := &Host{config: c, banks: map[string]int{}, turns: newTurns(), close: func(context.Context) error { return nil }}
	open := func(context.Context) (instance, error) { return newNative(engine()), nil }
	recycle := int64(0)
	if c.Engine == Wasm {
		m, err := openMachine(ctx, c)
		if err != nil {
			return nil, err
		}
		open, recycle, h.close, h.replays = m.instance, c.RecycleBytes, m.close, true
	}
	return h.start(ctx, newPool(c.Instances, c.Flows, recycle, open))
}

// start makes the pool's first instance, so that a plugin that does not run is
// refused by Open and not by the first call.
func (h *Host) start(ctx context.Context, p *pool) (*Host, error) {
	h.pool = p
	h.ending, h.end = context.WithCancel(context.Background())
	err := p.step(ctx, p.slots[0], "", func(instance) error { return nil })
	if err != nil {
		h.close(ctx)
		return nil, coded("open host", err)
	}
	return h, nil
}

// Call performs a verb: a request as JSON in, a result as JSON out. The fields
// now and options may be left out; options that are given stand over the
// host's, field by field. Errors are *effect.Error.
func (h *Host) Call(ctx context.Context, verb string, request []byte) (json.RawMessage, error) {
	c, err := h.prepare(verb, request)
	if err != nil {
		return nil, err
	}
	return h.serve(ctx, c)
}

// serve admits a call and runs it; Shutdown may cut it short.
func (h *Host) serve(ctx context.Context, c *call) (json.RawMessage, error) {
	if err := hostfuncs.ContextError(ctx, c.verb); err != nil {
		return nil, err
	}
	if err := h.admit(c.bank); err != nil {
		return nil, err
	}
	defer h.dismiss(c.bank)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.ending, cancel)()
	return h.run(ctx, c)
}

// admit refuses a call rather than let it wait without bound.
func (h *Host) admit(bank string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return effect.Errorf(effect.Unavailable, "the host is closed")
	case h.calls >= h.config.Calls:
		return effect.Retryf(effect.Busy, "%d calls are under way, the limit of this host", h.calls)
	case h.banks[bank] >= h.config.BankCalls:
		return effect.Retryf(effect.Busy, "%d calls are under way for this bank, the limit of one bank", h.banks[bank])
	}
	h.calls++
	h.banks[bank]++
	h.work.Add(1)
	return nil
}

func (h *Host) dismiss(bank string) {
	h.mu.Lock()
	h.calls--
	if h.banks[bank]--; h.banks[bank] == 0 {
		delete(h.banks, bank)
	}
	h.mu.Unlock()
	h.work.Done()
}

// Shutdown refuses new calls, waits for those under way, and when ctx is done
// first, cancels them. It then frees the instances.
func (h *Host) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	again := h.closed
	h.closed = true
	h.mu.Unlock()
	if again {
		return nil
	}
	idle := make(chan struct{})
	go func() {
		h.work.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-ctx.Done():
		h.end()
		<-idle
	}
	h.end()
	ctx = context.WithoutCancel(ctx)
	return errors.Join(h.pool.close(ctx), h.close(ctx))
}

// Close is Shutdown with ten seconds of patience.
func (h *Host) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return h.Shutdown(ctx)
}
