package host

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
	"github.com/leanmem/leanmem/host/dialogue"
	"github.com/leanmem/leanmem/host/tokens"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

var budgets = []int{500, 1000, 2000, 3000}

func conversations() []string {
	return []string{"conv-26.json", "conv-30.json", "conv-42.json", "conv-44.json", "conv-49.json"}
}

func inSoak() bool { return os.Getenv("LEANMEM_SOAK") != "" }

// TestBothEnginesFindTheSame adds the LoCoMo conversations in both engines and
// searches their questions: the answers are the same bytes. A test run takes
// every fifth question of one conversation; a soak takes all of all five.
func TestBothEnginesFindTheSame(t *testing.T) {
	files, step := conversations()[1:2], 5
	if inSoak() {
		files, step = conversations(), 1
	}
	for _, file := range files {
		h := evaluation(t, dialogue.LoCoMo, "locomo", file)[0]
		native, wasm := twins(t, func() hostfuncs.Set { return hostfuncs.Set{Store: memory.New()} }, mem.Options{})
		both := func(verb string, request any) string {
			t.Helper()
			b, err := json.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			out, failure := alike(t, native, wasm, verb, string(b))
			if failure != nil {
				t.Fatalf("%s: %v", verb, failure)
			}
			return out
		}
		head := core.Call{Bank: file, Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
		begin := time.Now()
		both("add", core.AddRequest{Call: head, Sessions: h.Sessions})
		both("export", core.ExportRequest{Call: head, Limit: 10000})
		searches := 0
		for i := 0; i < len(h.Questions); i += step {
			for _, budget := range budgets {
				both("search", core.SearchRequest{Call: head, Query: mem.Query{Text: h.Questions[i].Text, Budget: budget}})
				searches++
			}
		}
		t.Logf("%s: %d turns, %d searches in both engines, %v", file, h.Turns(), searches, time.Since(begin).Round(time.Millisecond))
	}
}

// TestAHaystackIsAnsweredWithinBudget ingests a whole LongMemEval history and
// asks every question of it.
func TestAHaystackIsAnsweredWithinBudget(t *testing.T) {
	for _, h := range evaluation(t, dialogue.LongMemEval, "longmemeval", "haystack-852ce960.json") {
		c := &clerk{t: t, store: memory.New()}
		begin := time.Now()
		c.add(h.Sessions...)
		took := time.Since(begin)
		if len(h.Questions) == 0 {
			t.Fatal("the haystack has no questions")
		}
		begin = time.Now()
		most := 0
		for _, q := range h.Questions {
			for _, budget := range budgets {
				r := c.answer(q, budget)
				n := tokens.Count(r.Evidence.Text)
				if n > budget || len(r.Evidence.Items) == 0 || r.Answer.Text == "" {
					t.Errorf("%s at %d: %d tokens, %d items, answer %q", q.ID, budget, n, len(r.Evidence.Items), r.Answer.Text)
				}
				if budget == 2000 {
					most = max(most, n)
				}
			}
		}
		t.Logf("%s: %d sessions, %d turns added in %v; %d questions in %v; at most %d of 2000 tokens",
			h.Name, len(h.Sessions), h.Turns(), took.Round(time.Millisecond), len(h.Questions), time.Since(begin).Round(time.Millisecond), most)
	}
}

func (c *clerk) answer(q dialogue.Question, budget int) (r core.AnswerResult) {
	c.t.Helper()
	query := mem.Query{Text: q.Text, Budget: budget}
	if q.Time != "" {
		at, err := text.ParseStamp(q.Time)
		if err != nil {
			c.t.Fatal(err)
		}
		query.Time = at
	}
	if err := json.Unmarshal(c.call("answer", core.AnswerRequest{Call: c.head(), Query: query}), &r); err != nil {
		c.t.Fatal(err)
	}
	return r
}
