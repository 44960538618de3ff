package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/meter"
	"github.com/leanmem/leanmem/host/tokens"
	"github.com/leanmem/leanmem/hostfuncs"
)

func (a *app) answerCommand() *cobra.Command {
	var f queryFlags
	evidence := false
	cmd := &cobra.Command{
		Use: "answer QUESTION", Short: "Answer a question from memory",
		Long: "Answers a question with the sources that the answer rests on. With a language\nmodel the answer is written as it arrives; without one, the best passages stand\nas they were said.",
		Args: f.arguments("answer"),
		RunE: working(func(cmd *cobra.Command, args []string) error { return a.answer(cmd.Context(), f, args[0], evidence) }),
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&evidence, "evidence", false, "print the evidence, too")
	return cmd
}

// answered is what answer prints with --json.
type answered struct {
	core.AnswerResult
	Tokens int         `json:"tokens"` // of the evidence, exactly
	MS     meter.Split `json:"ms"`
}

func (a *app) answer(ctx context.Context, f queryFlags, question string, evidence bool) error {
	q, err := f.query(question)
	if err != nil {
		return err
	}
	if err := a.open(ctx, reading); err != nil {
		return err
	}
	stream := answerStream{out: a.out}
	if !a.flags.json {
		ctx = hostfuncs.WithDelta(ctx, func(p effect.Prompt, text string) {
			if p.Stage == "answer" {
				stream.add(text)
			}
		})
	}
	var r answered
	r.MS, err = a.measured(func() (err error) {
		r.AnswerResult, err = a.host.Answer(ctx, core.AnswerRequest{Call: a.call(), Query: q})
		return err
	})
	if stream.shown {
		a.say("")
	}
	if err != nil {
		return err
	}
	r.Tokens = tokens.Count(r.Evidence.Text)
	// What was shown counts only if the reply could be read to its end.
	streamed := stream.shown && r.Path == mem.LLM
	return a.show(r, func() { a.showAnswer(r, streamed, evidence) })
}

func (a *app) showAnswer(r answered, streamed, evidence bool) {
	if !streamed {
		a.say("%s", strings.TrimSpace(r.Text))
	}
	if !r.Known {
		a.note("— the memory does not hold the answer")
	}
	for _, item := range r.Evidence.Items {
		if slices.Contains(r.Sources, item.ID) {
			a.note("— %s", cite(item))
		}
	}
	if evidence {
		a.note("\n%s", strings.TrimRight(r.Evidence.Text, "\n"))
	}
	a.note("— %s of evidence (%s)", count(r.Tokens, "token"), milliseconds(r.MS.Total))
	a.reports(r.Outcome)
}

// cite names where an item comes from.
func cite(i mem.Item) string {
	var parts []string
	for _, p := range []string{i.Date, i.Speaker, strings.Join(i.Sources, " ")} {
		if p != "" {
			parts = append(parts, inert(p))
		}
	}
	return strings.Join(parts, ", ") + ": " + clip(i.Text, 90)
}
