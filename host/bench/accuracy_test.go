package bench

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/leanmem/leanmem/host/dialogue"
	"github.com/leanmem/leanmem/hostfuncs/llm/scripted"
)

func TestF1OfAnswers(t *testing.T) {
	for _, tt := range []struct {
		predicted, gold, category string
		locomo, set               float64
	}{
		{"7 May 2023", "7 May 2023", "temporal", 1, 1},
		{"On the 7 May, 2023.", "7 May 2023", "temporal", 6. / 7, 6. / 7},
		{"pottery, camping", "pottery, camping, painting, swimming", "multi-hop", .5, 2. / 3},
		{"Yes; she likes it", "Yes; since it is fun", "open-domain", 2. / 5, 4. / 9},
		{"cats cats cats", "cat", "single-hop", .5, 1},
		{"", "cat", "single-hop", 0, 0},
		{"the", "a", "single-hop", 0, 0},
		{"骑车", "我骑车", "single-hop", .8, .8},
	} {
		if got := LoCoMoF1(tt.predicted, tt.gold, tt.category); math.Abs(got-tt.locomo) > 1e-9 {
			t.Errorf("LoCoMo's F1 of %q against %q: %.3f, want %.3f", tt.predicted, tt.gold, got, tt.locomo)
		}
		if got := SetF1(tt.predicted, tt.gold); math.Abs(got-tt.set) > 1e-9 {
			t.Errorf("set F1 of %q against %q: %.3f, want %.3f", tt.predicted, tt.gold, got, tt.set)
		}
	}
}

func TestVerdictsInAnyForm(t *testing.T) {
	for reply, want := range map[string][2]bool{
		`{"right":true}`: {true, true}, `{"right": false}`: {false, true}, "```json\n{\"right\":true}\n```": {true, true},
		`<think>{"right":false}</think>{"right":true}`: {true, true}, "CORRECT": {true, true}, "Wrong.": {false, true},
		`{"label":"CORRECT"}`: {true, true}, "perhaps": {}, "": {},
	} {
		if right, ok := readVerdict(reply); right != want[0] || ok != want[1] {
			t.Errorf("%q: %v, %v", reply, right, ok)
		}
	}
}

// A run whose reader fails goes on at the question where it stopped.
func TestAnswersResumePerQuestion(t *testing.T) {
	h := friends(t)
	results := filepath.Join(t.TempDir(), "results.jsonl")
	measure := func(rules ...scripted.Rule) (Summary, *scripted.Model, error) {
		t.Helper()
		ledger, err := OpenLedger(results)
		if err != nil {
			t.Fatal(err)
		}
		defer ledger.Close()
		model := scripted.New(rules...)
		b := &Bench{Methods: Baselines(nil)[:2], Histories: []*dialogue.History{h}, Budgets: []int{500, 2000}, Ledger: ledger,
			Accuracy: &Accuracy{Reader: model, Judge: model}}
		all, err := b.Do(t.Context())
		return Summarise(b, all), model, err
	}
	answer := scripted.Rule{Stage: "answer", Reply: `{"answer":"Pixel","cites":[],"known":true}`, PromptTokens: 100, OutputTokens: 10}
	strict, lenient := scripted.Rule{Stage: "judge", Contains: "only if", Reply: `{"right":false}`}, scripted.Rule{Stage: "judge", Reply: `{"right":true}`}
	answer.Times = 10
	_, first, err := measure(answer, strict, lenient, scripted.Rule{Err: errors.New("the power went out")})
	if err == nil || first.Count("answer") != 11 || first.Count("judge") != 20 {
		t.Fatalf("%v after %d answers and %d verdicts", err, first.Count("answer"), first.Count("judge"))
	}
	answer.Times = 0
	s, second, err := measure(answer, strict, lenient)
	if err != nil {
		t.Fatal(err)
	}
	c := s.Rows[1].At(2000)
	if n := first.Count("answer") - 1 + second.Count("answer"); n != 2*c.Answers || c.Answers == 0 {
		t.Errorf("%d answers were asked for two methods of %d questions", n, c.Answers)
	}
	if c.Strict.Mean != 0 || c.Lenient.Mean != 1 || c.F1.Mean <= 0 || c.SetF1.N != c.Answers || c.InferTokens != 110 || c.AnswerCalls != 1 {
		t.Errorf("cell %+v", c)
	}
	if few := s.Rows[1].At(500); few.Answers != 0 {
		t.Errorf("%d answers at another budget", few.Answers)
	}
}
