package host

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// longestPause bounds how long a writer that lost against other hosts waits
// before it looks again.
const longestPause = 64 * time.Millisecond

// turns lets the calls of this host commit to a bank one after another, in
// order. Without them every writer of a busy bank would plan its commit anew
// each time that another one wins.
type turns struct {
	mu    sync.Mutex
	banks map[string][]chan struct{} // who waits for a bank; absent: its turn is free
}

func newTurns() *turns { return &turns{banks: map[string][]chan struct{}{}} }

func (t *turns) enter(ctx context.Context, bank string) error {
	t.mu.Lock()
	queue, held := t.banks[bank]
	if !held {
		t.banks[bank] = nil
		t.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	t.banks[bank] = append(queue, mine)
	t.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	for i, c := range t.banks[bank] {
		if c == mine {
			t.banks[bank] = append(t.banks[bank][:i:i], t.banks[bank][i+1:]...)
			t.mu.Unlock()
			return hostfuncs.ContextError(ctx, "wait to commit")
		}
	}
	t.mu.Unlock()
	t.leave(bank) // the turn was given at the same moment
	return hostfuncs.ContextError(ctx, "wait to commit")
}

func (t *turns) leave(bank string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	queue := t.banks[bank]
	if len(queue) == 0 {
		delete(t.banks, bank)
		return
	}
	t.banks[bank] = queue[1:]
	close(queue[0])
}

// orderly is the port of one call. It takes the bank's turn for a commit and
// keeps it after a conflict until the commit that follows, so that within a
// host a commit is made anew at most once. It never keeps the turn while a
// model is asked.
type orderly struct {
	effect.Port
	turns *turns
	bank  string
	holds bool
	lost  int // conflicts in a row
}

// Do implements effect.Port.
func (o *orderly) Do(ctx context.Context, requests []effect.Request) ([]effect.Reply, error) {
	commits, reads := false, true
	for _, r := range requests {
		commits = commits || r.Op == effect.OpCommit
		reads = reads && r.Op == effect.OpGet
	}
	switch {
	case commits && !o.holds:
		if err := o.turns.enter(ctx, o.bank); err != nil {
			return nil, err
		}
		o.holds = true
	case !commits && !reads:
		o.release()
	case reads && o.lost > 1: // against another host
		pause(ctx, o.lost)
	}
	replies, err := o.Port.Do(ctx, requests)
	if commits && !conflicting(replies) {
		o.lost = 0
		o.release()
	} else if commits {
		o.lost++
	}
	return replies, err
}

func conflicting(replies []effect.Reply) bool {
	for _, r := range replies {
		if r.Conflict && r.Err == nil {
			return true
		}
	}
	return false
}

// pause waits longer the more often a writer lost, and not as long as others.
func pause(ctx context.Context, lost int) {
	most := min(time.Millisecond<<min(lost, 10), longestPause)
	select {
	case <-time.After(rand.N(most)):
	case <-ctx.Done():
	}
}

// release gives the turn to the next one, if it is held.
func (o *orderly) release() {
	if o.holds {
		o.holds = false
		o.turns.leave(o.bank)
	}
}
