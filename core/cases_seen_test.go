package core_test

// Faults found by somebody who had seen nothing of the engine: what a caller
// may not see, and what a user corrected.

import (
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
)

// How sure the evidence is told of turns that the filter or an expiry hides.
func TestFaultConfidenceToldOfHiddenTurns(t *testing.T) {
	w := newWorld(t)
	ana, bob := said("s1", "2026-01-02T10:00:00Z", "Ana: The launch code is 4711."), said("s2", "2026-01-02T10:00:00Z", "Bob: Good weather for a walk today.")
	ana.Labels, bob.Labels = map[string]string{"user": "ana"}, map[string]string{"user": "bob"}
	w.add("b", ana)
	w.add("b", bob)
	ask := func(f mem.Filter) core.SearchResult {
		return call[core.SearchResult](w, "search", core.SearchRequest{Call: w.head("b"), Query: mem.Query{Text: "What is the launch code?", Filter: f}})
	}
	if r := ask(mem.Filter{Labels: map[string]string{"user": "ana"}}); !r.Sufficient {
		t.Errorf("confidence %.2f for the caller who may see it", r.Confidence)
	}
	for name, f := range map[string]mem.Filter{
		"labels": {Labels: map[string]string{"user": "bob"}}, "speaker": {Speakers: []string{"Bob"}}, "about": {About: "zebra"},
	} {
		if r := ask(f); r.Sufficient || r.Confidence > 0.2 {
			t.Errorf("%s: confidence %.2f, sufficient %v, evidence %q", name, r.Confidence, r.Sufficient, r.Text)
		}
	}
}

// Deriving anew undid what a user had corrected.
func TestFaultReprocessUndidACorrection(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s1", "2026-01-02T10:00:00Z", "Ana: I live in Kreuzberg now."))
	profiles := call[core.ListResult](w, "list", core.ListRequest{Call: w.head("b"), Filter: mem.Filter{Kinds: []mem.Kind{mem.KindProfile}}})
	if len(profiles.Entries) != 1 {
		t.Fatalf("%d profiles", len(profiles.Entries))
	}
	value := "Potsdam"
	call[core.UpdateResult](w, "update", core.UpdateRequest{Call: w.head("b"), ID: profiles.Entries[0].ID, Value: &value})
	call[core.AddResult](w, "reprocess", core.ReprocessRequest{Call: w.head("b")})
	got := call[core.GetResult](w, "get", core.GetRequest{Call: w.head("b"), IDs: []string{profiles.Entries[0].ID}})
	if len(got.Entries) != 1 || got.Entries[0].Profile.Value != value || len(got.Entries[0].Revisions) != 1 {
		t.Errorf("after reprocess: %+v", got.Entries)
	}
}

// Of a megabyte without a blank nothing was shown, and it counted as an answer.
func TestFaultUnbrokenTurnShowsNothing(t *testing.T) {
	w := newWorld(t)
	long := ""
	for range 2000 {
		long += "kiwi and plum "
	}
	w.add("b", said("s1", "2026-01-02T10:00:00Z", "Ana: "+long))
	r := call[core.SearchResult](w, "search", core.SearchRequest{Call: w.head("b"), Query: mem.Query{Text: "kiwi?", Budget: 60}})
	if len(r.Items) == 0 || r.Tokens > 60 || r.Tokens < 40 {
		t.Errorf("%d items, %d tokens of 60: %q", len(r.Items), r.Tokens, r.Text)
	}
}
