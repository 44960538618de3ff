package hostfuncs_test

import (
	"context"

	"github.com/leanmem/leanmem/core/effect"
)

type llmFunc func(ctx context.Context, p effect.Prompt) (effect.Completion, error)

func (f llmFunc) Complete(ctx context.Context, p effect.Prompt) (effect.Completion, error) {
	return f(ctx, p)
}

type embedFunc func(ctx context.Context, texts []string, purpose string) (effect.Vectors, error)

func (f embedFunc) Embed(ctx context.Context, texts []string, purpose string) (effect.Vectors, error) {
	return f(ctx, texts, purpose)
}

type tagFunc func(ctx context.Context, texts []string) ([][]effect.Entity, error)

func (f tagFunc) Tag(ctx context.Context, texts []string) ([][]effect.Entity, error) {
	return f(ctx, texts)
}
