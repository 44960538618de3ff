package core

import (
	"encoding/json"
	"testing"

	"github.com/leanmem/leanmem/core/mem"
)

// A result that writes its own JSON writes what encoding/json would.
func TestResultsAsJSON(t *testing.T) {
	outcome := Outcome{Bank: "b", Version: "7", Paths: map[string]mem.Path{"plan": mem.Rules, "compose": mem.Rules}, Usage: map[string]mem.Usage{"plan": {Calls: 1}}, Reports: []string{"<x>"}}
	evidence := mem.Evidence{Text: "Ana: \"hi\"\n", Tokens: 5, Items: []mem.Item{{ID: "t1", Kind: mem.KindTurn, Score: 0.5}}, Confidence: 0.25, Sufficient: true}
	plan := mem.Plan{Constraints: mem.Constraints{Entities: []string{"Ana"}, Times: []mem.Interval{{From: "2023-05-01"}}}, Weights: mem.PerKind[float64]{Turn: 1}, Path: mem.Rules, Sure: true}
	for _, r := range []any{
		&SearchResult{},
		&SearchResult{Outcome: outcome, Query: "who & \"what\"?", Evidence: evidence, Plan: plan},
		&AnswerResult{},
		&AnswerResult{Outcome: outcome, Query: "who?", Answer: mem.Answer{Text: "Ana"}, Evidence: evidence, Plan: plan},
	} {
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, own := r.(appender); !own {
			t.Errorf("%T does not write its own JSON", r)
		}
		got, err := encode(r)
		if err != nil || string(got) != string(want) {
			t.Errorf("%T wrote\n%s\nencoding/json\n%s (%v)", r, got, want, err)
		}
	}
}
