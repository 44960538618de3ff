package leanmem

import (
	"context"
	"fmt"
	"slices"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
	"github.com/leanmem/leanmem/core/text"
)

// askAtOnce is how many prompts one request carries: a host may run them in
// parallel, and what it has answered is kept before the next are sent.
const askAtOnce = 8

// asker asks the model for the stages of one request. Each reply is committed
// under the hash of its prompt before it is used, and dropped in the commit
// that holds what was made of it.
type asker struct {
	h    *bank.Handle
	run  *mem.Run
	used map[string][]*span // hash of a reply → the spans that wait for it
	done []string           // hashes of replies that no span waits for
}

func newAsker(h *bank.Handle, run *mem.Run) *asker {
	return &asker{h: h, run: run, used: map[string][]*span{}}
}

// question is one prompt and the spans that its reply is for.
type question struct {
	message prompt.Message
	spans   []*span
}

// reply is what came back. asked is false where it was never sent; refused
// where the model would not or could not take this very prompt.
type reply struct {
	text    string
	asked   bool
	refused bool
	tooLong bool
}

// ask sends what was not paid for yet. It returns a reply for each question
// and why it stopped early, if it did.
func (a *asker) ask(ctx context.Context, questions []question) ([]reply, error) {
	replies := make([]reply, len(questions))
	var open []int
	for i, q := range questions {
		hash := a.hash(q.message)
		a.used[hash] = append(a.used[hash], q.spans...)
		if paid, ok := a.h.Snapshot().Reply(hash); ok {
			replies[i] = reply{text: paid.Text, asked: true}
			continue
		}
		open = append(open, i)
	}
	for len(open) > 0 {
		n, stop := a.afford(questions, open[:min(askAtOnce, len(open))])
		if n > 0 {
			if err := a.send(ctx, questions, open[:n], replies); err != nil {
				return replies, err
			}
		}
		if open = open[n:]; stop != nil {
			return replies, stop
		}
	}
	return replies, nil
}

func (a *asker) hash(m prompt.Message) string {
	return mem.Digest("reply", prompt.Version, a.run.Options.Model, m.Stage, m.SchemaName, m.System, m.User)
}

// afford counts how many of the questions the caller's limits allow.
func (a *asker) afford(questions []question, open []int) (n int, stop error) {
	o, spent := a.run.Options, a.run.Ledger.Total()
	calls, tokens := spent.Calls, spent.Prompt+spent.Completion
	for _, i := range open {
		m := questions[i].message
		tokens += text.EstimateTokens(m.System) + text.EstimateTokens(m.User)
		if o.MaxCalls > 0 && calls >= o.MaxCalls {
			return n, effect.Errorf(effect.LimitReached, "the limit of %d model calls is reached", o.MaxCalls)
		}
		if o.BudgetTokens > 0 && tokens > o.BudgetTokens {
			return n, effect.Errorf(effect.LimitReached, "the budget of %d model tokens is reached", o.BudgetTokens)
		}
		calls++
		n++
	}
	return n, nil
}

// send asks the host and commits what it answered.
func (a *asker) send(ctx context.Context, questions []question, open []int, replies []reply) error {
	prompts := make([]effect.Prompt, len(open))
	for j, i := range open {
		m := questions[i].message
		prompts[j] = effect.Prompt{Stage: m.Stage, System: m.System, User: m.User, Schema: m.Schema, SchemaName: m.SchemaName, MaxTokens: m.MaxTokens}
	}
	completions, err := a.h.Client().Complete(ctx, prompts)
	if err != nil {
		return fmt.Errorf("ask the model: %w", err)
	}
	var paid []bank.PaidReply
	var stop error
	usage := map[string]mem.Usage{}
	for j, i := range open {
		m, c := questions[i].message, completions[j]
		if c.Err != nil && !c.Err.Retryable && (c.Err.Code == effect.ContextLength || c.Err.Code == effect.ModelRefused) {
			replies[i] = reply{asked: true, refused: true, tooLong: c.Err.Code == effect.ContextLength}
			continue
		}
		if c.Err != nil {
			if stop == nil {
				stop = fmt.Errorf("ask the model: %w", c.Err)
			}
			continue
		}
		replies[i] = reply{text: c.Text, asked: true}
		paid = append(paid, bank.PaidReply{Hash: a.hash(m), Stage: m.Stage, Text: c.Text, Finish: c.Finish})
		usage[m.Stage] = usage[m.Stage].Plus(spent(m, c))
		a.run.Ledger.Took(m.Stage, mem.LLM)
	}
	if err := a.keep(ctx, paid, usage); err != nil {
		return err
	}
	return stop
}

// keep commits replies and what they cost.
func (a *asker) keep(ctx context.Context, paid []bank.PaidReply, usage map[string]mem.Usage) error {
	if len(paid) == 0 {
		return nil
	}
	for stage, u := range usage { // into a map: order does not matter
		a.run.Ledger.Spend(stage, u)
	}
	err := a.h.Commit(ctx, func(*bank.Snapshot) (*bank.Change, error) {
		return &bank.Change{Replies: paid, Usage: usage}, nil
	})
	if err != nil {
		return fmt.Errorf("keep %d model replies: %w", len(paid), err)
	}
	return nil
}

// spent is the usage of one completion, estimated where none was reported.
func spent(m prompt.Message, c effect.Completion) mem.Usage {
	u := mem.Usage{Calls: 1, Prompt: c.PromptTokens, Completion: c.OutputTokens, Cached: c.CachedTokens}
	if u.Prompt == 0 {
		u.Prompt = text.EstimateTokens(m.System) + text.EstimateTokens(m.User)
		u.Completion = text.EstimateTokens(c.Text)
		u.Estimated = u.Prompt + u.Completion
	} else if c.Estimated {
		u.Estimated = u.Prompt + u.Completion
	}
	return u
}

// finish notes replies that no span waits for as used.
func (a *asker) finish(messages ...prompt.Message) {
	for _, m := range messages {
		a.done = append(a.done, a.hash(m))
	}
}

// consumed lists the kept replies whose spans are all settled.
func (a *asker) consumed(s *bank.Snapshot) []string {
	var out []string
	add := func(hash string) {
		if _, ok := s.Reply(hash); ok {
			out = append(out, hash)
		}
	}
	for hash, spans := range a.used { // sorted below
		if len(spans) > 0 && !slices.ContainsFunc(spans, func(sp *span) bool { return !sp.settled }) {
			add(hash)
		}
	}
	for _, hash := range a.done {
		add(hash)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// report notes refusals, a few of them.
func (a *asker) report(stage string, refused []string) {
	const most = 5
	for i, r := range refused {
		if i == most {
			a.run.Ledger.Report(fmt.Sprintf("%s: and %d more", stage, len(refused)-most))
			return
		}
		a.run.Ledger.Report(stage + ": refused: " + r)
	}
}

// gaveUp notes that rules took over for n things.
func (a *asker) gaveUp(stage, what string, n int) {
	if n == 0 {
		return
	}
	a.run.Ledger.Spend(stage, mem.Usage{Fallbacks: n})
	a.run.Ledger.Report(fmt.Sprintf("%s: no usable reply about %d %s after one repair request; rules took over", stage, n, what))
}
