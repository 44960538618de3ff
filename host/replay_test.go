package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
)

// brittle is an instance that is lost at one step, counted over all instances
// that share the counter.
type brittle struct {
	instance
	left *int
}

func (b brittle) Begin(ctx context.Context, e effect.Envelope) (effect.Envelope, error) {
	return b.unlessLost(func() (effect.Envelope, error) { return b.instance.Begin(ctx, e) })
}

func (b brittle) Resume(ctx context.Context, e effect.Envelope) (effect.Envelope, error) {
	return b.unlessLost(func() (effect.Envelope, error) { return b.instance.Resume(ctx, e) })
}

func (b brittle) unlessLost(step func() (effect.Envelope, error)) (effect.Envelope, error) {
	if *b.left--; *b.left == 0 {
		return effect.Envelope{}, lost("step", errors.New("on purpose"))
	}
	return step()
}

// liveBrittle runs a life whose instance is lost at step n, and tells how many
// commits and steps it took.
func liveBrittle(t *testing.T, n int) (answers []string, commits int64, steps int) {
	t.Helper()
	w := newWorld()
	c := Config{Instances: 1, Now: func() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }}
	c.Set.Store = w.store
	h, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	left := n
	h.replays = true
	h.pool.slots[0].instance = nil
	h.pool.open = func(context.Context) (instance, error) { return brittle{newNative(nativeCall(0)), &left}, nil }
	for _, r := range life {
		if len(r.request) > 1<<16 {
			continue
		}
		out, err := h.Call(t.Context(), r.verb, []byte(r.request))
		answers = append(answers, fmt.Sprintf("%s: %s, %v", r.verb, out, err))
	}
	return answers, w.store.commits.Load(), n - left
}

// TestAnInstanceLostAtAnyStepIsNeverHidden loses the instance at each step of a
// life in turn: either all answers and the number of writes stay the same, or
// the call says that it wrote and could not finish. That happens where it
// erased what it would have to read again.
func TestAnInstanceLostAtAnyStepIsNeverHidden(t *testing.T) {
	want, commits, steps := liveBrittle(t, 1<<30)
	reported := 0
	for n := 1; n <= steps; n++ {
		got, wrote, _ := liveBrittle(t, n)
		first := 0
		for first < len(want) && got[first] == want[first] {
			first++
		}
		switch {
		case first == len(want) && wrote == commits:
		case first < len(want) && strings.Contains(got[first], "what it wrote stands"):
			reported++
		default:
			t.Errorf("lost at step %d of %d, %d commits:\n%.1500s\nundisturbed, %d commits:\n%.1500s",
				n, steps, wrote, got[min(first, len(want)-1)], commits, want[min(first, len(want)-1)])
		}
	}
	if reported > steps/5 {
		t.Errorf("%d of %d losses could not be made good", reported, steps)
	}
	t.Logf("of %d losses, %d could not be made good", steps, reported)
}
