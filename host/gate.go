package host

import (
	"context"
	"slices"
	"sync"

	"github.com/leanmem/leanmem/hostfuncs"
)

// gate lets a number of holders in at once and is fair between banks: those
// that wait are served one bank after another, and within a bank in order. A
// bank that asks a thousand times delays another bank by one turn.
type gate struct {
	mu      sync.Mutex
	free    int
	waiting map[string][]chan struct{} // by bank, in order
	turn    []string                   // banks that wait, the next one first
}

func newGate(places int) *gate {
	return &gate{free: places, waiting: map[string][]chan struct{}{}}
}

// enter waits for a place. Who entered must leave.
func (g *gate) enter(ctx context.Context, bank string) error {
	g.mu.Lock()
	if g.free > 0 {
		g.free--
		g.mu.Unlock()
		return nil
	}
	place := make(chan struct{})
	if len(g.waiting[bank]) == 0 {
		g.turn = append(g.turn, bank)
	}
	g.waiting[bank] = append(g.waiting[bank], place)
	g.mu.Unlock()

	select {
	case <-place:
		return nil
	case <-ctx.Done():
	}
	if !g.withdraw(bank, place) {
		g.leave() // the place was given at the same moment
	}
	return hostfuncs.ContextError(ctx, "wait for an instance")
}

// leave gives the place to the next bank that waits.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.turn) == 0 {
		g.free++
		return
	}
	bank := g.turn[0]
	g.turn = g.turn[1:]
	queue := g.waiting[bank]
	close(queue[0])
	if len(queue) == 1 {
		delete(g.waiting, bank)
		return
	}
	g.waiting[bank] = queue[1:]
	g.turn = append(g.turn, bank)
}

func (g *gate) withdraw(bank string, place chan struct{}) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	queue := g.waiting[bank]
	i := slices.Index(queue, place)
	if i < 0 {
		return false
	}
	if queue = slices.Delete(queue, i, i+1); len(queue) > 0 {
		g.waiting[bank] = queue
		return true
	}
	delete(g.waiting, bank)
	g.turn = slices.DeleteFunc(g.turn, func(b string) bool { return b == bank })
	return true
}
