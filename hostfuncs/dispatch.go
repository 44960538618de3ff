package hostfuncs

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/leanmem/leanmem/core/effect"
)

// Set is what one host supplies. A nil part is answered with unavailable.
type Set struct {
	LLM      LLM
	Embedder Embedder
	Tagger   Tagger
	Store    Store
	// Progress is told how far long work has come; an error cancels the work.
	Progress func(ctx context.Context, p effect.Progress) error

	Options
}

// With returns the set under narrower options.
func (s Set) With(o Options) Set {
	s.Options = s.Options.narrow(o)
	return s
}

// Dispatch performs one request. It never panics; whatever goes wrong stands in
// the reply.
func (s Set) Dispatch(ctx context.Context, r effect.Request) (reply effect.Reply) {
	defer func() {
		if p := recover(); p != nil {
			reply = effect.Reply{Err: panicked(r.Op, p, effect.Internal)}
		}
	}()
	if err := s.admit(r); err != nil {
		return effect.Reply{Err: err}
	}
	if err := ContextError(ctx, string(r.Op)); err != nil {
		return effect.Reply{Err: effect.AsError(err)}
	}
	switch r.Op {
	case effect.OpComplete:
		return s.complete(ctx, r)
	case effect.OpEmbed:
		return s.embed(ctx, r)
	case effect.OpTag:
		return s.tag(ctx, r)
	case effect.OpProgress:
		return s.progress(ctx, r)
	}
	return s.store(ctx, r)
}

// admit refuses what the caller may not ask and what nobody supplies.
func (s Set) admit(r effect.Request) *effect.Error {
	missing := false
	switch r.Op {
	case effect.OpComplete:
		missing = s.LLM == nil
	case effect.OpEmbed:
		missing = s.Embedder == nil
	case effect.OpTag:
		missing = s.Tagger == nil
	case effect.OpGet, effect.OpScan, effect.OpCommit, effect.OpBanks:
		missing = s.Store == nil
	case effect.OpProgress:
		return nil
	default:
		return effect.Errorf(effect.InvalidArgument, "unknown effect %q", Redact(string(r.Op)))
	}
	if missing {
		return effect.Errorf(effect.Unavailable, "%s: the host supplies none", r.Op)
	}
	if err := checkNames(r); err != nil {
		return effect.AsError(err)
	}
	isStore := r.Op == effect.OpGet || r.Op == effect.OpScan || r.Op == effect.OpCommit
	if isStore {
		if err := CheckBank(r.Bank); err != nil {
			return effect.AsError(err)
		}
	}
	// A model request carries a bank's data; without a name there is none to guard.
	if (isStore || (r.Op != effect.OpBanks && r.Bank != "")) && !s.allows(r.Bank) {
		return effect.Errorf(effect.Forbidden, "%s: the caller may not touch this bank", r.Op)
	}
	return nil
}

func (s Set) complete(ctx context.Context, r effect.Request) effect.Reply {
	if s.Delta != nil {
		ctx = WithDelta(ctx, s.Delta)
	}
	out := make([]effect.Completion, len(r.Prompts))
	slots := make(chan struct{}, s.prompts())
	var wg sync.WaitGroup
	for i, p := range r.Prompts {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			out[i] = s.prompt(ctx, p)
		})
	}
	wg.Wait()
	return effect.Reply{Completions: out}
}

func (s Set) prompt(ctx context.Context, p effect.Prompt) effect.Completion {
	c, err := bounded(ctx, s.Options, effect.OpComplete, func(ctx context.Context) (effect.Completion, error) {
		return s.LLM.Complete(ctx, p)
	})
	if err != nil {
		c.Err = redacted(coded(err, effect.ModelFailed), p.User)
	}
	return c
}

func (s Set) embed(ctx context.Context, r effect.Request) effect.Reply {
	v, err := bounded(ctx, s.Options, r.Op, func(ctx context.Context) (effect.Vectors, error) {
		return s.Embedder.Embed(ctx, r.Texts, r.Purpose)
	})
	if err == nil && (v.Dims <= 0 || len(v.Data) != v.Dims*len(r.Texts)) && len(r.Texts) > 0 {
		err = effect.Errorf(effect.EmbedFailed, "embed: %d numbers of %d dimensions for %d texts", len(v.Data), v.Dims, len(r.Texts))
	}
	if err != nil {
		return effect.Reply{Err: redacted(coded(err, effect.EmbedFailed), r.Texts...)}
	}
	return effect.Reply{Vectors: v}
}

func (s Set) tag(ctx context.Context, r effect.Request) effect.Reply {
	e, err := bounded(ctx, s.Options, r.Op, func(ctx context.Context) ([][]effect.Entity, error) {
		return s.Tagger.Tag(ctx, r.Texts)
	})
	if err == nil && len(e) != len(r.Texts) {
		err = effect.Errorf(effect.TagFailed, "tag: %d lists for %d texts", len(e), len(r.Texts))
	}
	if err != nil {
		return effect.Reply{Err: redacted(coded(err, effect.TagFailed), r.Texts...)}
	}
	return effect.Reply{Entities: e}
}

func (s Set) progress(ctx context.Context, r effect.Request) effect.Reply {
	if s.Progress == nil {
		return effect.Reply{}
	}
	return effect.Reply{Err: coded(s.Progress(ctx, r.Progress), effect.Canceled)}
}

// bounded runs a model call under its deadline and gives up on a provider that
// does not heed it; such a call goes on alone and its result is dropped.
func bounded[T any](ctx context.Context, o Options, op effect.Op, call func(context.Context) (T, error)) (T, error) {
	inner, cancel := o.deadline(ctx, op)
	defer cancel()
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = panicked(op, p, failure(op))
			}
			done <- r
		}()
		r.value, r.err = call(inner)
	}()
	select {
	case r := <-done:
		return r.value, contextual(ctx, inner, op, r.err)
	case <-inner.Done():
	}
	select { // a result that arrived meanwhile was paid for
	case r := <-done:
		return r.value, contextual(ctx, inner, op, r.err)
	case <-afterGrace():
		var none T
		return none, contextual(ctx, inner, op, inner.Err())
	}
}

// contextual gives an error that a deadline or a cancellation caused its code,
// whatever the provider made of it.
func contextual(outer, inner context.Context, op effect.Op, err error) error {
	if err == nil || inner.Err() == nil {
		return err
	}
	if e := ContextError(outer, string(op)); e != nil {
		return e
	}
	code := effect.Deadline
	if op == effect.OpComplete {
		code = effect.ModelTimeout
	}
	return effect.Retryf(code, "%s: no answer in time", op)
}

func failure(op effect.Op) effect.Code {
	switch op {
	case effect.OpComplete:
		return effect.ModelFailed
	case effect.OpEmbed:
		return effect.EmbedFailed
	case effect.OpTag:
		return effect.TagFailed
	}
	return effect.StoreFailed
}

// coded gives an error without a code the one of its kind.
func coded(err error, code effect.Code) *effect.Error {
	if err == nil {
		return nil
	}
	e := *effect.AsError(err)
	if e.Code == effect.Internal || !slices.Contains(effect.Codes, e.Code) {
		e.Code = code
	}
	return &e
}

func redacted(e *effect.Error, texts ...string) *effect.Error {
	c := *e
	c.Message = Redact(c.Message, texts...)
	return &c
}

// panicked tells of a panic without its value, which may hold anything, unless
// the runtime itself wrote it.
func panicked(op effect.Op, p any, code effect.Code) *effect.Error {
	what := fmt.Sprintf("%T", p)
	if e, ok := p.(runtime.Error); ok {
		what = e.Error()
	}
	return effect.Errorf(code, "%s: the provider panicked: %s", op, what)
}
