package leanmem

import (
	"context"
	"fmt"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
	"github.com/leanmem/leanmem/core/text"
)

// consult asks the model once for a stage that writes nothing, and once more
// where read cannot use the reply. ok is false when rules have to do: no reply,
// none that can be read, or the caller's limits are reached. What a reader
// pays is not written to the bank: reading leaves it as it is.
func consult(ctx context.Context, h *bank.Handle, run *mem.Run, m prompt.Message, stream bool, read func(reply string) bool) (ok bool, err error) {
	for attempt := range 2 {
		if why := overLimit(run, m); why != "" {
			run.Ledger.Report(m.Stage + ": " + why + "; rules took over")
			return false, nil
		}
		c, err := h.Client().Complete(ctx, []effect.Prompt{{
			Stage: m.Stage, System: m.System, User: m.User, Schema: m.Schema, SchemaName: m.SchemaName,
			MaxTokens: m.MaxTokens, Stream: stream,
		}})
		if effect.HasCode(err, effect.Canceled) {
			return false, err
		}
		if err == nil && c[0].Err != nil {
			err = c[0].Err
		}
		if err != nil {
			run.Ledger.Spend(m.Stage, mem.Usage{Fallbacks: 1})
			run.Ledger.Report(fmt.Sprintf("%s: the model did not answer (%s); rules took over", m.Stage, effect.AsError(err).Code))
			return false, nil
		}
		run.Ledger.Spend(m.Stage, spent(m, c[0]))
		if read(c[0].Text) {
			run.Ledger.Took(m.Stage, mem.LLM)
			return true, nil
		}
		if attempt == 0 {
			m = m.Repair()
		}
	}
	run.Ledger.Spend(m.Stage, mem.Usage{Fallbacks: 1})
	run.Ledger.Report(m.Stage + ": no usable reply after one repair request; rules took over")
	return false, nil
}

// overLimit says which of the caller's limits one more prompt would pass.
func overLimit(run *mem.Run, m prompt.Message) string {
	total := run.Ledger.Total()
	if o := run.Options; o.MaxCalls > 0 && total.Calls >= o.MaxCalls {
		return fmt.Sprintf("the limit of %d model calls is reached", o.MaxCalls)
	}
	need := total.Prompt + total.Completion + text.EstimateTokens(m.System) + text.EstimateTokens(m.User)
	if o := run.Options; o.BudgetTokens > 0 && need > o.BudgetTokens {
		return fmt.Sprintf("the budget of %d model tokens is reached", o.BudgetTokens)
	}
	return ""
}
