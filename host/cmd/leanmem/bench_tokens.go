package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/bench"
	"github.com/leanmem/leanmem/host/dialogue"
)

// tokenTable is what "bench --tokens" prints with --json.
type tokenTable struct {
	Builds  []bench.TokenBuild   `json:"builds"`
	Answers []bench.TokenAnswers `json:"answers"`
	Recall  map[string]float64   `json:"text_recall"` // by budget
}

// benchTokens measures what a model would be paid for: a model that answers by
// rule stands in for it.
func (a *app) benchTokens(ctx context.Context, f benchFlags, histories []*dialogue.History) error {
	progress := newBar(a.errs, "tokens", len(histories)*(len(bench.TokenWays)+1))
	defer progress.clear()
	var t tokenTable
	done := 0
	step := func(what string) {
		progress.at(what, 0, 0)
		progress.set(done)
		done++
	}
	for _, h := range histories {
		for _, way := range bench.TokenWays {
			step(h.Name + " · " + way.Name)
			b, err := bench.MeasureBuild(ctx, h, way, f.schemas)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", h.Name, way.Name, err)
			}
			t.Builds = append(t.Builds, b)
		}
		step(h.Name + " · answers")
		answers, err := bench.MeasureAnswers(ctx, h, f.budgets, f.schemas)
		if err != nil {
			return fmt.Errorf("%s, answers: %w", h.Name, err)
		}
		t.Answers = append(t.Answers, answers...)
	}
	progress.clear()
	t.Recall = map[string]float64{}
	for _, budget := range f.budgets {
		t.Recall[strconv.Itoa(budget)] = bench.Mean(recallsAt(t.Answers, budget))
	}
	return a.show(t, func() { a.showTokens(t, f.budgets, len(histories)) })
}

func recallsAt(answers []bench.TokenAnswers, budget int) (out []float64) {
	for _, r := range answers {
		if r.Budget == budget {
			out = append(out, r.TextRecall...)
		}
	}
	return out
}

func (a *app) showTokens(t tokenTable, budgets []int, histories int) {
	a.say("building, a history (mean of %d): o200k_base tokens, prompts and replies", histories)
	each := func(n int) string { return number((n + histories/2) / histories) }
	var rows [][]string
	for _, way := range bench.TokenWays {
		sum, stages, kept, shown := mem.Usage{}, map[string]int{}, map[string]int{}, 0
		lo, hi := 0, 0
		for _, b := range t.Builds {
			if b.Way != way.Name {
				continue
			}
			u := b.Total()
			sum = sum.Plus(u)
			n := u.Prompt + u.Completion
			if lo == 0 || n < lo {
				lo = n
			}
			hi = max(hi, n)
			for stage, s := range b.Stages {
				stages[stage] += s.Prompt + s.Completion
			}
			for kind, n := range b.Memories {
				kept[kind] += n
			}
			shown += b.Shown
		}
		row := []string{way.Name, each(sum.Prompt + sum.Completion), number(lo) + "–" + number(hi), each(sum.Calls), each(sum.Prompt), each(sum.Completion)}
		for _, stage := range []string{"schedule", "event", "gist", "evolve"} {
			row = append(row, each(stages[stage]))
		}
		row = append(row, each(shown))
		for _, kind := range []string{"profile", "event", "record"} {
			row = append(row, each(kept[kind]))
		}
		rows = append(rows, row)
	}
	wide(a.out, []string{"way", "tokens", "range", "calls", "prompt", "completion", "schedule", "event", "gist", "evolve", "segments shown", "profiles", "events", "records"}, rows)
	a.showAnswerTokens(t, budgets)
}

func (a *app) showAnswerTokens(t tokenTable, budgets []int) {
	a.say("\nanswering, a question: plan, evidence, answer prompt and reply")
	var rows [][]string
	for _, budget := range budgets {
		var sum bench.TokenAnswers
		for _, r := range t.Answers {
			if r.Budget == budget {
				sum.Questions += r.Questions
				sum.Planned += r.Planned
				sum.Usage = sum.Usage.Plus(r.Usage)
			}
		}
		n := max(1, sum.Questions)
		rows = append(rows, []string{number(budget), number((sum.Usage.Prompt + sum.Usage.Completion + n/2) / n),
			fmt.Sprintf("%.1f", 100*t.Recall[strconv.Itoa(budget)]), fmt.Sprintf("%.1f %%", 100*float64(sum.Planned)/float64(n)),
			fmt.Sprintf("%.2f", float64(sum.Usage.Calls)/float64(n)), number(sum.Questions)})
	}
	wide(a.out, []string{"budget", "tokens", "text recall", "plan by model", "calls", "questions"}, rows)
}
