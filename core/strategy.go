// Package core is the engine: the verbs of a memory bank over a strategy and
// the port. It knows no host and no storage; requests and results are JSON
// (verbs.go), the same natively and in the plugin.
package core

import (
	"context"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/mem"
)

// Strategy sequences the stages of one way of remembering. It is declared here
// by its consumer; core/strategy/… implement it and import neither core nor
// each other.
type Strategy interface {
	// Name is what Options.Strategy calls it.
	Name() string

	// Switches are the names of stages and retrieval terms that Options.Off may
	// hold.
	Switches() []string

	// Fingerprint identifies the pipeline that derives memories under these
	// options: strategy, options that matter, model, prompt version.
	Fingerprint(o mem.Options) string

	// Admit cleans a turn before it is stored: what must never come back as a
	// memory (our own evidence, pasted into a dialogue) is taken out.
	Admit(t mem.Turn) mem.Turn

	// Derive turns every span of turns that is due into memories and commits
	// each unit with the session's new state. A span is due when its session is
	// closed, when a boundary lies safely behind the open tail, or when the
	// tail exceeds its size. It decides from the turns alone, so that adding
	// turn by turn and in bulk give the same memories.
	Derive(ctx context.Context, h *bank.Handle, run *mem.Run) error

	// Evolve consolidates buffered events. Unless force is set it does nothing
	// while the buffer is below its capacity.
	Evolve(ctx context.Context, h *bank.Handle, run *mem.Run, force bool) error

	// Search plans, retrieves, reranks and composes evidence.
	Search(ctx context.Context, h *bank.Handle, run *mem.Run, q mem.Query) (mem.Plan, mem.Evidence, error)

	// Answer asks the model with the evidence; without a model it gives the
	// best passages as they stand.
	Answer(ctx context.Context, h *bank.Handle, run *mem.Run, q mem.Query, plan mem.Plan, e mem.Evidence) (mem.Answer, error)
}
