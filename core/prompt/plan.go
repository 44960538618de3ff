package prompt

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/leanmem/leanmem/core/mem"
)

// Depths that a planner may ask for, and the plan that stands in where it
// fails.
var (
	mostDepth    = mem.PerKind[int]{Profile: 15, Event: 15, Record: 8}
	defaultDepth = mem.PerKind[int]{Profile: 8, Event: 10, Record: 5}
)

// Plan asks for the retrieval plan of a question (eq. 8). now is when it is
// asked.
func Plan(question string, now time.Time) Message {
	date := ""
	if !now.IsZero() {
		date = now.Format(time.DateOnly)
	}
	return Message{Stage: "plan", System: planText, User: "# " + dateLine(date) + "\nquestion: " + Quote(question) + "\n",
		Schema: planSchema, SchemaName: "plan", MaxTokens: 300}
}

// ParsePlan reads the reply to Plan. Weights are normalised and depths
// clamped; what is missing takes its default. ok is false when no plan is in
// the reply. The weight and depth of the turn pool are left to the caller.
func ParsePlan(reply string) (plan mem.Plan, ok bool) {
	for _, o := range slices.Backward(reap(reply).objects) {
		scope := scopeOf(field(o, "scope", "aggregation", "aggregationscope"))
		weights := field(o, "weights", "w")
		if echo(o) || scope == "" && !weights.IsObject() {
			continue
		}
		if scope == "" {
			scope = mem.OneFact
		}
		plan = mem.Plan{
			Constraints: mem.Constraints{
				Entities: list(field(o, "entities", "entity")), Attributes: list(field(o, "attributes", "attribute")),
				Times: intervals(field(o, "times", "time")), Relations: list(field(o, "relations", "relation")),
			},
			Demand: mem.Demand{Scope: scope, Temporal: truth(field(o, "temporal")), Fidelity: truth(field(o, "fidelity")), Assistant: truth(field(o, "assistant"))},
			Path:   mem.LLM,
		}
		plan.Weights, plan.Depth = weigh(weights), depths(field(o, "depth", "k", "depths"))
		return plan, true
	}
	return mem.Plan{}, false
}

func scopeOf(v gjson.Result) mem.Scope {
	switch w := strings.ToLower(strings.TrimSpace(v.Str)); mem.Scope(w) {
	case mem.OneFact, mem.List, mem.Count, mem.Comparison, mem.Judgement:
		return mem.Scope(w)
	}
	if v.Type == gjson.String && v.Str == "judgment" {
		return mem.Judgement
	}
	return ""
}

func weigh(v gjson.Result) mem.PerKind[float64] {
	w := [3]float64{clampWeight(field(v, "profile")), clampWeight(field(v, "event")), clampWeight(field(v, "record"))}
	sum := w[0] + w[1] + w[2]
	if sum <= 0 {
		return mem.PerKind[float64]{Profile: .3, Event: .4, Record: .3}
	}
	return mem.PerKind[float64]{Profile: hundredths(w[0] / sum), Event: hundredths(w[1] / sum), Record: hundredths(w[2] / sum)}
}

func clampWeight(v gjson.Result) float64 {
	f := v.Float()
	if f != f || f < 0 {
		return 0
	}
	return min(f, 100)
}

func hundredths(f float64) float64 { return float64(int(f*100+0.5)) / 100 }

func depths(v gjson.Result) mem.PerKind[int] {
	d := defaultDepth
	set := func(name string, to *int, most int) {
		if n, ok := number(field(v, name)); ok {
			*to = min(n, most)
		}
	}
	set("profile", &d.Profile, mostDepth.Profile)
	set("event", &d.Event, mostDepth.Event)
	set("record", &d.Record, mostDepth.Record)
	return d
}

func intervals(v gjson.Result) []mem.Interval {
	var out []mem.Interval
	v.ForEach(func(_, t gjson.Result) bool {
		from, to := isoDate(field(t, "from", "start")), isoDate(field(t, "to", "end"))
		if t.Type == gjson.String {
			from = isoDate(t)
			to = from
		}
		if from != "" || to != "" {
			out = append(out, mem.Interval{From: from, To: to})
		}
		return len(out) < 16
	})
	return out
}

func isoDate(v gjson.Result) string {
	if _, err := time.Parse(time.DateOnly, v.Str); err != nil {
		return ""
	}
	return v.Str
}
