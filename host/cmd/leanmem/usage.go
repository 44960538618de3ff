package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leanmem/leanmem/core/mem"
)

// prices are what a provider asks for a million tokens, in any currency.
type prices struct {
	in, cached, out float64
}

func (p *prices) register(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.Float64Var(&p.in, "price-in", 0, "price of a million prompt tokens: costs are printed")
	f.Float64Var(&p.cached, "price-cached", -1, "price of a million prompt tokens that the provider had cached (default: the same)")
	f.Lookup("price-cached").DefValue = "0" // -1 means nothing to a reader
	f.Float64Var(&p.out, "price-out", 0, "price of a million completion tokens")
}

func (p prices) known() bool { return p.in > 0 || p.out > 0 }

// of is what a usage costs.
func (p prices) of(u mem.Usage) float64 {
	cached := p.cached
	if cached < 0 {
		cached = p.in
	}
	return (float64(u.Prompt-u.Cached)*p.in + float64(u.Cached)*cached + float64(u.Completion)*p.out) / 1e6
}

// showUsage prints what was spent on the model, in all and by stage.
func (a *app) showUsage(usage map[string]mem.Usage) {
	var total mem.Usage
	for _, u := range usage { // a sum: order does not matter
		total = total.Plus(u)
	}
	if total.Calls > 0 {
		a.say("model: %s", a.spent(total))
		for _, stage := range sortedKeys(usage) {
			if usage[stage].Calls > 0 && len(usage) > 1 {
				a.say("  %-9s %s", stage, a.spent(usage[stage]))
			}
		}
	}
	if a.tags != nil {
		if u := a.tags.Usage(); u.Calls > 0 {
			a.say("tagger: %s", a.spent(mem.Usage{Calls: u.Calls, Prompt: u.Prompt, Completion: u.Completion, Cached: u.Cached, Estimated: u.Estimated}))
		}
	}
}

func (a *app) spent(u mem.Usage) string {
	parts := []string{count(u.Calls, "call"), number(u.Prompt) + " prompt and " + number(u.Completion) + " completion tokens"}
	if u.Cached > 0 {
		parts = append(parts, number(u.Cached)+" of them cached")
	}
	if u.Estimated > 0 {
		parts = append(parts, number(u.Estimated)+" estimated")
	}
	if u.Fallbacks > 0 {
		parts = append(parts, count(u.Fallbacks, "fallback")+" to rules")
	}
	if a.flags.prices.known() {
		parts = append(parts, fmt.Sprintf("cost %.4f", a.flags.prices.of(u)))
	}
	return strings.Join(parts, ", ")
}
