// Package llm completes prompts with any server that has OpenAI's chat
// interface. It may not decide anything about memories: it sends what it is
// given and returns text, counted tokens, or a coded error.
//
// What a server does not support is learned from its refusals and remembered:
// JSON schemas, JSON mode, a temperature, the name of the token limit, usage in
// streams (format.go).
package llm

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/internal/openai"
)

// Structured says in which form a reply's schema is sent.
type Structured int

const (
	// Auto starts with a JSON schema and goes on to JSON mode and then to plain
	// text when the server refuses.
	Auto Structured = iota
	Schema
	JSON
	Text
)

// Options of New. Zero values are the defaults named beside them.
type Options struct {
	BaseURL     string        // https://api.openai.com/v1
	Key         string        // never logged, never in an error
	Model       string        // required
	Timeout     time.Duration // of one attempt: 90 seconds; negative: the caller's deadline alone
	Concurrency int           // prompts at once over all callers: 8
	MaxRetries  int           // further attempts: 4; negative: none
	MaxWait     time.Duration // for all waiting between attempts of a prompt: 1 minute
	Backoff     time.Duration // the first wait: 500 ms
	MaxBody     int64         // bytes of a reply: 64 MB
	Structured  Structured
	Temperature *float64 // 0, and none for models that take none
	Seed        *int     // not sent
	// OnDelta shows the text of prompts with Stream set as it arrives, where
	// the context has no function of its own (hostfuncs.WithDelta).
	OnDelta func(p effect.Prompt, text string)
	// Extra are further fields of the request's body, such as
	// chat_template_kwargs.
	Extra     map[string]any
	Transport http.RoundTripper // http.DefaultTransport
}

func (o Options) config() openai.Config {
	return openai.Config{
		BaseURL: o.BaseURL, Key: o.Key, Timeout: o.Timeout, Concurrency: o.Concurrency,
		MaxRetries: o.MaxRetries, MaxWait: o.MaxWait, Backoff: o.Backoff, MaxBody: o.MaxBody, Transport: o.Transport,
		Failed: effect.ModelFailed, TimedOut: effect.ModelTimeout,
	}
}

// String tells model and server without the key.
func (o Options) String() string { return fmt.Sprintf("model %s, %v", o.Model, o.config()) }

// GoString keeps %#v from showing the key.
func (o Options) GoString() string { return o.String() }

// LLM is a hostfuncs.LLM.
type LLM struct {
	opts   Options
	client *openai.Client
	habits habits
}

var _ hostfuncs.LLM = (*LLM)(nil)

// New returns a provider. It does not talk to the server yet.
func New(o Options) (*LLM, error) {
	if o.Model == "" {
		return nil, effect.Errorf(effect.InvalidArgument, "a language model needs a model name")
	}
	client, err := openai.New(o.config())
	if err != nil {
		return nil, err
	}
	l := &LLM{opts: o, client: client}
	l.habits.start(o)
	return l, nil
}

// Model is the name of the model.
func (l *LLM) Model() string { return l.opts.Model }

// String tells model and server without the key.
func (l *LLM) String() string { return l.opts.String() }

// GoString keeps %#v from showing the key.
func (l *LLM) GoString() string { return l.opts.String() }

// Complete implements hostfuncs.LLM. Tokens of attempts that failed after an
// answer are part of the completion's.
func (l *LLM) Complete(ctx context.Context, p effect.Prompt) (effect.Completion, error) {
	var total effect.Completion
	doing := "complete a prompt"
	if p.Stage != "" {
		doing = "complete a prompt of stage " + hostfuncs.Redact(p.Stage, p.User)
	}
	show := l.show(ctx, p)
	shown := false
	err := l.client.Do(ctx, doing, []string{p.User}, func(ctx context.Context) error {
		for {
			tried := l.habits.current()
			c, err := l.attempt(ctx, p, tried, show, &shown)
			total = add(total, c)
			if err == nil || !l.habits.learn(tried, p, err) {
				if err != nil && shown {
					return openai.Fatal{Err: interrupted(doing, err)}
				}
				return err
			}
		}
	})
	if err != nil {
		return total, err
	}
	return total, nil
}

func (l *LLM) attempt(ctx context.Context, p effect.Prompt, h habit, show func(string), shown *bool) (effect.Completion, error) {
	request, fields := l.request(p, h)
	ctx = openai.WithFields(ctx, fields)
	if show != nil {
		return l.stream(ctx, p, request, h, func(text string) {
			*shown = true
			show(text)
		})
	}
	return l.whole(ctx, p, request)
}

// show is where the text of a prompt goes while it arrives; nil when nobody
// looks, since a whole reply is cheaper to read than a stream.
func (l *LLM) show(ctx context.Context, p effect.Prompt) func(text string) {
	f := hostfuncs.Delta(ctx)
	if f == nil {
		f = l.opts.OnDelta
	}
	if f == nil || !p.Stream {
		return nil
	}
	return func(text string) { f(p, text) }
}

// interrupted is the error of a prompt whose text was shown in part: trying
// again would show it twice.
func interrupted(doing string, err error) *effect.Error {
	if e := (effect.AsError(err)); e.Code != effect.Internal {
		return e
	}
	return effect.Retryf(effect.ModelFailed, "%s: the stream broke off", doing)
}

func add(total, c effect.Completion) effect.Completion {
	c.PromptTokens += total.PromptTokens
	c.OutputTokens += total.OutputTokens
	c.CachedTokens += total.CachedTokens
	c.Estimated = c.Estimated || total.Estimated
	return c
}

// reasons reports whether a model takes max_completion_tokens and no
// temperature. The library refuses anything else for these names, on any
// server.
func reasons(model string) bool {
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, prefix) {
			return true
		}
	}
	return false
}
