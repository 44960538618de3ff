package hostfuncs

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/leanmem/leanmem/core/effect"
)

// Options say what a caller may touch and how long an effect may take. The zero
// value allows every bank and takes the defaults.
type Options struct {
	// Allow says whether the caller may touch a bank; nil allows all.
	Allow func(bank string) bool
	// Banks, when it is not nil, are the only banks that the caller may touch.
	Banks []string

	// Prompts is how many prompts of one request are performed in parallel;
	// 0: 8.
	Prompts int
	// How long one prompt, one embed, one tag and one store request may take;
	// 0: the default, negative: no limit.
	PromptTimeout time.Duration // 2 minutes
	EmbedTimeout  time.Duration // 2 minutes
	TagTimeout    time.Duration // 1 minute
	StoreTimeout  time.Duration // 30 seconds

	// Delta shows the text of prompts with Stream set as it arrives, if the
	// provider can stream. It may be called from several goroutines.
	Delta func(p effect.Prompt, text string)
}

// narrow combines options: a caller's bounds are never wider than the set's.
func (o Options) narrow(by Options) Options {
	outer := o
	o.Allow = func(bank string) bool { return outer.allows(bank) && by.allows(bank) }
	switch {
	case o.Banks == nil:
		o.Banks = by.Banks
	case by.Banks != nil:
		o.Banks = slices.DeleteFunc(slices.Clone(o.Banks), func(b string) bool { return !slices.Contains(by.Banks, b) })
	}
	if by.Prompts != 0 {
		o.Prompts = by.Prompts
	}
	for _, t := range []struct{ to, from *time.Duration }{
		{&o.PromptTimeout, &by.PromptTimeout}, {&o.EmbedTimeout, &by.EmbedTimeout},
		{&o.TagTimeout, &by.TagTimeout}, {&o.StoreTimeout, &by.StoreTimeout},
	} {
		if *t.from != 0 {
			*t.to = *t.from
		}
	}
	if by.Delta != nil {
		o.Delta = by.Delta
	}
	return o
}

func (o Options) allows(bank string) bool {
	if o.Banks != nil && !slices.Contains(o.Banks, bank) {
		return false
	}
	return o.Allow == nil || o.Allow(bank)
}

func (o Options) prompts() int {
	if o.Prompts <= 0 {
		return 8
	}
	return o.Prompts
}

func (o Options) timeout(op effect.Op) time.Duration {
	own, standard := o.StoreTimeout, 30*time.Second
	switch op {
	case effect.OpComplete:
		own, standard = o.PromptTimeout, 2*time.Minute
	case effect.OpEmbed:
		own, standard = o.EmbedTimeout, 2*time.Minute
	case effect.OpTag:
		own, standard = o.TagTimeout, time.Minute
	}
	if own == 0 {
		return standard
	}
	return own
}

func (o Options) deadline(ctx context.Context, op effect.Op) (context.Context, context.CancelFunc) {
	if t := o.timeout(op); t > 0 {
		return context.WithTimeout(ctx, t)
	}
	return context.WithCancel(ctx)
}

// ContextError returns nil while the context stands, else canceled or deadline.
func ContextError(ctx context.Context, doing string) error {
	err := ctx.Err()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return effect.Retryf(effect.Deadline, "%s: the deadline has passed", doing)
	}
	return effect.Errorf(effect.Canceled, "%s: cancelled", doing)
}
