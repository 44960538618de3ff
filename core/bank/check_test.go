package bank

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

func TestCheckFindsWhatIsWrong(t *testing.T) {
	block := string(blockKey(1))
	for _, c := range []struct {
		name  string
		spoil func(st *testStore)
		want  string // "": sound
	}{
		{"nothing", func(*testStore) {}, ""},
		{"a lost manifest", func(st *testStore) { delete(st.banks["b"], "m") }, "no manifest"},
		{"a damaged manifest", func(st *testStore) { st.banks["b"]["m"][20] ^= 1 }, "checksum"},
		{"a version of another bank", func(st *testStore) { st.vers["b"] = "other" }, "version"},
		{"a lost block", func(st *testStore) { delete(st.banks["b"], block) }, "block 1 is missing"},
		{"a damaged block", func(st *testStore) { st.banks["b"][block][200] ^= 1 }, "checksum"},
		{"an older block", func(st *testStore) { st.banks["b"][block] = st.banks["b"][string(blockKey(0))] }, "another one"},
		{"a block that nobody names", func(st *testStore) { st.banks["b"]["b/stray"] = []byte("text") }, "1 values"},
	} {
		st := newTestStore()
		h := open(t, testCache(), st, "b")
		commit(t, h, seedChange())
		for i := range 5 {
			commit(t, h, chatChange(h, fmt.Sprint("text ", i)))
		}
		c.spoil(st)
		r, err := Check(context.Background(), st.client("b"))
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got := strings.Join(r.Faults, "; "); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: faults %q, want %q", c.name, got, c.want)
		}
	}
	if _, err := Check(context.Background(), newTestStore().client("b")); !effect.HasCode(err, effect.BankNotFound) {
		t.Errorf("no bank: %v", err)
	}
}

// chatChange adds a turn to session "s".
func chatChange(h *Handle, text string) *Change {
	st, _ := h.Snapshot().Session("s")
	st.Name = "s"
	turn := testTurn("s", st.Next, "Ana", text)
	st.Next++
	return &Change{Turns: []mem.Turn{turn}, Sessions: []SessionState{st}}
}

func TestCheckStartsAgainWhenTheBankChanges(t *testing.T) {
	st := newTestStore()
	h := open(t, testCache(), st, "b")
	commit(t, h, seedChange())
	commit(t, h, chatChange(h, "first"))
	changes := 0
	st.before = func(r effect.Request) {
		if r.Op == effect.OpScan && changes == 0 {
			changes++
			commit(t, h, chatChange(h, "second"))
		}
	}
	r, err := Check(context.Background(), st.client("b"))
	if err != nil || len(r.Faults) > 0 || r.Turns != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A lost block is damage, not a race with a writer that might pass.
func TestALostBlockIsReportedAsDamage(t *testing.T) {
	st := newTestStore()
	h := open(t, testCache(), st, "b")
	commit(t, h, seedChange())
	commit(t, h, chatChange(h, "text"))
	delete(st.banks["b"], string(blockKey(1)))
	_, err := testCache().Open(context.Background(), st.client("b"))
	if !effect.HasCode(err, effect.StoreCorrupt) {
		t.Error(err)
	}
}
