package leanmem

import (
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
)

// Admit takes our own evidence out of a turn: what memory said is not to be
// remembered as if somebody had said it.
func (Strategy) Admit(t mem.Turn) mem.Turn {
	t.Text, _ = prompt.StripEvidence(t.Text)
	if len(t.Parts) == 0 {
		return t
	}
	parts := make([]mem.Part, 0, len(t.Parts))
	for _, p := range t.Parts {
		found := false
		if p.Text, found = prompt.StripEvidence(p.Text); found && p.Type == mem.PartText && p.Text == "" {
			continue
		}
		parts = append(parts, p)
	}
	t.Parts = parts
	return t
}
