package bank

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leanmem/leanmem/core/mem"
)

// Two flows of one instance may each have read the same block from the store.
// What a later block superseded in it must stay dead whichever copy is kept:
// else a state comes back, and the next merge fails on a key that is there
// twice.
func TestABlockDecodedTwiceKeepsWhatIsDeadInIt(t *testing.T) {
	st := newTestStore()
	h := open(t, testCache(), st, "b")
	commit(t, h, &Change{Turns: []mem.Turn{testTurn("s", 0, "Ana", "first")}, Sessions: []SessionState{{Name: "s", Next: 1}}})
	for i := 1; i < 6; i++ { // each supersedes the state of the session before it
		turns := []mem.Turn{}
		for j := range 3 {
			turns = append(turns, testTurn(fmt.Sprintf("s%d-%d", i, j), 0, "Bo", fmt.Sprintf("turn %d of %d", j, i)))
		}
		commit(t, h, &Change{Turns: turns, Sessions: []SessionState{{Name: "s", Next: 1 + i}}})
	}
	s := h.Snapshot()
	blocks := make([]*block, len(s.parts))
	for i := range s.parts {
		blocks[i] = s.parts[i].b
	}
	again, err := decodeBlock(slices.Clone(blocks[0].raw))
	if err != nil {
		t.Fatal(err)
	}
	blocks[0] = again
	m := s.man.clone()
	m.Past = append(m.Past, s.version) // as the next commit's manifest names it
	parts := assemble(m, blocks, []*Snapshot{s})
	for i := range parts {
		if parts[i].gone != s.parts[i].gone {
			t.Errorf("block %d: %d entries are dead, were %d", i, parts[i].gone, s.parts[i].gone)
		}
	}
	if s.parts[0].gone == 0 {
		t.Fatal("nothing was dead: the test shows nothing")
	}
}
