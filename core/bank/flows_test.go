package bank

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

// Two flows in one instance: while one waits for the store, the other opens the
// same bank in the same cache and commits. Each sees its own pinned state and
// both changes stand.
func TestFlowsInterleave(t *testing.T) {
	for _, op := range []effect.Op{effect.OpGet, effect.OpCommit} {
		st, c := newTestStore(), testCache()
		commit(t, open(t, c, st, "b"), &Change{Turns: []mem.Turn{testTurn("s", 0, "A", "first")}})
		n := 0
		st.before = func(r effect.Request) {
			if r.Op != op || n >= 3 {
				return
			}
			n++
			keep := st.before
			st.before = nil
			other := open(t, c, st, "b")
			before := other.Snapshot().Rows()
			commit(t, other, &Change{Turns: []mem.Turn{testTurn("other", n, "B", "between")}})
			if other.Snapshot().Rows() != before+1 {
				t.Errorf("the other flow sees %d rows after %d", other.Snapshot().Rows(), before)
			}
			st.before = keep
		}
		h := open(t, c, st, "b")
		asked := 0
		err := h.Commit(context.Background(), func(s *Snapshot) (*Change, error) {
			asked++
			turns := len(s.SessionTurns("s"))
			return &Change{Turns: []mem.Turn{testTurn("s", turns, "A", "mine")}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if op == effect.OpCommit && asked != 4 {
			t.Errorf("%d conflicts were rebased, not 3", asked-1)
		}
		st.before = nil
		sameDump(t, string(op), dump(h.Snapshot()), dump(open(t, testCache(), st, "b").Snapshot()))
		if s := h.Snapshot(); len(s.SessionTurns("s")) != 2 || len(s.SessionTurns("other")) != n {
			t.Errorf("%s: %d and %d turns", op, len(s.SessionTurns("s")), len(s.SessionTurns("other")))
		}
	}
}

// TestTheTailOfALongSessionIsFoundAlone takes care that adding to a session of
// any length costs what is added.
func TestTheTailOfALongSessionIsFoundAlone(t *testing.T) {
	const length = 3000
	st, c := newTestStore(), testCache()
	h := open(t, c, st, "b")
	for seq := 0; seq < length; seq += 300 { // several blocks
		change := &Change{}
		for i := range 300 {
			change.Turns = append(change.Turns, testTurn("s", seq+i, "A", fmt.Sprint("turn ", seq+i)))
		}
		commit(t, h, change)
	}
	s := h.Snapshot()
	for _, from := range []int{0, 1, 299, 300, 1234, length - 1, length} {
		tail := s.SessionTail("s", from)
		if len(tail) != length-from || len(tail) > 0 && s.Row(tail[0]).Seq != from {
			t.Errorf("from %d: %d turns", from, len(tail))
		}
	}
	if n := testing.AllocsPerRun(10, func() { s.SessionTail("s", length-2) }); n > 2 {
		t.Errorf("two turns of %d take %.0f allocations", length, n)
	}
}

func TestCommitGivesUpAfterManyConflicts(t *testing.T) {
	st := newTestStore()
	c := testCache()
	h := open(t, c, st, "b")
	n := 0
	st.before = func(r effect.Request) {
		if r.Op == effect.OpCommit {
			keep := st.before
			st.before = nil
			n++
			commit(t, open(t, testCache(), st, "b"), &Change{Turns: []mem.Turn{testTurn("other", n, "B", "x")}})
			st.before = keep
		}
	}
	err := h.Commit(context.Background(), func(*Snapshot) (*Change, error) {
		return &Change{Turns: []mem.Turn{testTurn("s", 0, "A", "mine")}}, nil
	})
	var e *effect.Error
	if !errors.As(err, &e) || e.Code != effect.Conflict || !e.Retryable || n != commitAttempts {
		t.Fatalf("%v after %d", err, n)
	}
	st.before = nil
	if s := open(t, c, st, "b").Snapshot(); len(s.SessionTurns("s")) != 0 || len(s.SessionTurns("other")) != n {
		t.Error("the refused commit left something, or lost something")
	}
}

// A pinned snapshot goes on being readable when its blocks are gone and its
// bank has left the cache.
func TestPinnedSnapshotStaysWhole(t *testing.T) {
	st, c := newTestStore(), NewCache(1, WithEmbedder(testEmbedder, embedTest))
	h := open(t, c, st, "b")
	for i := range 20 {
		commit(t, h, &Change{Turns: []mem.Turn{testTurn("s", i, "A", fmt.Sprint("word", i))}})
	}
	pinned := h.Snapshot()
	want := dump(pinned)
	other := open(t, testCache(), st, "b")
	var ids []string
	pinned.ByKind(mem.KindTurn, func(row int) { ids = append(ids, pinned.Row(row).ID) })
	commit(t, other, &Change{Erase: ids})
	open(t, c, st, "another")
	commit(t, open(t, c, st, "third"), &Change{Turns: []mem.Turn{testTurn("s", 0, "A", "x")}})
	sameDump(t, "pinned", want, dump(pinned))
	if got := c.Holds(); len(got) != 1 || got[0] != "third" {
		t.Errorf("the cache holds %v", got)
	}
}

// A reader that is between the manifest and the blocks when they are erased
// reads the manifest again.
func TestReaderMeetsErase(t *testing.T) {
	st := newTestStore()
	h := open(t, testCache(), st, "b")
	first := testTurn("s", 0, "A", "first")
	commit(t, h, &Change{Turns: []mem.Turn{first}})
	gets := 0
	st.before = func(r effect.Request) {
		if gets++; gets == 2 {
			st.before = nil
			commit(t, h, &Change{Turns: []mem.Turn{testTurn("s", 1, "A", "second")}, Erase: []string{first.ID}})
		}
	}
	s := open(t, testCache(), st, "b").Snapshot()
	if n, _ := s.Count(mem.KindTurn); n != 1 || s.Frequency("second") != 1 {
		t.Errorf("%d turns", n)
	}
	// A store that never gives the block is an error, not a loop.
	st.before = nil
	for k := range st.banks["b"] {
		if k != "m" {
			delete(st.banks["b"], k)
		}
	}
	_, err := testCache().Open(context.Background(), st.client("b"))
	if !effect.HasCode(err, effect.StoreCorrupt) || strings.Contains(err.Error(), "open bank") { // who opens says so
		t.Error(err)
	}
}

// A bank is dropped and made again with other content under the same block
// numbers while a reader is between manifest and blocks.
func TestBankRebornWhileRead(t *testing.T) {
	st := newTestStore()
	h := open(t, testCache(), st, "b")
	commit(t, h, &Change{Turns: []mem.Turn{testTurn("s", 0, "A", "old secret")}})
	gets := 0
	st.before = func(r effect.Request) {
		if gets++; gets == 2 {
			st.before = nil
			if err := h.Drop(context.Background()); err != nil {
				t.Fatal(err)
			}
			commit(t, h, &Change{Turns: []mem.Turn{testTurn("s", 0, "A", "new secret")}})
		}
	}
	s := open(t, testCache(), st, "b").Snapshot()
	if s.Frequency("old") != 0 || s.Frequency("new") != 1 {
		t.Error("old content in a bank reborn")
	}
	if s.Version() != h.Snapshot().Version() {
		t.Error("not the current version")
	}
}

// A store that fails a commit leaves the bank as it was, and the same change
// again succeeds; also when the store failed after it had written.
func TestFailedCommit(t *testing.T) {
	for _, after := range []bool{false, true} {
		st := newTestStore()
		h := open(t, testCache(), st, "b")
		commit(t, h, &Change{Turns: []mem.Turn{testTurn("s", 0, "A", "first")}})
		want := dump(open(t, testCache(), st, "b").Snapshot())
		st.fail = func(r effect.Request) *effect.Error {
			if r.Op != effect.OpCommit {
				return nil
			}
			if after {
				st.do(r)
			}
			return effect.Retryf(effect.StoreFailed, "no luck")
		}
		second := testTurn("s", 1, "A", "second")
		change := func(s *Snapshot) (*Change, error) {
			if _, known := s.Find(second.ID); known {
				return nil, nil
			}
			return &Change{Turns: []mem.Turn{second}}, nil
		}
		if err := h.Commit(context.Background(), change); !effect.HasCode(err, effect.StoreFailed) {
			t.Fatal(err)
		}
		sameDump(t, "pinned", want, dump(h.Snapshot()))
		if !after {
			sameDump(t, "stored", want, dump(open(t, testCache(), st, "b").Snapshot()))
		}
		st.fail = nil
		if err := h.Commit(context.Background(), change); err != nil {
			t.Fatal(err)
		}
		if n, _ := open(t, testCache(), st, "b").Snapshot().Count(mem.KindTurn); n != 2 {
			t.Errorf("%d turns, want 2", n)
		}
	}
}

// Every prefix of the history of a bank is a whole bank: a kill between any two
// commits, or in one, leaves what the last finished commit wrote.
func TestEveryVersionIsWhole(t *testing.T) {
	st, m := newTestStore(), newModel(11)
	h := open(t, testCache(), st, "b")
	commit(t, h, seedChange())
	for range 60 {
		commit(t, h, m.step())
		fresh := open(t, testCache(), st, "b").Snapshot()
		m.check(t, fresh)
		if fresh.Version() != h.Snapshot().Version() {
			t.Fatal("another version")
		}
		if n, _ := fresh.Blocks(); n+1+len(fresh.man.Retired) != len(st.banks["b"]) {
			t.Fatalf("%d blocks, %d retired, %d keys", n, len(fresh.man.Retired), len(st.banks["b"]))
		}
	}
}

func TestIncrementalLoadReadsOnlyWhatIsNew(t *testing.T) {
	st, _ := benchBank(t, 2000, 100)
	reader := testCache()
	h := open(t, benchCache(), st, "b")
	open(t, reader, st, "b")
	for i := range 3 {
		commit(t, h, &Change{Turns: benchTurns(50_000+i, 1)})
	}
	st.gets = 0
	s := open(t, reader, st, "b").Snapshot()
	if st.gets > 6 {
		t.Errorf("%d keys were read", st.gets)
	}
	sameDump(t, "incremental", dump(h.Snapshot()), dump(s))
	st.gets = 0
	open(t, reader, st, "b")
	if st.gets != 1 {
		t.Errorf("an unchanged bank cost %d reads", st.gets)
	}
}

// A store that went back to an earlier state (a restored backup, a failover)
// and on from there: what was superseded in the lost future is not.
func TestLostFuture(t *testing.T) {
	st := newTestStore()
	writer, reader := open(t, benchCache(), st, "b"), benchCache()
	commit(t, writer, &Change{Turns: benchTurns(0, 400), Memories: []mem.Memory{testEvent(0, "colour", "red", "x")}})
	values, version := maps.Clone(st.banks["b"]), st.vers["b"]
	commit(t, writer, &Change{Memories: []mem.Memory{testEvent(0, "colour", "blue", "x")}})
	open(t, reader, st, "b")
	st.banks["b"], st.vers["b"] = values, version
	other := open(t, benchCache(), st, "b")
	commit(t, other, &Change{Turns: []mem.Turn{testTurn("s", 0, "A", "went on")}})
	s := open(t, reader, st, "b").Snapshot()
	sameDump(t, "after a failover", dump(other.Snapshot()), dump(s))
	if s.Frequency("red") != 1 || s.Frequency("blue") != 0 {
		t.Error("the lost future shows")
	}
}
