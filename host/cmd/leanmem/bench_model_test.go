package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/host/bench"
)

func TestBenchAnswersByEveryMethodAndGoesOn(t *testing.T) {
	s := newChatServer(t)
	results := filepath.Join(t.TempDir(), "results.jsonl")
	t.Setenv("OPENAI_API_KEY", "key-verysecret-of-nobody")
	run := func() ran {
		return leanmem(t, "", "bench", testdata("assistant.jsonl"), "--answers", "--results", results, "--budgets", "500", "--questions", "6", "--now", "2025-12-01",
			"--methods", "full text,naive,leanmem,unfused,w/o", "--llm-url", s.url, "--llm-model", "m", "--llm-retries", "0", "--json")
	}
	s.set(func(n int, w http.ResponseWriter, r chatRequest) bool {
		if n == 40 {
			fails(w, 401, "invalid_api_key", "no")
		}
		return n == 40
	})
	if r := run(); r.code != 1 || !strings.Contains(r.errs, "goes on") {
		t.Fatalf("exit %d: %s", r.code, r.errs)
	}
	s.set(nil)
	var summary bench.Summary
	decode(t, run().ok(t).out, &summary)
	if len(summary.Rows) != 9 {
		t.Errorf("%d methods", len(summary.Rows))
	}
	for _, row := range summary.Rows {
		c := row.At(500)
		if c.Answers != 6 || c.F1.N != 6 || c.Strict.N != 6 || c.Lenient.N != 6 || c.InferTokens == 0 || c.AnswerMS == 0 {
			t.Errorf("%s: %+v", row.Method, c)
		}
		if strings.HasPrefix(row.Method, "leanmem") && row.Build["schedule"].Calls == 0 {
			t.Errorf("%s: built for %+v", row.Method, row.Build)
		}
	}
	calls := s.count()
	table := strings.Replace(run().ok(t).out, "\n", "", 1)
	if s.count() != calls || !json.Valid([]byte(table)) {
		t.Errorf("a third run asked %d times more", s.count()-calls)
	}
	if r := leanmem(t, "", "bench", testdata("assistant.jsonl"), "--answers"); r.code != 2 || !strings.Contains(r.errs, "--llm-url") {
		t.Errorf("without a model: exit %d, %s", r.code, r.errs)
	}
}

func TestBenchTokensNeedsNoModel(t *testing.T) {
	r := leanmem(t, "", "bench", testdata("friends.jsonl"), "--tokens", "--budgets", "500,1000", "--json", "--now", "2026-01-01").ok(t)
	var table tokenTable
	decode(t, r.out, &table)
	by := map[string]bench.TokenBuild{}
	for _, b := range table.Builds {
		by[b.Way] = b
	}
	whole, paper, rules := by["whole history at once"].Total(), by["paper's protocol, at once"].Total(), by["rules alone"].Total()
	if whole.Prompt == 0 || whole.Estimated != 0 || 2*(whole.Prompt+whole.Completion) > paper.Prompt+paper.Completion || rules.Calls != 0 {
		t.Errorf("whole %+v, paper %+v, rules %+v", whole, paper, rules)
	}
	if table.Recall["1000"] < table.Recall["500"] || table.Recall["500"] == 0 || len(table.Answers) != 2 {
		t.Errorf("answers %+v, recall %v", table.Answers, table.Recall)
	}
}
