package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
	"github.com/leanmem/leanmem/core/text"
	"github.com/leanmem/leanmem/host/dialogue"
	"github.com/leanmem/leanmem/host/meter"
	"github.com/leanmem/leanmem/hostfuncs"
)

// Accuracy reads the evidence of every method with the same model and the same
// prompt, and has its answers judged. A question costs one call of the reader
// and two of the judge.
type Accuracy struct {
	Reader hostfuncs.LLM
	Judge  hostfuncs.LLM // nil: no judge
}

// Answered is what a reader made of a piece of evidence.
type Answered struct {
	Text    string               `json:"text"`
	Known   bool                 `json:"known"`
	F1      float64              `json:"f1"`     // LoCoMo's
	SetF1   float64              `json:"set_f1"` // of the sets of words
	Strict  *float64             `json:"strict,omitempty"`
	Lenient *float64             `json:"lenient,omitempty"`
	Usage   map[string]mem.Usage `json:"usage"` // answer, judge
	MS      meter.Split          `json:"ms"`    // of the answer
}

// answer asks reader and judge about a question that the dialogue answers.
func (a *Accuracy) answer(ctx context.Context, q dialogue.Question, evidence string) (*Answered, error) {
	asked, _ := text.ParseStamp(q.Time)
	m := prompt.Answer(q.Text, evidence, asked)
	out := &Answered{Usage: map[string]mem.Usage{}}
	start := time.Now()
	reply, err := complete(ctx, a.Reader, m, out.Usage)
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	spent := float64(time.Since(start)) / 1e6
	out.MS = meter.Split{Total: spent, LLM: spent}
	read, _, ok := prompt.ParseAnswer(reply, nil)
	if !ok {
		read.Text = ""
	}
	out.Text, out.Known = read.Text, read.Known
	out.F1, out.SetF1 = LoCoMoF1(out.Text, q.Answer, q.Category), SetF1(out.Text, q.Answer)
	if a.Judge == nil {
		return out, nil
	}
	for _, j := range []struct {
		instruction string
		to          **float64
	}{{strictJudge, &out.Strict}, {lenientJudge, &out.Lenient}} {
		verdict, err := complete(ctx, a.Judge, judgement(j.instruction, q, out.Text), out.Usage)
		if err != nil {
			return nil, fmt.Errorf("judge: %w", err)
		}
		right, ok := readVerdict(verdict)
		if ok {
			*j.to = given(truth(right), true)
		}
	}
	return out, nil
}

// complete completes one message and counts what it took.
func complete(ctx context.Context, llm hostfuncs.LLM, m prompt.Message, usage map[string]mem.Usage) (string, error) {
	c, err := llm.Complete(ctx, effect.Prompt{
		Stage: m.Stage, System: m.System, User: m.User, Schema: m.Schema, SchemaName: m.SchemaName, MaxTokens: m.MaxTokens,
	})
	u := mem.Usage{Calls: 1, Prompt: c.PromptTokens, Completion: c.OutputTokens, Cached: c.CachedTokens}
	if c.Estimated {
		u.Estimated = u.Prompt + u.Completion
	}
	usage[m.Stage] = usage[m.Stage].Plus(u)
	// What a model will not answer is answered wrongly, not left out.
	if effect.HasCode(err, effect.ModelRefused) || effect.HasCode(err, effect.ContextLength) {
		return "", nil
	}
	return c.Text, err
}
