package core_test

// Faults that random operations against a plain reference found
// (host/soak), each kept as the smallest case that showed it.

import (
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
)

// The tail of an open session was deleted before it became memory: every later
// write to the bank failed with an internal fault.
func TestFaultDeletedOpenTail(t *testing.T) {
	w := newWorld(t)
	s := said("s1", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon last week.", "Ana: I love jazz.")
	both := s.Turns
	s.Turns = both[:1]
	w.add("b", s)
	s.Turns, s.Close = both[1:], false
	w.add("b", s)
	w.remove("b", false, mem.Filter{IDs: []string{"s1:2"}})
	r := w.add("b", said("s2", "2026-01-02T10:05:00Z", "Ben: I love jazz."))
	if r.Added != 1 || r.Pending != 0 {
		t.Errorf("%d added, %d pending", r.Added, r.Pending)
	}
}

// A state that had expired was shown beside the current one of its line.
func TestFaultExpiredStateBesideTheCurrentOne(t *testing.T) {
	w := newWorld(t)
	call[core.AddResult](w, "add", core.AddRequest{
		Call: w.head("b"), ExpiresAt: now.Add(-time.Hour),
		Sessions: []core.InputSession{said("s1", "2026-01-02T10:00:00Z", "Ana: I work at Zorblat as a nurse.")},
	})
	w.add("b", said("s2", "2026-02-02T10:00:00Z", "Ana: I work at Acme as a nurse."))
	mentions(t, w.search("b", "Where does Ana work as a nurse?").Text, "Acme")
	silentOn(t, w.search("b", "Where does Ana work as a nurse?").Text, "Zorblat")
}

// A filter by session let states of other sessions through.
func TestFaultFilteredStateBesideAnother(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s1", "2026-01-02T10:00:00Z", "Ana: I work at Zorblat as a nurse."))
	w.add("b", said("s2", "2026-02-02T10:00:00Z", "Ana: I work at Acme as a nurse."))
	r := call[core.SearchResult](w, "search", core.SearchRequest{Call: w.head("b"), Query: mem.Query{
		Text: "Where does Ana work as a nurse?", Filter: mem.Filter{Sessions: []string{"s2"}},
	}})
	mentions(t, r.Text, "Acme")
	silentOn(t, r.Text, "Zorblat")
}

// The name of a deleted session stayed in the store.
func TestFaultNameOfADeletedSession(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("chat with Zorblat", "2026-01-02T10:00:00Z", "Ana: I love jazz."))
	w.add("b", said("s2", "2026-02-02T10:00:00Z", "Ana: I moved to Lisbon last week."))
	w.remove("b", false, mem.Filter{Sessions: []string{"chat with Zorblat"}})
	w.storeIsSilentOn("b", "Zorblat")
	// Brought back, it goes on.
	call[core.RestoreResult](w, "restore", core.RestoreRequest{Call: w.head("b")})
	if r := w.add("b", said("chat with Zorblat", "2026-01-02T10:00:00Z", "Ana: I love jazz.")); r.Added != 1 || r.Pending != 0 {
		t.Errorf("brought back: %+v", r)
	}
	mentions(t, w.export("b"), "chat with Zorblat", "jazz")
}
