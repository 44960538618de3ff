package core_test

import (
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
)

// correct changes the wording of the one memory that holds some words.
func (w *world) correct(words, to string) core.Entry {
	w.t.Helper()
	e := only(w.t, w.list("b", "", mem.KindProfile, mem.KindEvent, mem.KindRecord), words)
	q := core.UpdateRequest{Call: w.head("b"), ID: e.ID}
	switch e.Kind {
	case mem.KindProfile:
		q.Value = &to
	case mem.KindEvent:
		q.State = &to
	default:
		q.Gist = &to
	}
	return call[core.UpdateResult](w, "update", q).Entry
}

// firstSaid is the first item of the evidence and its line.
func firstSaid(r core.SearchResult) (mem.Item, string) {
	for line := range strings.Lines(r.Text) {
		if strings.Contains(line, r.Items[0].Text) {
			return r.Items[0], strings.TrimSpace(line)
		}
	}
	return r.Items[0], ""
}

func TestACorrectionStandsBeforeTheWordsThatItCorrects(t *testing.T) {
	w := newWorld(t)
	w.add("b",
		said("s1", "2026-01-10T10:00:00Z", "user: I work as a teacher at Fabrikam. I live in Porto and I love jazz."),
		said("s2", "2026-03-12T10:00:00Z", "user: I moved to Lyon last month. I love chess too.", "user: I planted an apple tree in the yard on 9 March."))
	w.correct("location: Lyon", "Nice")
	w.correct("teacher", "nurse")
	w.correct("apple tree", "I planted a pear tree in the yard on 9 March.")
	for question, want := range map[string]string{
		"Where do I live?":        "- user, location: Nice (since February 2026; corrected by the user on 1 June 2026)",
		"Did I move to Lyon?":     "- user, location: Nice (since February 2026; corrected by the user on 1 June 2026)",
		"Where am I a teacher?":   "- user, occupation: nurse (since 10 January 2026; corrected by the user on 1 June 2026)",
		"Which tree did I plant?": "- user, planted apple tree yard: I planted a pear tree in the yard on 9 March. (9 March 2026; corrected by the user on 1 June 2026)",
	} {
		item, line := firstSaid(w.search("b", question))
		if line != want || item.Corrected != "2026-06-01" {
			t.Errorf("%s\n got %s, corrected %q\nwant %s", question, line, item.Corrected, want)
		}
		if a := w.answer("b", question).Answer.Text; !strings.HasPrefix(a, "user: "+item.Text) || !strings.Contains(a, "corrected by the user on 1 June 2026") {
			t.Errorf("%s is answered with %s", question, a)
		}
	}
}

func TestAGistThatWasCorrectedIsAmongTheEvidence(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s1", "2026-01-10T10:00:00Z",
		"user: Write the steps of a bread recipe for the oven down, please.",
		"assistant: Mix 500 g of flour with 350 g of water, rest the dough for twelve hours, fold it twice, then bake it for forty minutes under a lid and ten minutes without."))
	w.correct("bread recipe", "The bread recipe rests the dough for eight hours, not twelve.")
	_, line := firstSaid(w.search("b", "Describe the steps of the bread recipe in detail"))
	mentions(t, line, "rests the dough for eight hours", "corrected by the user on 1 June 2026")
}

func TestACorrectionBackToAnEarlierValueLeavesOneCurrentEntry(t *testing.T) {
	w := newWorld(t)
	w.add("b",
		said("s1", "2026-01-10T10:00:00Z", "user: I live in Porto."),
		said("s2", "2026-03-12T10:00:00Z", "user: I live in Lyon now."))
	w.correct("Lyon", "Nice")
	e := w.correct("Nice", "Porto")
	if e.Path != mem.User || len(e.Revisions) != 2 || e.Revisions[0].Text != "user location: Lyon" || e.Revisions[1].Text != "user location: Nice" || !e.Revisions[1].Until.Equal(now) {
		t.Errorf("the entry: path %q, revisions %+v", e.Path, e.Revisions)
	}
	only(t, w.list("b", "current", mem.KindProfile), "Porto")
	if h := find(w.history("b", core.HistoryRequest{ID: e.ID}), "Porto"); len(h) != 2 || h[0].Repeats != "" || h[1].Repeats != h[0].ID || len(h[1].Revisions) != 2 {
		t.Errorf("history:\n%s", brief(h))
	}
	found := w.search("b", "Where do I live?")
	_, line := firstSaid(found)
	if line != "- user, location: Porto (since 10 January 2026; corrected by the user on 1 June 2026)" || strings.Count(found.Text, "location: ") != 1 {
		t.Errorf("the evidence:\n%s", found.Text)
	}
}

func TestAnEventCorrectedToAnEarlierStateRepeatsIt(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s1", "2026-01-10T10:00:00Z", "Ana: I painted the garden fence green on Monday."),
		said("s2", "2026-03-12T10:00:00Z", "Ana: I painted the garden fence blue on Tuesday."))
	call[core.EvolveResult](w, "evolve", core.EvolveRequest{Call: w.head("b")})
	w.correct("blue", "I painted the garden fence green on Monday.")
	if got := w.list("b", "current", mem.KindEvent); len(got) != 1 {
		t.Errorf("current:\n%s", brief(got))
	}
}
