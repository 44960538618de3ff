package hostfuncs

import (
	"context"
	"sync"

	"github.com/leanmem/leanmem/core/effect"
)

// Port gives the core the set for native use, under narrower options.
//
// The store and progress requests of one Do are performed in order, one after
// another; each model request runs beside them.
func Port(s Set, o Options) effect.Port { return port{s.With(o)} }

type port struct{ set Set }

// Do implements effect.Port. It fails as a whole only when the context was done
// before the work began or when a request could not be performed for that.
func (p port) Do(ctx context.Context, requests []effect.Request) ([]effect.Reply, error) {
	if err := ContextError(ctx, "perform effects"); err != nil {
		return nil, err
	}
	replies := make([]effect.Reply, len(requests))
	var wg sync.WaitGroup
	var inOrder []int
	for i, r := range requests {
		switch r.Op {
		case effect.OpComplete, effect.OpEmbed, effect.OpTag:
			if len(requests) == 1 {
				inOrder = append(inOrder, i)
				continue
			}
			wg.Go(func() { replies[i] = p.set.Dispatch(ctx, r) })
		default:
			inOrder = append(inOrder, i)
		}
	}
	for _, i := range inOrder {
		replies[i] = p.set.Dispatch(ctx, requests[i])
	}
	wg.Wait()
	// Replies that came in time are handed over even though the context is
	// done: they may have been paid for.
	if err := ContextError(ctx, "perform effects"); err != nil {
		for _, r := range replies {
			if r.Err != nil && (r.Err.Code == effect.Canceled || r.Err.Code == effect.Deadline) {
				return nil, err
			}
		}
	}
	return replies, nil
}
