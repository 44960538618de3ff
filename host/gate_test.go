package host

import (
	"context"
	"slices"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
)

func TestTheGateServesOneBankAfterAnother(t *testing.T) {
	g := newGate(1)
	if err := g.enter(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	order := make(chan string, 16)
	queued := func(n int) func() bool {
		return func() bool {
			g.mu.Lock()
			defer g.mu.Unlock()
			total := 0
			for _, q := range g.waiting {
				total += len(q)
			}
			return total == n
		}
	}
	for i, bank := range []string{"busy", "busy", "busy", "quiet", "busy", "other", "quiet"} {
		go func() {
			if g.enter(context.Background(), bank) == nil {
				order <- bank
				g.leave()
			}
		}()
		waitUntil(t, "the waiter is queued", queued(i+1))
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() { gone <- g.enter(ctx, "gone") }()
	waitUntil(t, "the last waiter is queued", queued(8))
	cancel()
	wantCode(t, <-gone, effect.Canceled)

	g.leave()
	var got []string
	for range 7 {
		got = append(got, <-order)
	}
	if want := []string{"busy", "quiet", "other", "busy", "quiet", "busy", "busy"}; !slices.Equal(got, want) {
		t.Errorf("served %v, want %v", got, want)
	}
	waitUntil(t, "the place is free", func() bool { g.mu.Lock(); defer g.mu.Unlock(); return g.free == 1 })
}

func TestABankKeepsItsSlotUntilThatIsBusy(t *testing.T) {
	p := newPool(4, 2, 0, nil)
	choose := func() int { p.mu.Lock(); defer p.mu.Unlock(); return p.choose("a").slot }
	home := choose()
	p.press(p.slots[home], 1)
	if got := choose(); got != home {
		t.Errorf("one call under way moves the bank to slot %d", got)
	}
	p.press(p.slots[home], 1)
	next := choose()
	if next != (home+1)%4 {
		t.Errorf("a busy slot %d gives way to slot %d", home, next)
	}
	p.press(p.slots[home], -2)
	if got := choose(); got != home {
		t.Errorf("the bank does not come home: slot %d", got)
	}
	p.slots[home].flows = 2
	if got := choose(); got == home {
		t.Error("a full slot is chosen")
	}
}
