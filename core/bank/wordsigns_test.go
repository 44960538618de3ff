package bank

import (
	"context"
	"fmt"
	"testing"

	"github.com/leanmem/leanmem/core/mem"
)

// The signs of words are kept through commits and merges, and made anew for
// another table.
func TestTheSignsOfWordsAreKept(t *testing.T) {
	asked := map[string]int{}
	words := func(name string) Option {
		return WithWords(name, func(w string) ([]int8, bool) {
			asked[w]++
			return []int8{1, -1, int8(len(w)) - 5}, w != "zebra"
		})
	}
	st := newTestStore()
	c := NewCache(0, WithEmbedder(testEmbedder, embedTest), words("one"))
	h, err := c.Open(context.Background(), st.client("b"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 { // enough to merge
		turn := testTurn("s", i, "Ana", fmt.Sprintf("lantern zebra word%d", i))
		if err := h.Commit(context.Background(), func(*Snapshot) (*Change, error) {
			return &Change{Turns: []mem.Turn{turn}}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	signs := func(c *Cache) map[string]uint64 {
		h, err := c.Open(context.Background(), st.client("b"))
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]uint64{}
		for _, w := range h.Snapshot().Lexicon().Words {
			out[w.Text] = w.Signs
		}
		return out
	}
	if asked["word3"] != 1 {
		t.Errorf("a word was signed %d times, once is enough", asked["word3"])
	}
	clear(asked)
	for _, warm := range []bool{true, false} {
		from := c
		if !warm {
			from = NewCache(0, words("one"))
		}
		if got := signs(from); got["lantern"] != 0b101 || got["word3"] != 0b001 || got["zebra"] != NoSigns {
			t.Errorf("warm %v: %x", warm, got)
		}
	}
	if len(asked) > 0 {
		t.Errorf("reading asked for %v", asked)
	}
	for w, s := range signs(NewCache(0, words("another"))) {
		if s != Unsigned {
			t.Errorf("%s has the signs %b of another table", w, s)
		}
	}
}
