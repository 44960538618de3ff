package bank

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/mem"
)

func TestEraseReachesOlderWordingsAndWhatQuotesThem(t *testing.T) {
	st := newTestStore()
	h := open(t, testCache(), st, "b")
	a, b := testTurn("s", 0, "Ana", "the xylophone broke"), testTurn("s", 1, "Bo", "the yacht sank")
	commit(t, h, &Change{Embedder: &testEmbedder, Turns: []mem.Turn{a, b}})
	event := testEvent(0, "instrument", "xylophone broken", a.ID, b.ID)
	commit(t, h, &Change{Memories: []mem.Memory{event}})
	commit(t, h, &Change{Replies: []PaidReply{{Hash: "1", Text: "xylophone, said the model"}}})
	commit(t, h, &Change{Used: []string{"1"}})
	// The event lives on with another source: its first wording quoted a.
	event.Sources, event.Event = []string{b.ID}, &mem.Event{Topic: "boat", State: "sunk"}
	commit(t, h, &Change{Memories: []mem.Memory{event}, Erase: []string{a.ID}, Mark: []string{a.ID}})
	for _, s := range []string{"xylophon", a.ID} {
		if st.holds("b", s) {
			t.Errorf("%q is still stored", s)
		}
	}
	s := open(t, testCache(), st, "b").Snapshot()
	row, ok := s.Find(event.ID)
	if !ok || s.MemoryAt(row).Event.State != "sunk" || !s.Marked(a.ID) || s.Marked(b.ID) {
		t.Error("what should stay is gone")
	}
	if _, ok := s.Find(b.ID); !ok {
		t.Error("the other turn is gone")
	}
}

// Retired blocks hold the text that was merged away.
func TestEraseReachesRetiredBlocks(t *testing.T) {
	st := newTestStore()
	h := open(t, testCache(), st, "b")
	var ids []string
	for i := range fanIn {
		turn := testTurn("s", i, "A", fmt.Sprint("zebra", i))
		ids = append(ids, turn.ID)
		commit(t, h, &Change{Turns: []mem.Turn{turn}})
	}
	if len(h.Snapshot().man.Retired) == 0 {
		t.Fatal("nothing was merged")
	}
	commit(t, h, &Change{Erase: ids[:1]})
	if st.holds("b", "zebra0") || !st.holds("b", "zebra1") {
		t.Error("retired blocks still hold the text, or too much is gone")
	}
	commit(t, h, &Change{Erase: ids})
	if st.holds("b", "zebra") || h.Snapshot().Rows() != 0 {
		t.Error("something is left")
	}
}

// A long turn goes with all its passages, and its caller's id, speaker and
// session name go when nobody else has them.
func TestEraseTakesNamesAndPassages(t *testing.T) {
	st := newTestStore()
	h := open(t, testCache(), st, "b")
	long := testTurn("whisper-session", 0, "Wilhelmina", strings.Repeat("A narwhal swims past the quay. ", 80))
	long.Source, long.Labels = "caller-id-77", map[string]string{"user": "label-user"}
	long.Parts = []mem.Part{{Type: mem.PartToolResult, Name: "sonar", Data: strings.Repeat("echo returns. ", 200)}}
	commit(t, h, &Change{Embedder: &testEmbedder, Turns: []mem.Turn{long, testTurn("s", 1, "Bo", "stays")}})
	row, _ := h.Snapshot().Find(long.ID)
	units := h.Snapshot().Units(row)
	if len(units) < 5 {
		t.Fatalf("%d passages", len(units))
	}
	words := 0
	h.Snapshot().Postings("narwhal", func(row, n int) { words += n })
	if words != 80 {
		t.Errorf("the word is found %d times", words)
	}
	for _, u := range units {
		if got := h.Snapshot().TurnAt(u); got.ID != long.ID || got.Text != long.Text {
			t.Error("a passage gives another turn")
		}
		if !strings.Contains(TurnText(long), h.Snapshot().PassageAt(u)) || h.Snapshot().PassageAt(u) == "" {
			t.Error("a passage is not verbatim")
		}
	}
	commit(t, h, &Change{Erase: []string{long.ID}})
	for _, s := range []string{"narwhal", "whisper-session", "Wilhelmina", "caller-id-77", "label-user", "sonar", "echo"} {
		if st.holds("b", s) {
			t.Errorf("%q is still stored", s)
		}
	}
	if n, length := h.Snapshot().Count(mem.KindTurn); n != 1 || length != 1 {
		t.Errorf("%d turns of %d words", n, length)
	}
}

func TestMarksKeepTurnsAwayUntilLifted(t *testing.T) {
	st := newTestStore()
	h := open(t, testCache(), st, "b")
	var ids []string
	for i := range 6 {
		turn := testTurn(fmt.Sprint("session", i/2), i, "A", fmt.Sprint("text", i))
		ids = append(ids, turn.ID)
		commit(t, h, &Change{Turns: []mem.Turn{turn}})
	}
	commit(t, h, &Change{Erase: ids, Mark: ids})
	if st.holds("b", "session") || st.holds("b", ids[0]) {
		t.Error("marks tell whose they are")
	}
	left := func(want ...bool) {
		t.Helper()
		for i, w := range want {
			if h.Snapshot().Marked(ids[i]) != w {
				t.Errorf("mark %d is %v", i, !w)
			}
		}
	}
	left(true, true, true, true, true, true)
	ch := &Change{UnmarkSession: []string{"session1"}, Unmark: []string{ids[0], ids[2]}}
	if n := h.Snapshot().CountMarks(ch); n != 3 {
		t.Errorf("%d marks", n)
	}
	commit(t, h, ch)
	left(false, true, false, false, true, true)
	commit(t, h, &Change{UnmarkAll: true})
	left(false, false, false, false, false, false)
}
