package core_test

import (
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
)

// TestWarmSearchesEqualColdOnes holds an engine that remembers earlier versions
// of a bank to one that has just started.
func TestWarmSearchesEqualColdOnes(t *testing.T) {
	w := newWorld(t)
	w.set.Embedder = flat(8)
	same := func(step string) {
		t.Helper()
		for _, q := range []string{"Where does Ana live?", "What squeaks?", "Who has a dog?"} {
			cold := *w
			cold.engine = newEngine()
			if got, want := w.search("b", q), cold.search("b", q); got.Text != want.Text || !equalItems(got.Items, want.Items) {
				t.Errorf("after %s, %q:\nwarm %+v\ncold %+v", step, q, got.Items, want.Items)
			}
		}
	}
	w.add("b", unclear("s1", "2026-01-02T10:00:00Z", 4))
	same("an add")
	w.add("b", said("s2", "2026-01-03T10:00:00Z", "Ana: I moved to Lisbon last week.", "Ben: And the dog?", "Ana: Rex came along."))
	same("another")
	w.options.Embedder = "host"
	call[core.ReindexResult](w, "reindex", core.ReindexRequest{Call: w.head("b")})
	same("a new embedder")

	// Another turn takes the place of one in the middle of a session.
	stored := call[core.ExportResult](w, "export", core.ExportRequest{Call: w.head("b")})
	w.remove("b", false, mem.Filter{IDs: []string{"s2:2"}})
	for _, l := range stored.Lines {
		if l.Turn != nil && l.Turn.Source == "s2:2" {
			l.Turn.ID, l.Turn.Source, l.Turn.Text = "tother", "s2:x", "Is there room for the dog and for the squeaking cabinet?"
			call[core.ImportResult](w, "import", core.ImportRequest{Call: w.head("b"), Lines: []core.ExportLine{l}})
		}
	}
	same("an import")
	w.remove("b", false, mem.Filter{Sessions: []string{"s1"}})
	same("a delete")
}

func equalItems(a, b []mem.Item) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].ID != b[i].ID || a[i].Score != b[i].Score || a[i].Text != b[i].Text {
			return false
		}
	}
	return true
}
