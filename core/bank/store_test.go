package bank

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

// testStore is a port with a store behind it, small enough to look into.
type testStore struct {
	banks  map[string]map[string][]byte
	vers   map[string]string
	before func(r effect.Request) // sees each request before it is performed
	fail   func(r effect.Request) *effect.Error
	gets   int // keys read
	writes int // bytes written
	keep   func(bank, version string, values map[string][]byte)
}

func newTestStore() *testStore {
	return &testStore{banks: map[string]map[string][]byte{}, vers: map[string]string{}}
}

func (t *testStore) Do(_ context.Context, requests []effect.Request) ([]effect.Reply, error) {
	out := make([]effect.Reply, len(requests))
	for i, r := range requests {
		if t.before != nil {
			t.before(r)
		}
		if t.fail != nil {
			if e := t.fail(r); e != nil {
				out[i].Err = e
				continue
			}
		}
		out[i] = t.do(r)
	}
	return out, nil
}

func (t *testStore) do(r effect.Request) effect.Reply {
	values := t.banks[r.Bank]
	reply := effect.Reply{Current: t.vers[r.Bank]}
	switch r.Op {
	case effect.OpGet:
		for _, k := range r.Keys {
			t.gets++
			reply.Values = append(reply.Values, bytes.Clone(values[string(k)]))
		}
	case effect.OpScan:
		for _, k := range slices.Sorted(maps.Keys(values)) {
			if k > string(r.After) {
				reply.Entries = append(reply.Entries, effect.Entry{Key: []byte(k), Value: bytes.Clone(values[k])})
			}
		}
	case effect.OpCommit:
		if r.Expected != t.vers[r.Bank] {
			reply.Conflict = true
			return reply
		}
		if r.Version == "" {
			delete(t.banks, r.Bank)
			delete(t.vers, r.Bank)
			return effect.Reply{}
		}
		values = maps.Clone(values)
		if values == nil {
			values = map[string][]byte{}
		}
		for _, w := range r.Writes {
			if w.Delete {
				if values[string(w.Key)] == nil {
					panic("deletes a key that is not there")
				}
				delete(values, string(w.Key))
				continue
			}
			t.writes += len(w.Value)
			values[string(w.Key)] = bytes.Clone(w.Value)
		}
		t.banks[r.Bank], t.vers[r.Bank] = values, r.Version
		reply.Current = r.Version
	default:
		panic("no such request: " + string(r.Op))
	}
	return reply
}

// holds reports whether some stored value of a bank contains s.
func (t *testStore) holds(bank, s string) bool {
	for _, v := range t.banks[bank] {
		if bytes.Contains(v, []byte(s)) {
			return true
		}
	}
	return false
}

func (t *testStore) client(bank string) effect.Client { return effect.Client{Port: t, Bank: bank} }

// testEmbedder makes a vector of the bytes of a text.
var testEmbedder = Embedder{Name: "test", Dims: 8}

func embedTest(s string) ([]int8, bool) {
	if s == "" {
		return nil, false
	}
	v := make([]int8, testEmbedder.Dims)
	for i := range len(s) {
		v[i%len(v)] += int8(s[i])
	}
	return v, true
}

func testCache() *Cache { return NewCache(0, WithEmbedder(testEmbedder, embedTest)) }

func open(t testing.TB, c *Cache, st *testStore, bank string) *Handle {
	t.Helper()
	h, err := c.Open(context.Background(), st.client(bank))
	if err != nil {
		t.Fatalf("open %s: %v", bank, err)
	}
	return h
}

func commit(t testing.TB, h *Handle, ch *Change) {
	t.Helper()
	if err := h.Commit(context.Background(), func(*Snapshot) (*Change, error) { return ch, nil }); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

var testTime = time.Date(2024, 3, 1, 23, 30, 0, 0, time.FixedZone("", 9*3600))

// testTurn makes a turn; its id depends on all that is given.
func testTurn(session string, seq int, speaker, text string) mem.Turn {
	at := testTime.Add(time.Duration(seq) * time.Minute)
	key := fmt.Sprint(seq)
	return mem.Turn{
		ID: mem.TurnID(session, key, speaker, at, text), Session: session, Source: "D" + key, Seq: seq,
		Speaker: speaker, Role: mem.RolePeer, Time: at, Text: text,
	}
}

func testRecord(gist string, sources ...string) mem.Memory {
	return mem.Memory{
		ID: mem.MemoryID(mem.KindRecord, sources, 0), Kind: mem.KindRecord, Record: &mem.Record{Gist: gist, Keywords: []string{"kw"}},
		Sources: sources, Session: "s", Time: testTime,
	}
}

func testEvent(ordinal int, topic, state string, sources ...string) mem.Memory {
	return mem.Memory{
		ID: mem.MemoryID(mem.KindEvent, sources, ordinal), Kind: mem.KindEvent, Sources: sources, Session: "s", Time: testTime,
		Event: &mem.Event{Subject: "Ana", Topic: topic, State: state, Anchor: mem.Anchor{From: "2024-03-01", To: "2024-03-02"}, Buffered: true},
	}
}

// dump renders all that a snapshot shows by content, without row numbers, so
// that snapshots of different layout compare.
func dump(s *Snapshot) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, k := range mem.Kinds {
		rows, length := s.Count(k)
		say("count %s %d %d", k, rows, length)
		s.ByKind(k, func(row int) {
			for _, u := range s.Units(row) {
				r := s.Row(u)
				say("row %+v %v %q", *r, s.Vector(u), s.PassageAt(u))
			}
			if k == mem.KindTurn {
				say("turn %+v", s.TurnAt(row))
			} else {
				b, _ := json.Marshal(s.MemoryAt(row))
				say("memory %s", b)
			}
			if at, ok := s.Find(s.Row(row).ID); !ok || at != row {
				say("lost %s", s.Row(row).ID)
			}
		})
	}
	for _, st := range s.Sessions() {
		say("session %+v", st)
		for _, row := range s.SessionTurns(st.Name) {
			say("in session %s", s.Row(row).ID)
			tail := slices.DeleteFunc(s.SessionTurns(st.Name), func(r int) bool { return s.Row(r).Seq < s.Row(row).Seq })
			if got := s.SessionTail(st.Name, s.Row(row).Seq); !slices.Equal(got, tail) {
				say("lost tail from %d: %v, not %v", s.Row(row).Seq, got, tail)
			}
		}
	}
	s.Vocabulary(func(w string, n int) {
		say("word %s %d %d", w, n, s.Frequency(w))
		var posts []string
		s.Postings(w, func(row, count int) { posts = append(posts, fmt.Sprint(s.Row(row).ID, s.Row(row).Passage, count)) })
		slices.Sort(posts)
		say("postings %v", posts)
		posts = posts[:0]
		s.StemPostings(w, func(row, count int) { posts = append(posts, fmt.Sprint(s.Row(row).ID, s.Row(row).Passage, count)) })
		slices.Sort(posts)
		say("stem %v", posts)
	})
	var special []string
	s.eachSpecial(specialReply, func(p *part, e int) {
		r, _ := s.Reply(p.b.key(e)[len(keyReply):])
		special = append(special, fmt.Sprintf("reply %+v", r))
	})
	s.eachSpecial(specialMark, func(p *part, e int) { special = append(special, p.b.key(e)) })
	slices.Sort(special)
	say("%q %+v %+v", special, s.Embedder(), s.Totals())
	return out
}

func sameDump(t testing.TB, what string, a, b []string) {
	t.Helper()
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			x, y := "nothing", "nothing"
			if i < len(a) {
				x = a[i]
			}
			if i < len(b) {
				y = b[i]
			}
			t.Fatalf("%s: line %d differs:\n%s\n%s", what, i, x, y)
		}
	}
}
