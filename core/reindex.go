package core

import (
	"context"

	"github.com/leanmem/leanmem/core/effect"
)

// reindex makes the vectors of a bank anew with the embedder of the options.
func (e *Engine) reindex(ctx context.Context, o *opened, q *ReindexRequest) (*ReindexResult, error) {
	if err := o.exists(); err != nil {
		return nil, err
	}
	return nil, effect.Errorf(effect.Unavailable, "reindex is being built")
}
