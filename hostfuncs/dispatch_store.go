package hostfuncs

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core/effect"
)

// grace is how long a provider whose deadline has passed may take to return.
const grace = 50 * time.Millisecond

func afterGrace() <-chan time.Time { return time.After(grace) }

// store performs a store request in the caller's goroutine: a store heeds its
// context, and a commit must not go on behind the back of its caller.
func (s Set) store(ctx context.Context, r effect.Request) (reply effect.Reply) {
	inner, cancel := s.deadline(ctx, r.Op)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			reply = effect.Reply{Err: panicked(r.Op, p, effect.StoreFailed)}
		}
	}()
	var err error
	switch r.Op {
	case effect.OpGet:
		reply.Values, reply.Current, err = s.Store.Get(inner, r.Bank, r.Keys)
	case effect.OpScan:
		var p Page
		p, err = s.Store.Scan(inner, r.Bank, r.Prefix, r.After, r.Limit)
		reply.Entries, reply.More, reply.Current = p.Entries, p.More, p.Version
	case effect.OpCommit:
		var ok bool
		ok, reply.Current, err = s.Store.Commit(inner, r.Bank, r.Expected, r.Version, r.Writes)
		reply.Conflict = !ok
	case effect.OpBanks:
		reply.Banks, reply.More, err = s.listBanks(inner, r.AfterBank, r.Limit)
	}
	if err != nil {
		return effect.Reply{Err: coded(contextual(ctx, inner, r.Op, err), effect.StoreFailed)}
	}
	return reply
}

// listBanks lists the banks that the caller may touch and no others.
func (s Set) listBanks(ctx context.Context, after string, limit int) (names []string, more bool, err error) {
	if limit, err = CheckBanks(after, limit); err != nil {
		return nil, false, err
	}
	if s.Banks != nil {
		return s.boundBanks(ctx, after, limit)
	}
	for {
		page, next, err := s.Store.Banks(ctx, after, MaxPage)
		if err != nil {
			return nil, false, err
		}
		for _, name := range page {
			if !s.allows(name) || !utf8.ValidString(name) {
				continue
			}
			if len(names) == limit {
				return names, true, nil
			}
			names = append(names, name)
		}
		if !next || len(page) == 0 {
			return names, false, nil
		}
		after = page[len(page)-1]
	}
}

// boundBanks asks for each bound bank alone, so that a caller with three banks
// does not page through everybody's.
func (s Set) boundBanks(ctx context.Context, after string, limit int) (names []string, more bool, err error) {
	bound := slices.Compact(slices.Sorted(slices.Values(s.Banks)))
	for _, name := range bound {
		if name <= after || CheckBank(name) != nil || !s.allows(name) {
			continue
		}
		_, version, err := s.Store.Get(ctx, name, nil)
		if err != nil {
			return nil, false, err
		}
		if version == "" {
			continue
		}
		if len(names) == limit {
			return names, true, nil
		}
		names = append(names, name)
	}
	return names, false, nil
}
