package core_test

// Cases of how a verb is asked and what its result says was done.

import (
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/read"
)

func TestCaseASwitchThatThereIsNot(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon in March."))
	q := core.SearchRequest{Call: w.head("b"), Query: mem.Query{Text: "Where does Ana live?"}}
	for _, name := range append(append([]string{}, mem.Stages...), read.Terms...) {
		q.Options.Off = []string{name}
		call[core.SearchResult](w, "search", q)
	}
	q.Options.Off = []string{mem.OffPlanning, "planing"}
	_, err := try[core.SearchResult](w, "search", q)
	wantCode(t, err, effect.InvalidArgument)
	mentions(t, err.Error(), `"planing"`, "segmentation", "timelines")
}

func TestCaseSettlingIsCounted(t *testing.T) {
	w := newWorld(t)
	open := said("s", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon in March.", "Bo: How is it there?", "Ana: I love the trams.")
	open.Close = false
	if r := w.add("b", open); r.Settled != 0 || r.Pending != 3 {
		t.Errorf("an open session: %+v", r)
	}
	flush := core.FlushRequest{Call: w.head("b")}
	r := call[core.AddResult](w, "flush", flush)
	if r.Settled != 3 || r.Pending != 0 || r.Derived["profile"] == 0 {
		t.Errorf("flush: %+v", r)
	}
	if again := call[core.AddResult](w, "flush", flush); again.Settled != 0 {
		t.Errorf("flush again: %+v", again)
	}
	anew := call[core.AddResult](w, "reprocess", core.ReprocessRequest{Call: w.head("b")})
	if anew.Settled != 3 || anew.Derived["profile"] != r.Derived["profile"] {
		t.Errorf("reprocess: %+v, flush made %+v", anew, r.Derived)
	}
	if r := w.add("b", said("t", "2026-01-03T10:00:00Z", "Ana: I bought a bicycle yesterday.")); r.Settled != 1 {
		t.Errorf("a closed session: %+v", r)
	}
	for _, verb := range []string{"flush", "reprocess"} {
		_, err := try[core.AddResult](w, verb, core.FlushRequest{Call: w.head("b"), Sessions: []string{"s", "none"}})
		wantCode(t, err, effect.NotFound)
	}
}
