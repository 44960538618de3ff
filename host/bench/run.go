package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/leanmem/leanmem/host/dialogue"
)

// Budgets are those of the recall curve, in tokens.
var Budgets = []int{500, 1000, 2000, 3000}

// Bench sets methods side by side on the same histories and questions.
type Bench struct {
	Methods   []Method
	Histories []*dialogue.History
	Budgets   []int
	Run       string // fingerprint of program and settings: results of another one do not count
	Ledger    *Ledger
	Accuracy  *Accuracy // nil: nothing is answered
	// Progress is told how many of all questions × methods are done.
	Progress func(done, total int, what string)
}

// Do measures what the ledger does not hold yet and gives all results.
func (b *Bench) Do(ctx context.Context) ([]Result, error) {
	if b.Progress == nil {
		b.Progress = func(int, int, string) {}
	}
	total, done := 0, 0
	for _, h := range b.Histories {
		total += len(h.Questions) * len(b.Methods)
	}
	var all []Result
	for _, h := range b.Histories {
		transcript := NewTranscript(h.Sessions)
		for _, m := range b.Methods {
			b.Progress(done, total, h.Name+" · "+m.Name)
			results, err := b.one(ctx, h, transcript, m, func() {
				done++
				b.Progress(done, total, h.Name+" · "+m.Name)
			})
			if err != nil {
				return all, fmt.Errorf("%s on %s: %w", m.Name, h.Name, err)
			}
			all = append(all, results...)
		}
	}
	return all, nil
}

// one measures a method on a history. The memory is built only when something
// of it is missing.
func (b *Bench) one(ctx context.Context, h *dialogue.History, t *Transcript, m Method, asked func()) (results []Result, err error) {
	var memory Memory
	defer func() {
		if memory != nil {
			err = errors.Join(err, memory.Close())
		}
	}()
	need := func() error {
		if memory != nil {
			return nil
		}
		memory, err = m.Build(ctx, h.Sessions)
		if err != nil {
			return err
		}
		return b.Ledger.Put(Result{Key: b.key(h, m, "", 0), Turns: h.Turns(), Cost: memory.Built()})
	}
	budgets := b.Budgets
	if m.OwnSize {
		budgets = []int{0}
	}
	for _, q := range h.Questions {
		for _, budget := range budgets {
			k := b.key(h, m, q.ID, budget)
			r, ok := b.Ledger.Get(k)
			if !ok {
				if err := need(); err != nil {
					return nil, err
				}
				e, cost, err := memory.Evidence(ctx, q, budget)
				if err != nil {
					return nil, fmt.Errorf("question %s: %w", q.ID, err)
				}
				r = Score(k, q, t, e)
				r.Cost = cost
				if b.Accuracy != nil && !q.Absent && (m.OwnSize || budget == mainBudget(b.Budgets)) {
					if r.Answered, err = b.Accuracy.answer(ctx, q, e.Text); err != nil {
						return nil, fmt.Errorf("question %s: %w", q.ID, err)
					}
				}
				if err := b.Ledger.Put(r); err != nil {
					return nil, err
				}
			}
			results = append(results, r)
		}
		asked()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if r, ok := b.Ledger.Get(b.key(h, m, "", 0)); ok {
		results = append(results, r)
	}
	return results, nil
}

func (b *Bench) key(h *dialogue.History, m Method, question string, budget int) Key {
	return Key{Run: b.Run, History: h.Name, Method: m.Name, Question: question, Budget: budget}
}
