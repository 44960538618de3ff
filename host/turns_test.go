package host

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
)

// conflicts is a port that answers commits as a test wants, and notes who asks.
type conflicts struct {
	mu     sync.Mutex
	asked  []string
	answer func(who string) effect.Reply
	who    string
}

func (c *conflicts) Do(_ context.Context, requests []effect.Request) ([]effect.Reply, error) {
	out := make([]effect.Reply, len(requests))
	for i, r := range requests {
		c.mu.Lock()
		c.asked = append(c.asked, c.who+" "+string(r.Op))
		c.mu.Unlock()
		if r.Op == effect.OpCommit {
			out[i] = c.answer(c.who)
		}
	}
	return out, nil
}

func request(t *testing.T, o *orderly, op effect.Op) {
	t.Helper()
	if _, err := o.Do(t.Context(), []effect.Request{{Op: op}}); err != nil {
		t.Error(err)
	}
}

func TestAWriterThatLostGoesBeforeOthers(t *testing.T) {
	turns := newTurns()
	lose := true
	port := func(who string) *orderly {
		return &orderly{turns: turns, bank: "b", Port: &conflicts{who: who, answer: func(string) effect.Reply { return effect.Reply{Conflict: lose} }}}
	}
	a, b := port("a"), port("b")
	request(t, a, effect.OpCommit) // lost, keeps the turn
	lose = false
	done := make(chan struct{})
	go func() {
		defer close(done)
		request(t, b, effect.OpCommit)
	}()
	waitUntil(t, "b waits", func() bool { turns.mu.Lock(); defer turns.mu.Unlock(); return len(turns.banks["b"]) == 1 })
	other := port("c")
	other.bank = "another"
	request(t, other, effect.OpCommit) // is not held up
	request(t, a, effect.OpGet)
	select {
	case <-done:
		t.Fatal("b went before a, which had lost")
	default:
	}
	request(t, a, effect.OpCommit)
	<-done
	if len(turns.banks) != 0 {
		t.Errorf("turns are left: %v", turns.banks)
	}
}

func TestTheTurnIsNotKeptWhileAModelIsAsked(t *testing.T) {
	turns := newTurns()
	o := &orderly{turns: turns, bank: "b", Port: &conflicts{answer: func(string) effect.Reply { return effect.Reply{Conflict: true} }}}
	request(t, o, effect.OpCommit)
	request(t, o, effect.OpComplete)
	if o.holds || len(turns.banks) != 0 {
		t.Error("the turn is held")
	}
	request(t, o, effect.OpCommit)
	o.release() // the call ends
	if len(turns.banks) != 0 {
		t.Error("the turn is held after the call")
	}
}

func TestWhoWaitsForATurnMayBeCancelled(t *testing.T) {
	turns := newTurns()
	if err := turns.enter(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var served []int
	for i := range 50 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%2 == 0 {
				ctx, cancel = context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond/4)
				defer cancel()
			}
			err := turns.enter(ctx, "b")
			if err == nil {
				mu.Lock()
				served = append(served, i)
				mu.Unlock()
				turns.leave("b")
			} else if e := (*effect.Error)(nil); !errors.As(err, &e) {
				t.Error(err)
			}
		})
	}
	time.Sleep(5 * time.Millisecond)
	turns.leave("b")
	wg.Wait()
	for i := 1; i < 50; i += 2 {
		if !slices.Contains(served, i) {
			t.Errorf("%d was never served", i)
		}
	}
	if len(turns.banks) != 0 {
		t.Errorf("turns are left: %v", turns.banks)
	}
}
