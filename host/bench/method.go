package bench

import (
	"context"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/dialogue"
	"github.com/leanmem/leanmem/host/meter"
)

// Method is one way of remembering that is compared.
type Method struct {
	Name  string
	Group Group
	// OwnSize methods decide themselves how much evidence they give: they are
	// asked once, without a budget.
	OwnSize bool
	// Build makes a memory of a history.
	Build func(ctx context.Context, sessions []core.InputSession) (Memory, error)
}

// Group says where a method stands in the report.
type Group string

const (
	Whole    Group = "leanmem"
	Baseline Group = "baselines"
	Ablation Group = "stages off" // the ablations of the paper's Table 2
	Term     Group = "retrieval terms off"
)

// Memory answers questions about one history.
type Memory interface {
	// Evidence is asked with budget 0 of methods of their own size.
	Evidence(ctx context.Context, q dialogue.Question, budget int) (Evidence, Cost, error)
	// Built tells what building cost.
	Built() Cost
	Close() error
}

// Cost is what a step took.
type Cost struct {
	MS    meter.Split          `json:"ms"`
	Usage map[string]mem.Usage `json:"usage,omitempty"`
}

// Tokens of a language model that the cost holds.
func (c Cost) Tokens() int {
	n := 0
	for _, u := range c.Usage {
		n += u.Prompt + u.Completion
	}
	return n
}
