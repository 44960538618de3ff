package leanmem

import (
	"context"
	"fmt"
	"time"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
	"github.com/leanmem/leanmem/core/rank"
	"github.com/leanmem/leanmem/core/read"
)

// rankDepth is how many turns are ranked for a budget: enough to fill it with
// the shortest of lines.
func rankDepth(budget int) int { return max(400, budget/4) }

// Search plans, retrieves, reranks and composes.
func (Strategy) Search(ctx context.Context, h *bank.Handle, run *mem.Run, q mem.Query) (mem.Plan, mem.Evidence, error) {
	s := h.Snapshot()
	question := read.Analyse(s, q)
	if err := vectorise(ctx, h, run, question); err != nil {
		return mem.Plan{}, mem.Evidence{}, err
	}
	plan, err := planFor(ctx, h, run, q)
	if err != nil {
		return plan, mem.Evidence{}, err
	}
	off := run.Options.IsOff
	if off(mem.OffPlanning) {
		off = onlyDense(off)
	}
	keep, alive := matcher(s, q.Filter, run.Now), matcher(s, mem.Filter{}, run.Now)
	found := &read.Found{Question: question, Plan: plan, Keep: keep, Alive: alive}
	found.Ranking = read.RankTurns(s, question, plan, keep, off, rankDepth(q.Budget))
	for _, pool := range []struct {
		kind mem.Kind
		to   *[]read.Candidate
	}{{mem.KindProfile, &found.Profiles}, {mem.KindEvent, &found.Events}, {mem.KindRecord, &found.Records}} {
		if pool.kind == mem.KindRecord && !plan.Demand.Fidelity {
			continue // records are expanded only where detail is asked for
		}
		if plan.Weights.Of(pool.kind) > 0 && plan.Depth.Of(pool.kind) > 0 {
			ranked := read.Rerank(plan, read.Retrieve(s, question, plan, pool.kind, keep))
			*pool.to = ranked[:min(len(ranked), plan.Depth.Of(pool.kind))]
		}
	}
	for _, stage := range []string{"retrieve", "rerank", "compose"} {
		run.Ledger.Took(stage, mem.Rules)
	}
	return plan, read.Compose(s, found, q.Budget, off), nil
}

// matcher is nil where every row passes.
func matcher(s *bank.Snapshot, f mem.Filter, now time.Time) func(row int) bool {
	if s.MatchesAll(f) {
		return nil
	}
	return s.Matcher(f, now)
}

// vectorise gives the question its vector from the bank's embedder. Without
// one, or while the host's does not answer, the other terms carry the search.
func vectorise(ctx context.Context, h *bank.Handle, run *mem.Run, q *read.Question) error {
	switch run.Options.Embedder {
	case "":
		return nil // read.Analyse made it
	case "none":
		q.Vector = nil
		return nil
	}
	q.Vector = nil
	v, err := h.Client().Embed(ctx, []string{q.Bare}, "query")
	if effect.HasCode(err, effect.Canceled) {
		return err
	}
	if err != nil {
		run.Ledger.Report("search: the embedder did not answer, so the search went without vectors: " + string(effect.AsError(err).Code))
		return nil
	}
	if err := h.Snapshot().CheckEmbedder(bank.HostEmbedder(v)); err != nil {
		return fmt.Errorf("embed the query: %w", err)
	}
	q.Vector = rank.Quantise(v.Row(0))
	return nil
}

// planFor makes the plan: by rules, and by the model where the rules are
// unsure.
func planFor(ctx context.Context, h *bank.Handle, run *mem.Run, q mem.Query) (mem.Plan, error) {
	run.Ledger.Took("plan", mem.Rules)
	if run.Options.IsOff(mem.OffPlanning) {
		return read.PlanNone(), nil
	}
	around := read.AroundOf(h.Snapshot())
	plan := read.PlanByRules(q, around)
	if plan.Sure || !run.Options.LLM {
		return plan, nil
	}
	_, err := consult(ctx, h, run, prompt.Plan(q.Text, q.Time), false, func(reply string) bool {
		asked, ok := prompt.ParsePlan(reply)
		if ok {
			plan = read.Adopt(plan, asked)
		}
		return ok
	})
	return plan, err
}

// onlyDense is the ablation without retrieval planning: turns by the likeness
// of vectors alone.
func onlyDense(off func(string) bool) func(string) bool {
	return func(name string) bool { return name != read.TermDense || off(name) }
}

// Answer asks the model with the evidence, each item under a number that it can
// cite; without a model, or where it fails, it quotes the best passages.
func (Strategy) Answer(ctx context.Context, h *bank.Handle, run *mem.Run, q mem.Query, plan mem.Plan, e mem.Evidence) (mem.Answer, error) {
	run.Ledger.Took("answer", mem.Rules)
	answer := read.AnswerByRules(e)
	if !run.Options.LLM {
		return answer, nil
	}
	numbered, ids := read.Numbered(e)
	_, err := consult(ctx, h, run, prompt.Answer(q.Text, numbered, q.Time), true, func(reply string) bool {
		a, refused, ok := prompt.ParseAnswer(reply, ids)
		if ok {
			for _, id := range refused {
				run.Ledger.Report("answer: cites " + id + ", which is not in the evidence: refused")
			}
			a.Path, a.Sources = mem.LLM, read.Cited(e, a.Sources)
			answer = a
		}
		return ok
	})
	return answer, err
}
