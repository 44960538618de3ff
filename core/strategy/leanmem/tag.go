package leanmem

import (
	"context"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/write"
)

// tagBatch is how many spans one tag request carries.
const tagBatch = 64

// tag gives records the entities that the host's tagger finds in their spans.
// The rules' keywords stay where there is no tagger or it fails: a name that
// is missed costs a little recall, and the turns can be found all the same.
func tag(ctx context.Context, h *bank.Handle, run *mem.Run, memories []mem.Memory) error {
	if !run.Options.Tagger {
		return nil
	}
	var records []int
	var texts []string
	for i, m := range memories {
		if m.Record != nil {
			records = append(records, i)
			texts = append(texts, write.Tagged(sourcesOf(h.Snapshot(), m)))
		}
	}
	for from := 0; from < len(records); from += tagBatch {
		to := min(from+tagBatch, len(records))
		entities, err := h.Client().Tag(ctx, texts[from:to])
		if effect.HasCode(err, effect.Canceled) {
			return err
		}
		if err != nil {
			run.Ledger.Report("materialise: the tagger failed, rules took over: " + string(effect.AsError(err).Code))
			return nil
		}
		for j, found := range entities {
			m := &memories[records[from+j]]
			var names []string
			for _, e := range found {
				names = append(names, e.Text)
			}
			m.Record.Keywords = write.KeywordsWith(sourcesOf(h.Snapshot(), *m), names)
		}
	}
	return nil
}

func sourcesOf(s *bank.Snapshot, m mem.Memory) []mem.Turn {
	var out []mem.Turn
	for _, id := range m.Sources {
		if row, ok := s.Find(id); ok {
			out = append(out, s.TurnAt(row))
		}
	}
	return out
}
