package main

import (
	"strings"
	"testing"
)

// The demonstration promises a superseded state, a timeline, a record with its
// words, dated and sourced answers, and a question without one.
func TestDemoShowsWhatItPromises(t *testing.T) {
	out := leanmem(t, "", "demo").ok(t).out
	for _, want := range []string{
		"filter keeps", "→ profile", "→ event", "→ record",
		"Maren location: Ghent", "superseded",
		"team Red again",
		"s05:5 Maren: Eleven so far. The best were in a tiny place in Alfama",
		"I live in Bruges now", "(= 12 July 2025)", "s10:6",
		"Not in memory",
		"full text", "naive RAG",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the demonstration does not show %q", want)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Error("colours without a terminal")
	}
	// Methods stand side by side at the same budgets.
	_, table, _ := strings.Cut(out, "Methods at equal budgets")
	for _, method := range []string{"BM25 + neighbours", "dense", "leanmem"} {
		if n := strings.Count(table, "  "+method+"  "); n != len(demoBudgets) {
			t.Errorf("%s stands at %d budgets, want %d", method, n, len(demoBudgets))
		}
	}
	// Of the questions, only the last one is absent.
	if n := strings.Count(out, "Not in memory"); n != 1 {
		t.Errorf("%d questions are said to have no answer, want 1", n)
	}
}
