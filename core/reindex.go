package core

import (
	"context"
	"fmt"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/embed"
	"github.com/leanmem/leanmem/core/mem"
)

// builtIn is the embedder that comes with the core.
var builtIn = bank.Embedder{Name: embed.Name, Dims: embed.Dims}

// reindex makes the vectors of a bank anew with the embedder of the options, a
// batch a commit. The old vectors serve until every new one is there, and a
// call that stopped goes on where it was.
func (e *Engine) reindex(ctx context.Context, o *opened, q *ReindexRequest) (*ReindexResult, error) {
	if err := o.exists(); err != nil {
		return nil, err
	}
	to, err := o.target(ctx)
	if err != nil {
		return nil, err
	}
	res := &ReindexResult{Embedder: to.Name}
	for _, n := range countKinds(o.Snapshot()) { // a sum: order does not matter
		res.Total += n
	}
	for o.Snapshot().Embedder() != to {
		rows := o.Snapshot().Unindexed(to)
		res.Done = res.Total - len(rows)
		if err := o.Client().Progress(ctx, "reindex", res.Done, res.Total); err != nil {
			return nil, err
		}
		vectors, err := o.newVectors(ctx, rows[:min(embedBatch, len(rows))], to)
		if res.Stopped, err = stopped(err); err != nil {
			return nil, fmt.Errorf("make vectors (%d of %d done): %w", res.Done, res.Total, err)
		} else if res.Stopped != nil {
			res.Outcome = o.outcome()
			return res, nil
		}
		err = o.Commit(ctx, func(*bank.Snapshot) (*bank.Change, error) {
			return &bank.Change{Reindex: &bank.Reindex{To: to, Vectors: vectors}}, nil
		})
		if err != nil {
			return nil, fmt.Errorf("store vectors (%d of %d done): %w", res.Done, res.Total, err)
		}
	}
	res.Done = res.Total
	res.Outcome = o.outcome()
	return res, nil
}

// target is the embedder that the options name; the host's is asked once for
// its name and dimensions.
func (o *opened) target(ctx context.Context) (bank.Embedder, error) {
	switch o.run.Options.Embedder {
	case "":
		return builtIn, nil
	case noEmbedder:
		return bank.Embedder{Name: noEmbedder}, nil
	case hostEmbedder:
		v, err := o.Client().Embed(ctx, []string{"a test of the embedder"}, "document")
		if err != nil {
			return bank.Embedder{}, err
		}
		return bank.HostEmbedder(v), nil
	}
	return bank.Embedder{}, effect.Errorf(effect.InvalidArgument, "embedder %.40q is none of empty (built in), none, host", o.run.Options.Embedder)
}

// newVectors embeds rows; an empty vector says that the text has none.
func (o *opened) newVectors(ctx context.Context, rows []int, to bank.Embedder) (map[string][]int8, error) {
	units := make([]embedded, len(rows))
	for i, row := range rows {
		units[i] = unitOf(o.Snapshot(), row)
	}
	if to.Name != builtIn.Name && to.Name != noEmbedder {
		return o.embed(ctx, units, func(v effect.Vectors) error {
			if v.Dims != to.Dims {
				return effect.Errorf(effect.EmbedFailed, "embed: the host's embedder gave %d dimensions, then %d", to.Dims, v.Dims)
			}
			return nil
		})
	}
	out := make(map[string][]int8, len(units))
	for _, u := range units {
		out[u.id] = nil
		if to.Name == builtIn.Name {
			out[u.id] = ownVectors(u.texts)
		}
	}
	return out, nil
}

func unitOf(s *bank.Snapshot, row int) embedded {
	if s.Row(row).Kind == mem.KindTurn {
		return embedded{s.Row(row).ID, bank.TurnTexts(s.TurnAt(row))}
	}
	return embedded{s.Row(row).ID, []string{bank.MemoryText(s.MemoryAt(row))}}
}

// ownVectors embeds texts with the built-in embedder; nil when it does not
// cover one of them.
func ownVectors(texts []string) []int8 {
	var out []int8
	for _, t := range texts {
		v, ok := embed.Text(t)
		if !ok {
			return nil
		}
		out = append(out, v...)
	}
	return out
}
