package host

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

const (
	// ownLosses is how many instances a call may take down itself, and
	// attempts how often it is run at all when it loses instances to others.
	ownLosses = 2
	attempts  = 16
)

// call is one verb under way.
type call struct {
	verb    string
	bank    string
	request json.RawMessage
	port    *orderly
	log     *log // nil when no instance can be lost
	losses  int  // instances lost in its own steps
}

// run performs a call, again from its log when its instance was lost.
func (h *Host) run(ctx context.Context, c *call) (json.RawMessage, error) {
	defer c.port.release()
	var err error
	for range attempts {
		var out json.RawMessage
		out, err = h.attempt(ctx, c)
		if !errors.Is(err, errLost) {
			return out, h.explain(ctx, c, err)
		}
		if c.losses >= ownLosses {
			break
		}
		c.log.rewind()
	}
	return nil, effect.Retryf(effect.Internal, "%s: the instance stopped and the call was given up: %s", c.verb, cause(err))
}

// explain gives an error its code; what a context caused gets the context's.
func (h *Host) explain(ctx context.Context, c *call, err error) error {
	if err == nil {
		return nil
	}
	e := coded(c.verb, err)
	if e.Code == effect.Canceled || e.Code == effect.Deadline {
		if own := hostfuncs.ContextError(ctx, c.verb); own != nil {
			return own
		}
	}
	return e
}

// attempt runs a call on one worker. The worker is held during steps alone;
// effects are performed between them.
func (h *Host) attempt(ctx context.Context, c *call) (json.RawMessage, error) {
	w, err := h.pool.join(ctx, c.bank)
	if err != nil {
		return nil, err
	}
	var e effect.Envelope // the latest answer; its flow is alive unless it is done
	defer func() { h.part(ctx, w, c.bank, e) }()

	// No now is sent: this host cancels whatever it gives up, so its flows
	// need not expire, and a slow model must not make them.
	step := func(do func(instance) (effect.Envelope, error)) error {
		return h.pool.step(ctx, w, c.bank, func(i instance) (err error) {
			if e, err = do(i); errors.Is(err, errLost) {
				c.losses++
			}
			return err
		})
	}
	err = step(func(i instance) (effect.Envelope, error) {
		return i.Begin(ctx, effect.Envelope{ABI: core.ABI, Verb: c.verb, Request: c.request})
	})
	for err == nil && e.Done == nil {
		var replies []effect.Reply
		if replies, err = c.perform(ctx, e.Want); err != nil {
			break
		}
		err = step(func(i instance) (effect.Envelope, error) {
			return i.Resume(ctx, effect.Envelope{Flow: e.Flow, Replies: replies})
		})
	}
	if c.log.astray() && !errors.Is(err, errLost) && ctx.Err() == nil {
		return nil, c.written()
	}
	return e.Done, err
}

// written is the error of a call that wrote, lost its instance, and cannot be
// run again as if it had not.
func (c *call) written() error {
	return effect.Retryf(effect.Internal, "%s: the instance stopped after the call had written; what it wrote stands, and the call may be repeated", c.verb)
}

// part leaves the worker. A flow that is still alive is cancelled first, behind
// the caller's back: the worker may be computing for another call.
func (h *Host) part(ctx context.Context, w *worker, bank string, e effect.Envelope) {
	ctx = context.WithoutCancel(ctx)
	if e.Flow == "" || e.Done != nil {
		h.pool.part(ctx, w)
		return
	}
	h.work.Go(func() {
		defer h.pool.part(ctx, w)
		h.pool.step(ctx, w, bank, func(i instance) error {
			_, err := i.Cancel(ctx, effect.Envelope{Flow: e.Flow})
			return err
		})
	})
}

// perform gives the replies that an earlier attempt received, and asks the
// world for the others.
func (c *call) perform(ctx context.Context, want []effect.Request) ([]effect.Reply, error) {
	if c.log == nil {
		return c.port.Do(ctx, want)
	}
	replies := make([]effect.Reply, len(want))
	keys := make([]key, len(want))
	var open []int
	var ask []effect.Request
	for i, r := range want {
		keys[i] = keyOf(r)
		if known, ok := c.log.replay(r.Op, keys[i]); ok {
			replies[i] = known
			continue
		}
		if r.Op == effect.OpCommit && c.log.astray() {
			return nil, c.written()
		}
		open = append(open, i)
		ask = append(ask, r)
	}
	if len(ask) == 0 {
		return replies, nil
	}
	fresh, err := c.port.Do(ctx, ask)
	if err != nil {
		return nil, err
	}
	for n, i := range open {
		replies[i] = fresh[n]
		c.log.record(ask[n].Op, keys[i], fresh[n])
	}
	return replies, nil
}

// coded gives an error of the host's own its code.
func coded(doing string, err error) *effect.Error {
	var e *effect.Error
	if errors.As(err, &e) {
		return effect.AsError(err)
	}
	return effect.Retryf(effect.Internal, "%s: %s", doing, cause(err))
}
