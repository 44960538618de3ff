package read

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// Depths of retrieval: what a plan takes of each pool unless its scope raises
// it, and what a planner may ask for at most (clamp k).
var (
	standardDepth = mem.PerKind[int]{Profile: 8, Event: 10, Record: 5, Turn: 200}
	maximalDepth  = mem.PerKind[int]{Profile: 15, Event: 15, Record: 8, Turn: 1000}
	listDepth     = mem.PerKind[int]{Profile: 15, Event: 15, Record: 12, Turn: 400}
)

// StandardWeights is the plan's dependence on each pool when nothing is known
// about the question.
var StandardWeights = mem.PerKind[float64]{Profile: 0.3, Event: 0.4, Record: 0.3, Turn: 1}

// Around is what the planner knows of the bank that it plans for.
type Around struct {
	Speakers    []string // everybody who speaks in the bank, in byte order
	First, Last string   // ISO dates of the first and last turn
}

// PlanByRules reads the demand of a question off its words. Sure is false when
// the question fits no pattern, so that a model is worth asking.
func PlanByRules(q mem.Query, around Around) mem.Plan {
	words := text.Words(q.Text)
	lower := " " + strings.Join(words, " ") + " "
	p := mem.Plan{Path: mem.Rules, Depth: standardDepth}
	p.Constraints = constraintsOf(q, words, around)
	p.Demand, p.Sure = demandOf(q.Text, lower)
	if len(p.Constraints.Times) > 0 {
		p.Demand.Temporal = true
	}
	p.Weights = weightsOf(p.Demand)
	if p.Demand.Scope == mem.List || p.Demand.Scope == mem.Count {
		p.Depth = listDepth
	}
	return p
}

// PlanNone is the ablation without retrieval planning: every pool with equal
// weight, the same depth for every question, no constraints.
func PlanNone() mem.Plan {
	return mem.Plan{
		Path: mem.Rules, Sure: true, Demand: mem.Demand{Scope: mem.OneFact},
		Weights: mem.PerKind[float64]{Profile: 1. / 3, Event: 1. / 3, Record: 1. / 3, Turn: 1}, Depth: standardDepth,
	}
}

func constraintsOf(q mem.Query, words []string, around Around) mem.Constraints {
	var c mem.Constraints
	for _, s := range around.Speakers {
		if s != "user" && s != "assistant" && mentions(words, s) {
			c.Entities = append(c.Entities, s)
		}
	}
	if slices.Contains(around.Speakers, string(mem.RoleUser)) && ofOneself(q.Text, words) {
		c.Entities = append(c.Entities, string(mem.RoleUser))
	}
	for _, e := range text.Entities(q.Text) {
		if name := strings.TrimSuffix(strings.TrimSuffix(e.Text, "'s"), "’s"); !containsFold(c.Entities, name) {
			c.Entities = append(c.Entities, name)
		}
	}
	for _, ref := range text.QueryTimes(q.Text, q.Time) {
		for _, r := range text.ResolveIn(ref, around.First, around.Last) {
			if r.From != "" || r.To != "" {
				c.Times = append(c.Times, mem.Interval{From: r.From, To: r.To})
			}
		}
	}
	c.Attributes = attributesIn(q.Text, words)
	c.Relations = relationsIn(words)
	return c
}

// ofOneself reports a question about the one who asks, in German, Spanish or
// Chinese; English ones are read by Analyse.
func ofOneself(q string, words []string) bool {
	return strings.Contains(q, "我") || slices.ContainsFunc(words, func(w string) bool {
		switch w {
		case "ich", "mein", "meine", "meinen", "meiner", "meinem", "yo", "mi", "mis":
			return true
		}
		return false
	})
}

func containsFold(list []string, s string) bool {
	return slices.ContainsFunc(list, func(x string) bool { return strings.EqualFold(x, s) })
}

// mentions reports whether every word of name is among the words.
func mentions(words []string, name string) bool {
	parts := text.Words(name)
	for _, p := range parts {
		if !slices.Contains(words, p) {
			return false
		}
	}
	return len(parts) > 0
}

// cues of demands, each a run of words as text.Words gives them, between spaces.
var (
	countCues      = []string{" how many ", " how often ", " number of ", " how much ", " total "}
	judgementCues  = []string{" would ", " likely ", " personality ", " considered ", " might ", " traits ", " attributes describe ", " suggest ", " recommend ", " tips ", " advice ", " should i "}
	comparisonCues = []string{" older than ", " younger than ", " difference between ", " compared ", " more than ", " or ", " which came first ", " before or after "}
	listCues       = []string{" what kinds ", " what types ", " list ", " all the ", " names of ", " what are the ", " what were the ", " which of "}
	stateCues      = []string{" now ", " current ", " currently ", " still ", " latest ", " newest ", " most recent ", " recently ", " these days ", " anymore "}
	orderCues      = []string{" first ", " last ", " before ", " after ", " since ", " until ", " during ", " ago ", " earlier "}
	detailCues     = []string{" exact ", " exactly ", " recipe ", " quote ", " steps ", " instructions ", " say about ", " said about ", " details ", " link ", " url ", " command ", " words ", " describe "}
	assistantCues  = []string{" you recommended ", " you suggested ", " you told ", " you said ", " you mentioned ", " you gave ", " you provided ", " remind me ", " our previous ", " our conversation ", " previous chat ", " your recommendation ", " we discussed ", " we talked ", " did you "}
)

func hasAny(s string, cues []string) bool {
	return slices.ContainsFunc(cues, func(c string) bool { return strings.Contains(s, c) })
}

// demandOf reads d: the aggregation scope, temporal dependence and fidelity.
func demandOf(question, lower string) (d mem.Demand, sure bool) {
	ask := text.AskOf(question)
	d.Scope, sure = mem.OneFact, ask != text.AskNone
	switch {
	case hasAny(lower, countCues) || ask == text.AskHowMany:
		d.Scope = mem.Count
	case hasAny(lower, judgementCues):
		d.Scope = mem.Judgement
	case hasAny(lower, comparisonCues):
		d.Scope = mem.Comparison
	case hasAny(lower, listCues) || asksForSeveral(ask, lower):
		d.Scope = mem.List
	}
	d.Temporal = ask == text.AskWhen || ask == text.AskHowLong || hasAny(lower, stateCues) || hasAny(lower, orderCues)
	d.Assistant = hasAny(lower, assistantCues)
	d.Fidelity = d.Assistant || hasAny(lower, detailCues)
	return d, sure || d.Scope != mem.OneFact || d.Temporal || d.Fidelity
}

// asksForSeveral reports whether the word after what or which is a plural
// ("which cities has she …").
func asksForSeveral(ask text.Ask, lower string) bool {
	if ask != text.AskWhat && ask != text.AskWhich {
		return false
	}
	words := strings.Fields(lower)
	for i, w := range words {
		if w != "what" && w != "which" {
			continue
		}
		for _, n := range words[i+1 : min(i+4, len(words))] {
			if len(n) > 4 && strings.HasSuffix(n, "s") && !strings.HasSuffix(n, "ss") && !text.Stop(n) {
				return true
			}
			if text.Stop(n) {
				break
			}
		}
		break
	}
	return false
}

// weightsOf gives w: stable attributes lean on profiles, time on events,
// detail on records.
func weightsOf(d mem.Demand) mem.PerKind[float64] {
	w := mem.PerKind[float64]{Profile: 0.3, Event: 0.4, Record: 0.3, Turn: 1}
	switch {
	case d.Fidelity:
		w.Profile, w.Event, w.Record = 0.1, 0.2, 0.7
	case d.Scope == mem.Judgement:
		w.Profile, w.Event, w.Record = 0.6, 0.2, 0.2
	case d.Temporal:
		w.Profile, w.Event, w.Record = 0.2, 0.6, 0.2
	}
	return w
}

// relationsIn names the relations between people that a question speaks of.
func relationsIn(words []string) []string {
	var out []string
	for _, w := range words {
		if relationWords[w] && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

var relationWords = map[string]bool{
	"mother": true, "father": true, "mom": true, "dad": true, "parents": true, "sister": true, "brother": true,
	"son": true, "daughter": true, "kids": true, "children": true, "wife": true, "husband": true, "partner": true,
	"boyfriend": true, "girlfriend": true, "friend": true, "friends": true, "colleague": true, "boss": true,
	"mentor": true, "neighbor": true, "neighbour": true, "cousin": true, "grandmother": true, "grandfather": true,
	"grandma": true, "grandpa": true, "aunt": true, "uncle": true, "roommate": true, "family": true,
}

// AroundOf reads off a snapshot what a planner needs of it.
func AroundOf(s Snapshot) Around {
	ix := indexOf(s)
	return Around{Speakers: ix.speakers, First: isoDay(ix.first), Last: isoDay(ix.last)}
}

// Adopt takes a model's plan where it goes beyond the rules': its demand,
// weights and depths, and the union of the constraints. Depths are clamped.
func Adopt(rules, model mem.Plan) mem.Plan {
	out := model
	out.Path, out.Sure = mem.LLM, true
	out.Weights.Turn, out.Depth.Turn = rules.Weights.Turn, rules.Depth.Turn
	for _, k := range []struct{ to, most *int }{
		{&out.Depth.Profile, &maximalDepth.Profile}, {&out.Depth.Event, &maximalDepth.Event}, {&out.Depth.Record, &maximalDepth.Record},
	} {
		*k.to = max(0, min(*k.to, *k.most))
	}
	out.Constraints.Entities = union(rules.Constraints.Entities, model.Constraints.Entities)
	out.Constraints.Attributes = union(rules.Constraints.Attributes, model.Constraints.Attributes)
	out.Constraints.Relations = union(rules.Constraints.Relations, model.Constraints.Relations)
	if len(rules.Constraints.Times) > 0 {
		out.Constraints.Times = rules.Constraints.Times // resolved against the bank's own dates
	}
	return out
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !containsFold(out, s) {
			out = append(out, s)
		}
	}
	return out
}
