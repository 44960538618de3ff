package bank

import (
	"context"

	"github.com/leanmem/leanmem/core/effect"
)

// commitAttempts bounds how often a commit is rebased. Of several hosts that
// write to one bank without pause, each loses often.
const commitAttempts = 32

// Handle is a bank opened by one flow. Nothing is locked: other flows and other
// hosts may commit meanwhile.
type Handle struct {
	cache  *Cache
	client effect.Client
	snap   *Snapshot
}

// Client is the port bound to this bank.
func (h *Handle) Client() effect.Client { return h.client }

// Snapshot is the pinned snapshot: the one opened, or that of the last Commit.
func (h *Handle) Snapshot() *Snapshot { return h.snap }

// Commit asks for a change against the pinned snapshot and writes it. On a
// conflict it loads what came in between and asks again, a bounded number of
// times (then effect.Conflict); change must therefore decide from the snapshot
// that it is given, and ask no model. A nil Change means that nothing is left
// to do. When Commit returns nil the change is durable and pinned.
//
// After an error of the store it is not known whether the change was made; the
// next Commit finds out, because it conflicts and asks again.
func (h *Handle) Commit(ctx context.Context, change func(*Snapshot) (*Change, error)) error {
	for range commitAttempts {
		ch, err := change(h.snap)
		if err != nil || ch == nil {
			return err
		}
		writes, next, err := h.cache.plan(h.snap, ch)
		if err != nil || next == nil {
			return err
		}
		ok, _, err := h.client.Commit(ctx, h.snap.version, next.version, writes)
		if err != nil {
			return err
		}
		if ok {
			h.snap = next
			h.cache.put(next)
			return nil
		}
		if err := h.Refresh(ctx); err != nil {
			return err
		}
	}
	return effect.Retryf(effect.Conflict, "commit to bank %q: other writers won %d times", h.client.Bank, commitAttempts)
}

// Refresh pins the current version.
func (h *Handle) Refresh(ctx context.Context) error {
	s, err := h.cache.load(ctx, h.client, h.snap)
	if err != nil {
		return err
	}
	h.snap = s
	return nil
}

// Drop deletes the whole bank, whatever it holds by now.
func (h *Handle) Drop(ctx context.Context) error {
	for range commitAttempts {
		_, version, err := h.client.Get(ctx)
		if err != nil {
			return err
		}
		ok := version == ""
		if !ok {
			if ok, _, err = h.client.Commit(ctx, version, "", nil); err != nil {
				return err
			}
		}
		if ok {
			h.cache.forget(h.client.Bank)
			h.snap = emptySnapshot(h.client.Bank)
			return nil
		}
	}
	return effect.Retryf(effect.Conflict, "drop bank %q: other writers won %d times", h.client.Bank, commitAttempts)
}
