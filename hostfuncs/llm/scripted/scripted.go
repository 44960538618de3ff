// Package scripted is a language model for tests: it answers by rule, always
// the same, and remembers what it was asked.
package scripted

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// Rule answers the prompts that it matches. Empty conditions match all.
type Rule struct {
	Stage    string                       // of the prompt
	Contains string                       // in its user text or its system text
	Match    func(p effect.Prompt) bool   // a further condition
	Times    int                          // the rule ends after so many answers; 0: never
	Delay    time.Duration                // before the answer; ended by the context
	Reply    string                       // the text of the answer
	Answer   func(p effect.Prompt) string // makes the text; wins over Reply
	Finish   string                       // "" means stop
	Err      error                        // given instead of an answer

	// Tokens of the answer; 0: estimated from the texts, always alike.
	PromptTokens, OutputTokens, CachedTokens int
}

// Model is a hostfuncs.LLM. The first rule that matches answers.
type Model struct {
	mu    sync.Mutex
	rules []Rule
	used  []int
	asked []effect.Prompt
}

var _ hostfuncs.LLM = (*Model)(nil)

// New returns a model with rules. A prompt that none matches fails.
func New(rules ...Rule) *Model {
	return &Model{rules: slices.Clone(rules), used: make([]int, len(rules))}
}

// Echo returns a model that answers with the user text.
func Echo() *Model {
	return New(Rule{Answer: func(p effect.Prompt) string { return p.User }})
}

// Asked returns the prompts in the order in which they arrived.
func (m *Model) Asked() []effect.Prompt {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked)
}

// Count tells how many prompts of a stage arrived; "" counts all.
func (m *Model) Count(stage string) (n int) {
	for _, p := range m.Asked() {
		if stage == "" || p.Stage == stage {
			n++
		}
	}
	return n
}

// Unused returns the rules that answered nothing: a test whose script was not
// followed to the end can say so.
func (m *Model) Unused() (out []Rule) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, r := range m.rules {
		if m.used[i] == 0 {
			out = append(out, r)
		}
	}
	return out
}

// Complete implements hostfuncs.LLM.
func (m *Model) Complete(ctx context.Context, p effect.Prompt) (effect.Completion, error) {
	r, ok := m.pick(p)
	if !ok {
		return effect.Completion{}, effect.Errorf(effect.ModelFailed, "complete a prompt: no rule of the script matches stage %q", p.Stage)
	}
	if r.Delay > 0 {
		timer := time.NewTimer(r.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if err := hostfuncs.ContextError(ctx, "complete a prompt"); err != nil {
		return effect.Completion{}, err
	}
	if r.Err != nil {
		return effect.Completion{PromptTokens: r.PromptTokens, OutputTokens: r.OutputTokens}, r.Err
	}
	return r.complete(ctx, p), nil
}

func (m *Model) pick(p effect.Prompt) (Rule, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, p)
	for i, r := range m.rules {
		if r.Times > 0 && m.used[i] >= r.Times || !r.matches(p) {
			continue
		}
		m.used[i]++
		return r, true
	}
	return Rule{}, false
}

func (r Rule) matches(p effect.Prompt) bool {
	return (r.Stage == "" || r.Stage == p.Stage) &&
		(r.Contains == "" || strings.Contains(p.User, r.Contains) || strings.Contains(p.System, r.Contains)) &&
		(r.Match == nil || r.Match(p))
}

func (r Rule) complete(ctx context.Context, p effect.Prompt) effect.Completion {
	c := effect.Completion{
		Text: r.Reply, Finish: r.Finish,
		PromptTokens: r.PromptTokens, OutputTokens: r.OutputTokens, CachedTokens: r.CachedTokens,
	}
	if r.Answer != nil {
		c.Text = r.Answer(p)
	}
	if c.Finish == "" {
		c.Finish = "stop"
	}
	if c.PromptTokens == 0 {
		c.PromptTokens, c.Estimated = estimate(p.System)+estimate(p.User), true
	}
	if c.OutputTokens == 0 {
		c.OutputTokens, c.Estimated = estimate(c.Text), true
	}
	if show := hostfuncs.Delta(ctx); show != nil && p.Stream {
		for _, word := range strings.SplitAfter(c.Text, " ") {
			show(p, word)
		}
	}
	return c
}

func estimate(text string) int { return (len(text) + 3) / 4 }

// String tells how far the script has come.
func (m *Model) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return fmt.Sprintf("scripted model: %d rules, %d prompts", len(m.rules), len(m.asked))
}
