package core

import (
	"context"
	"fmt"
	"strings"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/rank"
)

// hostEmbedder is the value of Options.Embedder that asks the host.
const hostEmbedder = "host"

// embedBatch is how many texts one embed request carries.
const embedBatch = 128

// vectorsOf asks the host's embedder for the vectors of new turns. With the
// built-in embedder there is nothing to ask: the bank makes them itself.
func (o *opened) vectorsOf(ctx context.Context, turns []arrival) (map[string][]int8, error) {
	if o.run.Options.Embedder != hostEmbedder {
		return nil, nil
	}
	var units []embedded
	size := 0
	for _, a := range turns {
		if len(units) == commitTurns || size > commitBytes {
			break
		}
		size += len(a.turn.Text)
		if _, known := o.Snapshot().Find(a.turn.ID); known || o.Snapshot().Marked(a.turn.ID) {
			continue
		}
		units = append(units, embedded{a.turn.ID, bank.TurnTexts(a.turn)})
	}
	return o.embed(ctx, units, o.adopt)
}

// embedded is what is embedded under one id: the passages of a turn, or the
// text of a memory.
type embedded struct {
	id    string
	texts []string
}

// embed asks the host for the vectors of units, in batches, and quantises them;
// those of several passages stand behind each other.
func (o *opened) embed(ctx context.Context, units []embedded, fits func(effect.Vectors) error) (map[string][]int8, error) {
	var texts []string
	for _, u := range units {
		texts = append(texts, u.texts...)
	}
	vectors := make([][]int8, 0, len(texts))
	for from := 0; from < len(texts); from += embedBatch {
		to := min(from+embedBatch, len(texts))
		v, err := o.Client().Embed(ctx, texts[from:to], "document")
		if err != nil {
			return nil, fmt.Errorf("embed %d texts: %w", to-from, err)
		}
		if err := fits(v); err != nil {
			return nil, err
		}
		for i := range to - from {
			vectors = append(vectors, rank.Quantise(v.Row(i)))
		}
	}
	out := make(map[string][]int8, len(units))
	for _, u := range units {
		for range u.texts {
			out[u.id] = append(out[u.id], vectors[0]...)
			vectors = vectors[1:]
		}
	}
	return out, nil
}

// adopt checks the host's embedder against the bank's.
func (o *opened) adopt(v effect.Vectors) error {
	o.host = bank.HostEmbedder(v)
	return o.Snapshot().CheckEmbedder(o.host)
}

// noEmbedder is the value of Options.Embedder, and the name a bank keeps, where
// nothing is embedded.
const noEmbedder = "none"

// compatible refuses a request whose embedder cannot be the one that made the
// bank's vectors. Which model the host's is shows with its first vector (adopt).
func (o *opened) compatible() error {
	var want bank.Embedder
	switch o.run.Options.Embedder {
	case "":
		want = builtIn
	case noEmbedder:
		want = bank.Embedder{Name: noEmbedder}
	case hostEmbedder:
		want = bank.Embedder{Name: hostEmbedder}
		if strings.HasPrefix(o.Snapshot().Embedder().Name, hostEmbedder+":") {
			return nil
		}
	default:
		return effect.Errorf(effect.InvalidArgument, "embedder %.40q is none of empty (built in), none, host", o.run.Options.Embedder)
	}
	return o.Snapshot().CheckEmbedder(want)
}

// embedder is what a commit to a bank without vectors sets.
func (o *opened) embedder(s *bank.Snapshot) *bank.Embedder {
	if s.Embedder().Name != "" {
		return nil
	}
	switch o.run.Options.Embedder {
	case noEmbedder:
		return &bank.Embedder{Name: noEmbedder}
	case hostEmbedder:
		if o.host.Name == "" {
			return nil
		}
		e := o.host
		return &e
	}
	e := builtIn
	return &e
}
