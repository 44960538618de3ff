package leanmem

import (
	"context"
	"fmt"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/rank"
)

// hostEmbedder is the value of Options.Embedder that asks the host.
const hostEmbedder = "host"

// embedBatch is how many texts one embed request carries.
const embedBatch = 128

// embed asks the host's embedder for the vectors of new memories. The built-in
// embedder needs no asking: the bank makes its vectors itself.
func embed(ctx context.Context, h *bank.Handle, o mem.Options, memories []mem.Memory) (map[string][]int8, *bank.Embedder, error) {
	if o.Embedder != hostEmbedder || len(memories) == 0 {
		return nil, nil, nil
	}
	out := make(map[string][]int8, len(memories))
	var used *bank.Embedder
	for from := 0; from < len(memories); from += embedBatch {
		part := memories[from:min(from+embedBatch, len(memories))]
		texts := make([]string, len(part))
		for i, m := range part {
			texts[i] = bank.MemoryText(m)
		}
		v, err := h.Client().Embed(ctx, texts, "document")
		if err != nil {
			return nil, nil, fmt.Errorf("embed %d memories: %w", len(texts), err)
		}
		e := bank.HostEmbedder(v)
		if err := h.Snapshot().CheckEmbedder(e); err != nil {
			return nil, nil, err
		}
		if h.Snapshot().Embedder().Name == "" {
			used = &e
		}
		for i, m := range part {
			out[m.ID] = rank.Quantise(v.Row(i))
		}
	}
	return out, used, nil
}
