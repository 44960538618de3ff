package leanmem_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/strategy/leanmem"
)

func TestATaggerNamesWhatARecordHolds(t *testing.T) {
	for _, failing := range []bool{false, true} {
		w := newWorld()
		if !failing {
			w.tags = func(string) []effect.Entity { return []effect.Entity{{Text: "lantern room"}} }
		}
		h := w.open(t)
		add(t, h, dialogue("s", "2023-05-10", unclear...), true)
		l := derive(t, h, mem.Options{Tagger: true})
		m := memories(h)
		if len(m) != 1 || m[0].Record == nil {
			t.Fatalf("memories %s", brief(h))
		}
		if slices.Contains(m[0].Record.Keywords, "lantern room") == failing || len(m[0].Record.Keywords) < 4 {
			t.Errorf("failing %v: keywords %q", failing, m[0].Record.Keywords)
		}
		if strings.Contains(strings.Join(l.Reports, ""), "tagger failed") != failing {
			t.Errorf("failing %v: reports %q", failing, l.Reports)
		}
	}
}

func TestVectorsComeFromTheHostsEmbedder(t *testing.T) {
	w := newWorld()
	w.dims = 8
	h := w.open(t)
	turns := dialogue("s", "2023-05-10", "Ana: I love jazz", "Ana: I moved to Oslo yesterday")
	err := h.Commit(context.Background(), func(*bank.Snapshot) (*bank.Change, error) {
		return &bank.Change{Turns: turns, Sessions: []bank.SessionState{{Name: "s", Next: 2, Closed: true}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	o := mem.Options{Embedder: "host"}
	derive(t, h, o)
	evolveNow(t, h, o)
	for _, m := range memories(h) {
		row, _ := h.Snapshot().Find(m.ID)
		if v := h.Snapshot().Vector(row); len(v) != 8 {
			t.Errorf("%s %q has a vector of %d dimensions, want 8", m.Kind, m.Text(), len(v))
		}
	}
	if e := h.Snapshot().Embedder(); e.Name != "host:test" || e.Dims != 8 {
		t.Errorf("embedder %+v", e)
	}
	w.dims = 0
	add := dialogue("b", "2023-05-11", "Ana: I play the violin")
	err = h.Commit(context.Background(), func(*bank.Snapshot) (*bank.Change, error) {
		return &bank.Change{Turns: add, Sessions: []bank.SessionState{{Name: "b", Next: 1, Closed: true}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := leanmem.New().Derive(context.Background(), h, run(o)); !effect.HasCode(err, effect.Unavailable) {
		t.Errorf("without the embedder: %v", err)
	}
	if s := stateOf(t, h, "b"); s.Derived != 0 {
		t.Error("the session counts as derived although nothing was stored")
	}
}
