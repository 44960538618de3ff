package leanmem_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/strategy/leanmem"
)

func erase(h *bank.Handle, id string) error {
	return h.Commit(context.Background(), func(*bank.Snapshot) (*bank.Change, error) {
		return &bank.Change{Erase: []string{id}}, nil
	})
}

// states shows the timelines of the bank's events.
func states(h *bank.Handle) string {
	var events []mem.Memory
	for _, m := range memories(h) {
		if m.Kind == mem.KindEvent {
			events = append(events, m)
		}
	}
	var out []string
	for _, s := range mem.TimelineStates(events) {
		x := fmt.Sprintf("%s %s..%s", s.Memory.Event.State, s.From, s.Until)
		if s.Current {
			x += " current"
		}
		if s.Repeats != "" {
			x += " repeats"
		}
		out = append(out, x)
	}
	return strings.Join(out, "; ")
}

func evolveNow(t testing.TB, h *bank.Handle, o mem.Options) *mem.Ledger {
	t.Helper()
	r := run(o)
	if err := leanmem.New().Evolve(context.Background(), h, r, true); err != nil {
		t.Fatal(err)
	}
	return r.Ledger
}

func TestAFactThatReturnsHasThreeStates(t *testing.T) {
	w := newWorld()
	h := w.open(t)
	add(t, h, dialogue("a", "2023-01-10", "Bo: Ana is on Red"), true)
	add(t, h, dialogue("b", "2023-02-10", "Bo: Ana is now on Blue"), true)
	add(t, h, dialogue("c", "2023-05-10", "Bo: Ana is on Red again in June"), true)
	derive(t, h, mem.Options{})
	evolveNow(t, h, mem.Options{})
	want := "on Red 2023-01-10..2023-02-10; now on Blue 2023-02-10..2023-06-01; on Red again in June 2023-06-01.. current"
	if got := states(h); got != want {
		t.Errorf("states\n%s\nwant\n%s", got, want)
	}
	middle := dialogue("b", "2023-02-10", "Bo: Ana is now on Blue")[0].ID
	id := ""
	for _, m := range memories(h) {
		if m.Sources[0] == middle {
			id = m.ID
		}
	}
	if err := erase(h, id); err != nil {
		t.Fatal(err)
	}
	if got, want := states(h), "on Red 2023-01-10..2023-06-01; on Red again in June 2023-06-01.. current"; got != want {
		t.Errorf("after the middle state is deleted\n%s\nwant\n%s", got, want)
	}
}

func TestEvolutionWaitsForItsBuffer(t *testing.T) {
	w := newWorld()
	h := w.open(t)
	add(t, h, dialogue("a", "2023-01-10", "Ana: I moved to Oslo yesterday"), true)
	derive(t, h, mem.Options{})
	for _, o := range []mem.Options{{}, {Off: []string{mem.OffEvolution}, BufferCapacity: 1}} {
		if err := leanmem.New().Evolve(context.Background(), h, run(o), false); err != nil {
			t.Fatal(err)
		}
		if m := memories(h); !m[0].Event.Buffered {
			t.Errorf("%+v evolved a buffer of one", o)
		}
	}
	if err := leanmem.New().Evolve(context.Background(), h, run(mem.Options{BufferCapacity: 1}), false); err != nil {
		t.Fatal(err)
	}
	if m := memories(h); m[0].Event.Buffered || m[0].Event.Relation != mem.Opens {
		t.Errorf("a full buffer was not evolved: %+v", m[0].Event)
	}
}

func TestAnAddDuringASlowEvolveCallIsKept(t *testing.T) {
	w := newWorld()
	h := w.open(t)
	add(t, h, dialogue("a", "2023-01-10", "Ana: I moved to Oslo with two suitcases yesterday"), true)
	add(t, h, dialogue("b", "2023-03-10", "Ana: I moved to Rome with two suitcases yesterday"), true)
	derive(t, h, mem.Options{})
	before := len(memories(h))
	w.model = func(p effect.Prompt) effect.Completion {
		other := w.open(t)
		add(t, other, dialogue("c", "2023-04-10", "Ana: I bought a red bicycle on Monday"), true)
		derive(t, other, mem.Options{})
		return effect.Completion{Text: `{"updates":[{"seg":1,"y":"revise","target":1}]}`}
	}
	evolveNow(t, h, mem.Options{LLM: true})
	if len(w.asked) != 1 {
		t.Fatalf("%d prompts, want 1", len(w.asked))
	}
	if got := len(memories(h)); got != before+1 {
		t.Errorf("%d memories, want %d and the added one:\n%s", got, before, texts(h))
	}
	if got := states(h); !strings.Contains(got, "Oslo with two suitcases yesterday 2023-01-09..2023-03-09") {
		t.Errorf("states: %s", got)
	}
}

func TestATargetThatWasNeverOfferedIsRefused(t *testing.T) {
	w := newWorld()
	h := w.open(t)
	add(t, h, dialogue("a", "2023-01-10", "Ana: I moved to Oslo with two suitcases yesterday"), true)
	add(t, h, dialogue("b", "2023-03-10", "Ana: I moved to Rome with two suitcases yesterday"), true)
	derive(t, h, mem.Options{})
	w.model = says(`{"updates":[{"seg":1,"y":"revise","target":"42"}]}`)
	l := evolveNow(t, h, mem.Options{LLM: true})
	if len(w.asked) != 2 || l.Usage["evolve"].Fallbacks != 1 {
		t.Errorf("%d prompts, usage %+v; want one repair request and rules", len(w.asked), l.Usage["evolve"])
	}
	if len(l.Reports) == 0 || !strings.Contains(l.Reports[0], "target 42 was never offered") {
		t.Errorf("reports: %q", l.Reports)
	}
	for _, m := range memories(h) {
		if m.Event != nil && m.Event.Target == "42" {
			t.Errorf("stored %+v", m.Event)
		}
	}
}

func TestAnEventThatAnotherRunEvolvedIsLeftAlone(t *testing.T) {
	w := newWorld()
	h := w.open(t)
	add(t, h, dialogue("a", "2023-01-10", "Ana: I moved to Oslo with two suitcases yesterday"), true)
	add(t, h, dialogue("b", "2023-03-10", "Ana: I moved to Rome with two suitcases yesterday"), true)
	derive(t, h, mem.Options{})
	w.model = func(p effect.Prompt) effect.Completion {
		w.model = says(`{"updates":[{"seg":1,"y":"revise","target":1}]}`)
		evolveNow(t, w.open(t), mem.Options{LLM: true, Model: "other"})
		return effect.Completion{Text: `{"updates":[{"seg":1,"y":"extend","target":1}]}`}
	}
	evolveNow(t, h, mem.Options{LLM: true})
	if got := states(h); !strings.Contains(got, "..2023-03-09;") {
		t.Errorf("the later run's decision won: %s", got)
	}
}
