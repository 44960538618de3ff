package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/host/meter"
)

// derived is the result of a verb that makes memories, with its time.
type derived struct {
	core.AddResult
	MS meter.Split `json:"ms"`
}

// deriving is a command that makes memories of what is stored. nothing is what
// it says where no turn was waiting.
func (a *app) deriving(use, short, long, label, nothing string, call func(context.Context, []string) (core.AddResult, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: long,
		RunE: working(func(cmd *cobra.Command, sessions []string) error {
			if err := a.open(cmd.Context(), changing); err != nil {
				return err
			}
			a.bar = newBar(a.errs, label, 0)
			var r derived
			var err error
			r.MS, err = a.measured(func() (err error) {
				r.AddResult, err = call(cmd.Context(), sessions)
				return err
			})
			a.bar.clear()
			if err != nil {
				return a.stopped(cmd.Context(), err, addReport{})
			}
			return a.show(r, func() {
				if r.Settled == 0 && r.Pending == 0 {
					a.say(nothing, a.flags.bank)
				} else {
					a.say("turned %s of bank %q into memory in %s", count(r.Settled, "turn"), a.flags.bank, milliseconds(r.MS.Total))
				}
				a.showDerived(r.AddResult)
			})
		}),
	}
}

func (a *app) flushCommand() *cobra.Command {
	return a.deriving("flush [SESSION…]", "Close sessions and turn them into memory",
		"Closes sessions, all or those named, and turns what is open in them into memory.\nTurns come after a flush as before: their session goes on.",
		"flushing", "nothing was waiting: every turn of bank %q is memory already",
		func(ctx context.Context, sessions []string) (core.AddResult, error) {
			return a.host.Flush(ctx, core.FlushRequest{Call: a.call(), Sessions: sessions})
		})
}

func (a *app) reprocessCommand() *cobra.Command {
	return a.deriving("reprocess [SESSION…]", "Derive memories anew from the stored turns",
		"Forgets the memories of sessions, of all or of those named, and derives them anew\nfrom the stored turns: with another model, or by rules that have changed. What was\ncorrected with 'update' stays.",
		"reprocessing", "bank %q holds no turns to derive from",
		func(ctx context.Context, sessions []string) (core.AddResult, error) {
			return a.host.Reprocess(ctx, core.ReprocessRequest{Call: a.call(), Sessions: sessions})
		})
}

// simple is a command of one request without arguments.
func simple[R any](a *app, verb, short string, wanted access, call func(context.Context) (R, error), human func(R)) *cobra.Command {
	return &cobra.Command{
		Use: verb, Short: short, Args: none(verb),
		RunE: working(func(cmd *cobra.Command, _ []string) error {
			if err := a.open(cmd.Context(), wanted); err != nil {
				return err
			}
			r, err := call(cmd.Context())
			if err != nil {
				return err
			}
			return a.show(r, func() { human(r) })
		}),
	}
}

func (a *app) evolveCommand() *cobra.Command {
	return simple(a, "evolve", "Consolidate the buffered events now", changing, func(ctx context.Context) (core.EvolveResult, error) {
		return a.host.Evolve(ctx, core.EvolveRequest{Call: a.call()})
	}, func(r core.EvolveResult) {
		for _, relation := range sortedKeys(r.Relations) {
			a.say("%-9s %d", relation, r.Relations[relation])
		}
		a.say("%s still waiting", count(r.Buffered, "event"))
		a.showUsage(r.Usage)
		a.reports(r.Outcome)
	})
}

func (a *app) statsCommand() *cobra.Command {
	return simple(a, "stats", "Describe a bank", reading, func(ctx context.Context) (core.StatsResult, error) {
		return a.host.Stats(ctx, a.call())
	}, func(r core.StatsResult) {
		rows := [][]string{{"version", r.Version}}
		for _, name := range []string{"sessions", "turn", "profile", "event", "record", "buffered", "pending"} {
			rows = append(rows, []string{name, number(r.Counts[name])})
		}
		rows = append(rows, []string{"from", r.First}, []string{"until", r.Last},
			[]string{"embedder", strings.TrimSpace(r.Embedder + ", " + count(r.Dims, "dimension"))},
			[]string{"size", count(r.Bytes, "byte") + " in " + count(r.Blocks, "block")})
		table(a.out, []string{"bank", inert(r.Bank)}, rows)
		a.showUsage(r.Totals)
	})
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (a *app) banksCommand() *cobra.Command {
	return simple(a, "banks", "List the banks of the store", reading, func(ctx context.Context) (core.BanksResult, error) {
		r := core.BanksRequest{}
		result, err := a.host.Banks(ctx, r)
		for err == nil && result.More && len(result.Banks) > 0 {
			r.After = result.Banks[len(result.Banks)-1]
			var page core.BanksResult
			if page, err = a.host.Banks(ctx, r); err == nil {
				result.Banks, result.More = append(result.Banks, page.Banks...), page.More
			}
		}
		return result, err
	}, func(r core.BanksResult) {
		for _, b := range r.Banks {
			a.say("%s", inert(b))
		}
		if len(r.Banks) == 0 {
			a.note("the store holds no bank")
		}
	})
}

func (a *app) expireCommand() *cobra.Command {
	return simple(a, "expire", "Purge what has expired", changing, func(ctx context.Context) (core.ExpireResult, error) {
		return a.host.Expire(ctx, core.ExpireRequest{Call: a.call()})
	}, func(r core.ExpireResult) { a.say("purged %s", entries(r.Purged)) })
}

func (a *app) reindexCommand() *cobra.Command {
	return simple(a, "reindex", "Make the vectors of a bank anew, with the embedder of the flags", changing,
		func(ctx context.Context) (core.ReindexResult, error) {
			return a.host.Reindex(ctx, core.ReindexRequest{Call: a.call()})
		}, func(r core.ReindexResult) {
			a.say("%s of %s vectors by %s", number(r.Done), number(r.Total), r.Embedder)
			if r.Stopped != nil {
				a.note("stopped early: %s. %s", r.Stopped.Message, again(r.Stopped))
			}
		})
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Say what runs", Args: none("version"),
		RunE: working(func(cmd *cobra.Command, _ []string) error {
			a.flags.store = "memory:" // a version needs no file
			if err := a.open(cmd.Context(), creating); err != nil {
				return err
			}
			r, err := a.host.Version(cmd.Context())
			if err != nil {
				return err
			}
			return a.show(r, func() {
				a.say("leanmem %s (%s)", r.Version, a.flags.engine)
				a.say("interface %s, blocks of format %d, embedder %s", r.ABI, r.Format, r.Embedder)
				a.say("strategies: %s", strings.Join(r.Strategies, ", "))
			})
		}),
	}
}
