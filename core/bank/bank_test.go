package bank

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/mem"
)

func TestCommitIsReadBack(t *testing.T) {
	st := newTestStore()
	h := open(t, testCache(), st, "b")
	if v := h.Snapshot().Version(); v != "" {
		t.Fatalf("a new bank has version %q", v)
	}
	turn := testTurn("s1", 0, "Ana", "I moved to Lisbon, <b>really</b>.")
	turn.Labels = map[string]string{"user": "u1", "run": "7"}
	turn.Expires = testTime.Add(time.Hour)
	turn.Parts = []mem.Part{{Type: mem.PartImage, Caption: "a tram", URL: "http://x/y"}}
	event := testEvent(0, "home", "in Lisbon", turn.ID)
	event.Revisions = []mem.Revision{{Text: "in Porto", Until: testTime}}
	record := testRecord("Ana told of Lisbon", turn.ID)
	state := SessionState{Name: "s1", Next: 1, Last: testTime}
	commit(t, h, &Change{
		Embedder: &testEmbedder, Turns: []mem.Turn{turn}, Memories: []mem.Memory{event, record}, Sessions: []SessionState{state},
		Replies: []PaidReply{{Hash: "h", Stage: "plan", Text: "x"}}, Usage: map[string]mem.Usage{"plan": {Calls: 1}},
	})
	for _, s := range []*Snapshot{h.Snapshot(), open(t, testCache(), st, "b").Snapshot()} {
		row, ok := s.Find(turn.ID)
		if !ok || !reflect.DeepEqual(s.TurnAt(row), roundTrip(turn)) {
			t.Errorf("turn: %v %+v", ok, s.TurnAt(row))
		}
		if r := s.Row(row); r.Day != "2024-03-01" || r.Labels["run"] != "7" || r.Source != "D0" {
			t.Errorf("row: %+v", r)
		}
		row, ok = s.Find(event.ID)
		if !ok || !reflect.DeepEqual(s.MemoryAt(row), roundTrip(event)) {
			t.Errorf("memory: %v %+v", ok, s.MemoryAt(row))
		}
		if r := s.Row(row); !r.Buffered || r.From != "2024-03-01" || r.To != "2024-03-02" || r.Subject != "Ana" {
			t.Errorf("row: %+v", r)
		}
		for _, w := range []string{"lisbon", "tram"} {
			hit := false
			s.Postings(w, func(row, n int) { hit = hit || s.Row(row).ID == turn.ID && n == 1 })
			if !hit {
				t.Errorf("the turn is not found by %q", w)
			}
		}
		if got := s.DerivedFrom([]string{turn.ID}); len(got) != 2 {
			t.Errorf("derived: %v", got)
		}
		if got, ok := s.Session("s1"); !ok || got.Next != 1 || len(s.Sessions()) != 1 {
			t.Errorf("session: %+v", got)
		}
		if r, ok := s.Reply("h"); !ok || r.Text != "x" {
			t.Errorf("reply: %+v", r)
		}
		if s.Totals()["plan"].Calls != 1 || s.Embedder() != testEmbedder {
			t.Errorf("totals or embedder: %v %v", s.Totals(), s.Embedder())
		}
	}
}

// roundTrip gives times the location that JSON gives them.
func roundTrip[T any](v T) T {
	var walk func(reflect.Value)
	walk = func(r reflect.Value) {
		switch {
		case r.Type() == reflect.TypeFor[time.Time]():
			at := r.Interface().(time.Time)
			if b, err := at.MarshalJSON(); err == nil && !at.IsZero() {
				_ = at.UnmarshalJSON(b)
				r.Set(reflect.ValueOf(at))
			}
		case r.Kind() == reflect.Struct:
			for i := range r.NumField() {
				walk(r.Field(i))
			}
		case r.Kind() == reflect.Slice:
			for i := range r.Len() {
				walk(r.Index(i))
			}
		case r.Kind() == reflect.Pointer && !r.IsNil():
			walk(r.Elem())
		}
	}
	walk(reflect.ValueOf(&v).Elem())
	return v
}

func TestDropLeavesNothing(t *testing.T) {
	st := newTestStore()
	c := testCache()
	h := open(t, c, st, "b")
	commit(t, h, &Change{Turns: []mem.Turn{testTurn("s", 0, "A", "one secret")}})
	if err := h.Drop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(st.banks) != 0 || h.Snapshot().Rows() != 0 {
		t.Error("something is left")
	}
	other := open(t, testCache(), st, "b")
	commit(t, other, &Change{Turns: []mem.Turn{testTurn("s", 0, "A", "quokka text")}})
	if s := open(t, c, st, "b").Snapshot(); s.Frequency("secret") != 0 || s.Frequency("quokka") != 1 {
		t.Error("the old content shows in the bank reborn")
	}
}
