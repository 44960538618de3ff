package core

import (
	"context"
	"strings"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

const (
	defaultBudget = 2000
	maxBudget     = 1_000_000
	maxQueryBytes = 256 << 10
)

// checkQuery fills what a query leaves open.
func checkQuery(q *mem.Query, call *Call) error {
	switch {
	case strings.TrimSpace(q.Text) == "":
		return effect.Errorf(effect.InvalidArgument, "the query is empty")
	case len(q.Text) > maxQueryBytes:
		return effect.Errorf(effect.TooLarge, "a query of %d bytes: the limit is %d", len(q.Text), maxQueryBytes)
	case q.Budget < 0:
		return effect.Errorf(effect.InvalidArgument, "budget %d is below 0", q.Budget)
	}
	if q.Budget == 0 {
		q.Budget = defaultBudget
	}
	q.Budget = min(q.Budget, maxBudget)
	if q.Time.IsZero() {
		q.Time = call.Now
	}
	return nil
}

// evidence checks a query and finds evidence for it.
func (o *opened) evidence(ctx context.Context, q *mem.Query) (mem.Plan, mem.Evidence, error) {
	for _, check := range []func() error{o.exists, o.compatible, func() error { return checkQuery(q, o.call) }, func() error { return checkKinds(&q.Filter) }} {
		if err := check(); err != nil {
			return mem.Plan{}, mem.Evidence{}, err
		}
	}
	return o.strategy.Search(ctx, o.Handle, o.run, *q)
}

// search finds evidence.
func (e *Engine) search(ctx context.Context, o *opened, q *SearchRequest) (*SearchResult, error) {
	plan, evidence, err := o.evidence(ctx, &q.Query)
	if err != nil {
		return nil, err
	}
	return &SearchResult{Outcome: o.outcome(), Query: q.Query.Text, Plan: plan, Evidence: evidence}, nil
}

// answer finds evidence and answers from it.
func (e *Engine) answer(ctx context.Context, o *opened, q *AnswerRequest) (*AnswerResult, error) {
	plan, evidence, err := o.evidence(ctx, &q.Query)
	if err != nil {
		return nil, err
	}
	answer, err := o.strategy.Answer(ctx, o.Handle, o.run, q.Query, plan, evidence)
	if err != nil {
		return nil, err
	}
	return &AnswerResult{Outcome: o.outcome(), Query: q.Query.Text, Answer: answer, Evidence: evidence, Plan: plan}, nil
}
