package bank

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

func TestAnotherEmbedderIsRefused(t *testing.T) {
	h := open(t, testCache(), newTestStore(), "b")
	host := Embedder{Name: "host:m", Dims: 4}
	turn := testTurn("s", 0, "A", "hello there")
	commit(t, h, &Change{Embedder: &host, Turns: []mem.Turn{turn}, Vectors: map[string][]int8{turn.ID: {1, 2, 3, 4}}})
	row, _ := h.Snapshot().Find(turn.ID)
	if !slices.Equal(h.Snapshot().Vector(row), []int8{1, 2, 3, 4}) {
		t.Error("not the host's vector")
	}
	for _, ch := range []*Change{
		{Embedder: &testEmbedder},
		{Embedder: &Embedder{Name: "host:m", Dims: 16}},
		{Turns: []mem.Turn{turn}, Vectors: map[string][]int8{turn.ID: make([]int8, 5)}},
	} {
		err := h.Commit(context.Background(), func(*Snapshot) (*Change, error) { return ch, nil })
		if !effect.HasCode(err, effect.EmbedderMismatch) {
			t.Errorf("%v", err)
		}
	}
	err := h.Snapshot().CheckEmbedder(Embedder{Name: "other", Dims: 16})
	for _, s := range []string{"host:m", "4", "other", "16"} {
		if err == nil || !strings.Contains(err.Error(), s) {
			t.Errorf("%v does not name %s", err, s)
		}
	}
}

// vector2 is what the new embedder makes of a row.
func vector2(s *Snapshot, row int) []int8 {
	text := mem.Digest(indexed0(s, row))
	if text[0] < '2' {
		return nil // not covered
	}
	return []int8{int8(text[1]), int8(text[2]), int8(text[3])}
}

func TestReindexKeepsOldVectorsUntilComplete(t *testing.T) {
	for seed := range int64(4) {
		st, m := newTestStore(), newModel(seed+100)
		h := open(t, testCache(), st, "b")
		commit(t, h, seedChange())
		for range 30 {
			commit(t, h, m.step())
		}
		to := Embedder{Name: "second", Dims: 3}
		for round := 0; h.Snapshot().Embedder() != to; round++ {
			checkVectors(t, h.Snapshot(), testEmbedder, func(s *Snapshot, row int) []int8 {
				v, _ := embedTest(indexed0(s, row))
				return v
			})
			rows := h.Snapshot().Unindexed(to)
			vectors := map[string][]int8{}
			for _, row := range rows[:min(20, len(rows))] {
				id := h.Snapshot().Row(row).ID
				vectors[id] = vector2(h.Snapshot(), row)
			}
			commit(t, h, &Change{Reindex: &Reindex{To: to, Vectors: vectors}})
			if round < 5 { // others write meanwhile
				other := open(t, testCache(), st, "b")
				commit(t, other, m.step())
				if err := h.Refresh(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			if round > 400 {
				t.Fatal("it does not end")
			}
		}
		checkVectors(t, h.Snapshot(), to, vector2)
		checkVectors(t, open(t, testCache(), st, "b").Snapshot(), to, vector2)
		// Merging folds the vectors into their rows.
		for i := range 100 {
			commit(t, h, &Change{Sessions: []SessionState{{Name: fmt.Sprint("s", i)}}})
		}
		checkVectors(t, h.Snapshot(), to, vector2)
		m.check(t, h.Snapshot())
		if _, ok := h.Snapshot().Target(); ok {
			t.Error("the reindex is still under way")
		}
	}
}

// indexed0 is the text of a row's first passage as it was embedded.
func indexed0(s *Snapshot, row int) string {
	if s.Row(row).Kind != mem.KindTurn {
		return MemoryText(s.MemoryAt(row))
	}
	return TurnTexts(s.TurnAt(row))[0]
}

func checkVectors(t *testing.T, s *Snapshot, e Embedder, want func(*Snapshot, int) []int8) {
	t.Helper()
	if s.Embedder() != e {
		t.Fatalf("embedder %v", s.Embedder())
	}
	for _, k := range mem.Kinds {
		s.ByKind(k, func(row int) {
			if got := s.Vector(row); !slices.Equal(got, want(s, row)) {
				t.Fatalf("row %d: vector %v, want %v", row, got, want(s, row))
			}
		})
	}
}

// A vector made from a text that was replaced since does not count.
func TestReindexMeetsUpdate(t *testing.T) {
	h := open(t, testCache(), newTestStore(), "b")
	event := testEvent(0, "colour", "red", "x")
	commit(t, h, &Change{Embedder: &testEmbedder, Memories: []mem.Memory{event}, Turns: []mem.Turn{testTurn("s", 0, "A", "x")}})
	to := Embedder{Name: "second", Dims: 3}
	commit(t, h, &Change{Reindex: &Reindex{To: to, Vectors: map[string][]int8{event.ID: {1, 2, 3}}}})
	if n := len(h.Snapshot().Unindexed(to)); n != 1 {
		t.Fatalf("%d rows lack a vector, want 1", n)
	}
	event.Event = &mem.Event{Topic: "colour", State: "blue"}
	commit(t, h, &Change{Memories: []mem.Memory{event}})
	if n := len(h.Snapshot().Unindexed(to)); n != 2 {
		t.Fatalf("%d rows lack a vector, want 2", n)
	}
}
