package read

import (
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/mem"
)

func TestDemandOfAQuestion(t *testing.T) {
	for question, want := range map[string]mem.Demand{
		"What is Ana's job?":                                   {Scope: mem.OneFact},
		"When did Ana move?":                                   {Scope: mem.OneFact, Temporal: true},
		"How many cats does Bo have?":                          {Scope: mem.Count},
		"Which cities has Ana visited?":                        {Scope: mem.List},
		"Would Bo enjoy a concert?":                            {Scope: mem.Judgement},
		"Where does Ana live now?":                             {Scope: mem.OneFact, Temporal: true},
		"Can you remind me of the recipe that you gave me?":    {Scope: mem.OneFact, Fidelity: true, Assistant: true},
		"What did Ana do before she moved?":                    {Scope: mem.OneFact, Temporal: true},
		"What is the difference between their two telescopes?": {Scope: mem.Comparison},
	} {
		if got := PlanByRules(mem.Query{Text: question}, Around{}).Demand; got != want {
			t.Errorf("%s: %+v, want %+v", question, got, want)
		}
	}
}

func TestConstraintsOfAQuestion(t *testing.T) {
	around := Around{Speakers: []string{"Ana", "Bo"}, First: "2022-11-01", Last: "2023-08-20"}
	c := PlanByRules(mem.Query{Text: "Where did Ana's sister live in May?", Time: time.Date(2023, 9, 1, 0, 0, 0, 0, time.UTC)}, around).Constraints
	if len(c.Entities) == 0 || c.Entities[0] != "Ana" || len(c.Relations) != 1 || c.Relations[0] != "sister" || len(c.Attributes) != 2 {
		t.Errorf("%+v", c)
	}
	if len(c.Times) != 1 || c.Times[0] != (mem.Interval{From: "2023-05-01", To: "2023-05-31"}) {
		t.Errorf("times %+v: May without a year is the May of the bank", c.Times)
	}
}

func TestWeightsSumToOne(t *testing.T) {
	for _, q := range []string{"What?", "When?", "Would she?", "The exact recipe?", "Which towns?"} {
		w := PlanByRules(mem.Query{Text: q}, Around{}).Weights
		if sum := w.Profile + w.Event + w.Record; sum < 0.999 || sum > 1.001 {
			t.Errorf("%s: %+v", q, w)
		}
	}
}

func TestModelsPlanIsClamped(t *testing.T) {
	model := mem.Plan{Depth: mem.PerKind[int]{Profile: 900, Event: -3, Record: 4}}
	got := Adopt(PlanByRules(mem.Query{Text: "What?"}, Around{}), model)
	if got.Depth.Profile != 15 || got.Depth.Event != 0 || got.Depth.Record != 4 || got.Depth.Turn == 0 || got.Path != mem.LLM {
		t.Errorf("%+v", got)
	}
}

func TestMatchIsTheMeanOverTheConstraintsThatThePlanHas(t *testing.T) {
	m := state("1", "Ana", "likes", "jazz", "2023-05-07", false)
	k := knownOf(m)
	c := mem.Constraints{Entities: []string{"Ana"}, Times: []mem.Interval{{From: "2023-05-10", To: "2023-05-12"}}}
	if got, want := match(c, k), (0.4*1+0.3*0.5)/0.7; got < want-1e-9 || got > want+1e-9 {
		t.Errorf("%.4f, want %.4f: the name matches, the day is within a week", got, want)
	}
	if got := match(mem.Constraints{}, k); got != 0 {
		t.Errorf("no constraint: %.2f", got)
	}
}
