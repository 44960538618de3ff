// Package leanmem is the strategy of the LeanMem paper: the order of the
// stages and their tunables, nothing else. Derive sequences filter, segment,
// schedule and materialise and commits what they made; Evolve consolidates the
// event buffer; Search and Answer sequence the stages of core/read.
//
// It is the only place that knows in which order stages run, asks the model
// for them, and keeps its replies until they are used.
package leanmem

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
	"github.com/leanmem/leanmem/core/read"
)

// Strategy implements the engine's interface of the same name. It holds no
// state.
type Strategy struct{}

// New makes the strategy.
func New() Strategy { return Strategy{} }

// Name is what Options.Strategy calls it.
func (Strategy) Name() string { return "leanmem" }

// Switches are the stages and retrieval terms that can be switched off.
func (Strategy) Switches() []string { return slices.Concat(mem.Stages, read.Terms) }

// rulesVersion is part of every fingerprint. It changes when the rules make
// other memories of the same turns.
const rulesVersion = "5"

// Fingerprint identifies the pipeline that derives memories under these
// options.
func (Strategy) Fingerprint(o mem.Options) string {
	off := slices.Clone(o.Off)
	slices.Sort(off)
	parts := []string{"leanmem", rulesVersion, o.Embedder, strings.Join(slices.Compact(off), ",")}
	if o.Tagger {
		parts = append(parts, "tagger")
	}
	if o.LLM {
		fused := "unfused"
		if o.IsFused() {
			fused = "fused"
		}
		parts = append(parts, "llm", o.Model, prompt.Version, fused)
	}
	return mem.Digest(parts...)
}
