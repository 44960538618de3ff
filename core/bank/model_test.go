package bank

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/mem"
)

var modelSeed = flag.Int64("seed", 0, "seed of the model test; 0: some fixed ones")

// model is what a bank must hold, as plain maps.
type model struct {
	r        *rand.Rand
	turns    map[string]mem.Turn
	memories map[string]mem.Memory
	sessions map[string]SessionState
	replies  map[string]PaidReply
	marks    map[string]string // id → session
	secrets  []string          // words of erased texts
	wordings map[string]string // id → all wordings of a memory
	n        int
}

func newModel(seed int64) *model {
	return &model{
		r: rand.New(rand.NewSource(seed)), turns: map[string]mem.Turn{}, memories: map[string]mem.Memory{},
		sessions: map[string]SessionState{"seed": {Name: "seed"}}, replies: map[string]PaidReply{}, marks: map[string]string{},
		wordings: map[string]string{},
	}
}

// pick gives a random key.
func pick[V any](r *rand.Rand, m map[string]V) string {
	keys := slices.Sorted(maps.Keys(m))
	if len(keys) == 0 {
		return ""
	}
	return keys[r.Intn(len(keys))]
}

// words makes a text of common words and one that stands nowhere else.
func (m *model) words(n int) string {
	m.n++
	out := []string{fmt.Sprintf("secret%06dx", m.n)}
	for range n {
		out = append(out, fmt.Sprintf("w%d", m.r.Intn(300)*m.r.Intn(3)), []string{"walked", "walking", "the", "中文字"}[m.r.Intn(4)])
		if m.r.Intn(8) == 0 {
			out = append(out, "so.")
		}
	}
	return strings.Join(out, " ")
}

// step makes a random change and does it to the model.
func (m *model) step() *Change {
	ch := &Change{}
	for range 1 + m.r.Intn(2) {
		switch k := m.r.Intn(20); {
		case k < 9:
			m.addTurns(ch)
		case k < 13:
			m.addMemory(ch)
		case k < 15:
			m.updateMemory(ch)
		case k < 16:
			r := PaidReply{Hash: fmt.Sprint("h", m.n), Stage: "plan", Text: m.words(3)}
			ch.Replies, m.replies[r.Hash] = append(ch.Replies, r), r
		case k < 17:
			if h := pick(m.r, m.replies); h != "" && !slices.ContainsFunc(ch.Replies, func(r PaidReply) bool { return r.Hash == h }) {
				ch.Used = append(ch.Used, h)
				delete(m.replies, h)
			}
		case k < 18:
			m.unmark(ch)
		default:
			if len(ch.Turns)+len(ch.Memories)+len(ch.Replies)+len(ch.Erase)+len(ch.Unmark)+len(ch.UnmarkSession) == 0 {
				m.erase(ch)
				return ch
			}
		}
	}
	return ch
}

func (m *model) addTurns(ch *Change) {
	session := fmt.Sprint("session", m.r.Intn(12))
	st := m.sessions[session]
	st.Name = session
	for range 1 + m.r.Intn(3)*m.r.Intn(20) {
		n := 5
		if m.r.Intn(20) == 0 {
			n = 150
		}
		t := testTurn(session, st.Next, fmt.Sprint("speaker", m.r.Intn(3)), m.words(n))
		if m.r.Intn(4) == 0 {
			t.Labels = map[string]string{"run": fmt.Sprint(m.r.Intn(3))}
		}
		if m.r.Intn(6) == 0 {
			t.Parts = []mem.Part{{Type: mem.PartImage, Caption: m.words(2)}, {Type: mem.PartToolResult, Name: "tool", Data: m.words(m.r.Intn(100))}}
		}
		st.Next++
		ch.Turns, m.turns[t.ID] = append(ch.Turns, t), t
	}
	ch.Sessions, m.sessions[session] = append(ch.Sessions, st), st
}

func (m *model) addMemory(ch *Change) {
	a, b := pick(m.r, m.turns), pick(m.r, m.turns)
	if a == "" {
		return
	}
	x := testRecord(m.words(4), a, b)
	if m.r.Intn(2) == 0 {
		x = testEvent(m.r.Intn(3), m.words(1), m.words(3), a, b)
	}
	m.put(ch, x)
}

func (m *model) put(ch *Change, x mem.Memory) {
	ch.Memories, m.memories[x.ID] = append(ch.Memories, x), x
	m.wordings[x.ID] += " " + MemoryText(x)
}

func (m *model) updateMemory(ch *Change) {
	id := pick(m.r, m.memories)
	if id == "" {
		return
	}
	x := m.memories[id]
	if x.Event != nil {
		e := *x.Event
		e.State, e.Buffered = m.words(3), !e.Buffered
		x.Event = &e
	} else {
		x.Record = &mem.Record{Gist: m.words(4)}
	}
	m.put(ch, x)
}

func (m *model) unmark(ch *Change) {
	id := pick(m.r, m.marks)
	if id == "" {
		return
	}
	if m.r.Intn(2) == 0 {
		ch.Unmark = append(ch.Unmark, id)
		delete(m.marks, id)
		return
	}
	session := m.marks[id]
	ch.UnmarkSession = append(ch.UnmarkSession, session)
	maps.DeleteFunc(m.marks, func(_, s string) bool { return s == session })
}

// erase forgets some turns with all memories that came from them.
func (m *model) erase(ch *Change) {
	for range 1 + m.r.Intn(4) {
		id := pick(m.r, m.turns)
		if id == "" {
			return
		}
		t := m.turns[id]
		m.secrets = append(m.secrets, secretsOf(TurnText(t))...)
		delete(m.turns, id)
		ch.Erase, ch.Mark = append(ch.Erase, id), append(ch.Mark, id)
		m.marks[id] = t.Session
		for _, mid := range slices.Sorted(maps.Keys(m.memories)) {
			if x := m.memories[mid]; slices.Contains(x.Sources, id) {
				m.secrets = append(m.secrets, secretsOf(m.wordings[mid])...)
				ch.Erase = append(ch.Erase, mid)
				delete(m.memories, mid)
			}
		}
	}
	clear(m.replies)
}

func secretsOf(s string) (out []string) {
	for _, w := range strings.Fields(s) {
		if strings.HasPrefix(w, "secret") {
			out = append(out, w)
		}
	}
	return out
}

// bulk writes all that the model holds into a new bank in one commit.
func (m *model) bulk(t *testing.T) *Snapshot {
	h := open(t, testCache(), newTestStore(), "b")
	commit(t, h, seedChange())
	ch := &Change{}
	for _, id := range slices.Sorted(maps.Keys(m.turns)) {
		ch.Turns = append(ch.Turns, m.turns[id])
	}
	for _, id := range slices.Sorted(maps.Keys(m.memories)) {
		ch.Memories = append(ch.Memories, m.memories[id])
	}
	ch.Sessions = slices.Collect(maps.Values(m.sessions))
	ch.Replies = slices.Collect(maps.Values(m.replies))
	ch.Mark = slices.Collect(maps.Keys(m.marks))
	commit(t, h, ch)
	return h.Snapshot()
}

func seedChange() *Change {
	return &Change{Embedder: &testEmbedder, Sessions: []SessionState{{Name: "seed"}}}
}

func (m *model) check(t *testing.T, s *Snapshot) {
	t.Helper()
	for id, want := range m.turns {
		if row, ok := s.Find(id); !ok || !reflect.DeepEqual(s.TurnAt(row), roundTrip(want)) {
			t.Fatalf("turn %s: %v", id, ok)
		}
	}
	for id, want := range m.memories {
		if row, ok := s.Find(id); !ok || !reflect.DeepEqual(s.MemoryAt(row), roundTrip(want)) {
			t.Fatalf("memory %s: %v", id, ok)
		}
	}
	n := 0
	for _, k := range mem.Kinds {
		rows, _ := s.Count(k)
		n += rows
	}
	if n != len(m.turns)+len(m.memories) {
		t.Fatalf("%d rows, want %d", n, len(m.turns)+len(m.memories))
	}
	for id := range m.marks {
		if !s.Marked(id) {
			t.Fatalf("the mark of %s is lost", id)
		}
	}
	if got := s.CountMarks(&Change{UnmarkAll: true}); got != len(m.marks) {
		t.Fatalf("%d marks, want %d", got, len(m.marks))
	}
}

func TestModel(t *testing.T) {
	seeds := []int64{1, 2, 3}
	if *modelSeed != 0 {
		seeds = []int64{*modelSeed}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) { runModel(t, seed, 250) })
	}
}

func runModel(t *testing.T, seed int64, steps int) {
	st, m := newTestStore(), newModel(seed)
	caches := []*Cache{testCache(), testCache()} // two writers
	follower := testCache()                      // reads now and then
	handles := []*Handle{open(t, caches[0], st, "b"), nil}
	commit(t, handles[0], seedChange())
	handles[1] = open(t, caches[1], st, "b")
	for i := range steps {
		h := handles[m.r.Intn(2)]
		ch := m.step()
		commit(t, h, ch)
		if len(ch.Erase) > 0 {
			for _, w := range m.secrets[max(0, len(m.secrets)-100):] {
				if st.holds("b", w) {
					t.Fatalf("step %d: %q is still stored", i, w)
				}
			}
		}
		if m.r.Intn(40) != 0 && i != steps-1 {
			continue
		}
		m.check(t, h.Snapshot())
		want := dump(m.bulk(t))
		want = want[:len(want)-1] // replies, marks, totals: by check
		cold := dump(open(t, testCache(), st, "b").Snapshot())
		sameDump(t, fmt.Sprint("step ", i, ": bulk and cold"), want, cold[:len(cold)-1])
		sameDump(t, "cold and writer", cold, dump(h.Snapshot()))
		sameDump(t, "cold and follower", cold, dump(open(t, follower, st, "b").Snapshot()))
		if err := handles[1].Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		sameDump(t, "cold and other writer", cold, dump(handles[1].Snapshot()))
	}
	blocks, _ := handles[0].Snapshot().Blocks()
	for _, w := range m.secrets {
		if st.holds("b", w) {
			t.Fatalf("%q is still stored", w)
		}
	}
	if r, err := Check(context.Background(), st.client("b")); err != nil || len(r.Faults) > 0 || r.Turns != len(m.turns) || r.Memories != len(m.memories) {
		t.Errorf("checked: %+v, %v", r, err)
	}
	if blocks > 60 {
		t.Errorf("%d blocks", blocks)
	}
	t.Logf("%d turns, %d memories, %d blocks, %d keys", len(m.turns), len(m.memories), blocks, len(st.banks["b"]))
}
