package main

import (
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	strategy "github.com/leanmem/leanmem/core/strategy/leanmem"
	"github.com/leanmem/leanmem/core/text"
	"github.com/leanmem/leanmem/host"
	"github.com/leanmem/leanmem/host/meter"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/llm/cassette"
	"github.com/leanmem/leanmem/hostfuncs/llm/spool"
	"github.com/leanmem/leanmem/hostfuncs/tag"
)

// flags are those that every command takes.
type flags struct {
	store, bank, engine, plugin, now string
	json                             bool
	off, tagLabels                   []string
	llm, embed, tag                  endpoint
	unfused                          bool
	record, replay                   string
	maxCalls, budgetTokens           int
	prices                           prices
}

// endpoint is an OpenAI-compatible provider.
type endpoint struct {
	url, model, keyEnv      string
	dims, parallel, retries int
	timeout                 time.Duration // of one attempt
}

// app is one run of the command.
type app struct {
	in        io.Reader
	out, errs io.Writer
	flags     flags
	command   string // that is being run, for hints

	host     *host.Host
	store    hostfuncs.Store
	readOnly bool // the store is a file that was opened for reading
	meter    *meter.Meter
	bar      *bar // shows the progress that the engine reports
	now      time.Time

	recorder *cassette.Recorder // with --record
	player   *cassette.Player   // with --replay
	spool    *spool.LLM         // over a store in a file
	tags     *tag.Model         // with --tag-model
}

const rootHelp = `leanmem keeps long-term memory of conversations: dialogue goes in, and for a
question a short, dated, sourced piece of evidence comes out. It needs no
language model, no server and no key; a model makes it better.

  leanmem --store buntdb:memory.db --bank ana add dialogue.jsonl
  leanmem --store buntdb:memory.db --bank ana search "where does Ana live?"

The store and the bank may also stand in LEANMEM_STORE and LEANMEM_BANK; a URL
with a password belongs there, since others can read a command's arguments.`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "leanmem", Short: "Long-term memory for agents", Long: rootHelp,
		SilenceUsage: true, SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command %q", args[0])
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.checkFlags() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	a.globalFlags(root)
	root.SetFlagErrorFunc(wrongFlag)
	root.SetUsageFunc(usage)
	root.SetHelpCommand(helpCommand())
	root.AddGroup(
		&cobra.Group{ID: "use", Title: "Remember and recall:"},
		&cobra.Group{ID: "look", Title: "Look and correct:"},
		&cobra.Group{ID: "keep", Title: "Keep a bank:"},
		&cobra.Group{ID: "show", Title: "Show and measure:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("use", a.addCommand(), a.searchCommand(), a.answerCommand(), a.flushCommand(), a.evolveCommand())
	add("look", a.listCommand(), a.getCommand(), a.historyCommand(), a.updateCommand(), a.deleteCommand(), a.restoreCommand())
	add("keep", a.statsCommand(), a.banksCommand(), a.exportCommand(), a.importCommand(), a.expireCommand(),
		a.reprocessCommand(), a.reindexCommand(), a.renameCommand(), a.dropCommand(), a.backupCommand(), a.doctorCommand())
	add("show", a.demoCommand(), a.benchCommand(), a.versionCommand())
	root.AddCommand(a.modelsTopic(root))
	return root
}

func (a *app) globalFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.SortFlags = false
	f.StringVar(&a.flags.store, "store", env("LEANMEM_STORE", defaultStore), "where banks are kept: buntdb:FILE, postgres://…, redis://…, or memory: to try things")
	f.Lookup("store").DefValue = defaultStore // help is no place for a password in the environment
	f.StringVar(&a.flags.bank, "bank", env("LEANMEM_BANK", "default"), "the bank")
	f.BoolVar(&a.flags.json, "json", false, "print results as JSON")
	f.StringVar(&a.flags.engine, "engine", host.Native, "native, or wasm for the plugin")
	f.StringVar(&a.flags.plugin, "plugin", "", "leanmem-step.wasm for --engine wasm (default: beside the program, or $LEANMEM_WASM)")
	f.StringVar(&a.flags.now, "now", "", "the time to take as now (default: the clock's)")
	f.StringVar(&a.flags.llm.url, "llm-url", env("LEANMEM_LLM_URL", ""), "OpenAI-compatible endpoint of a language model (default: none, rules decide)")
	f.StringVar(&a.flags.llm.model, "llm-model", env("LEANMEM_LLM_MODEL", ""), "its model")
	f.StringVar(&a.flags.llm.keyEnv, "llm-key-env", "OPENAI_API_KEY", "the environment variable that holds its key")
	f.DurationVar(&a.flags.llm.timeout, "llm-timeout", 90*time.Second, "how long one attempt may take")
	f.IntVar(&a.flags.llm.parallel, "llm-parallel", 8, "prompts at once; 1 for a local model that answers one after another")
	f.IntVar(&a.flags.llm.retries, "llm-retries", 4, "further attempts after a failure that may pass; Retry-After is obeyed")
	f.StringVar(&a.flags.record, "record", "", "keep the model's replies in this cassette; never a key or header")
	f.StringVar(&a.flags.replay, "replay", "", "take the model's replies from this cassette: the run is repeated offline; name the same --llm-model")
	f.BoolVar(&a.flags.unfused, "unfused", false, "the paper's protocol: a scheduling call a segment, then an event or a gist call")
	f.StringVar(&a.flags.embed.url, "embed-url", env("LEANMEM_EMBED_URL", ""), "OpenAI-compatible endpoint of an embedder (default: built in)")
	f.StringVar(&a.flags.embed.model, "embed-model", env("LEANMEM_EMBED_MODEL", ""), "its model")
	f.IntVar(&a.flags.embed.dims, "embed-dims", 0, "ask it for so many dimensions (default: its own)")
	f.StringVar(&a.flags.embed.keyEnv, "embed-key-env", "OPENAI_API_KEY", "the environment variable that holds its key")
	f.StringVar(&a.flags.tag.url, "tag-url", env("LEANMEM_TAG_URL", ""), "server that names entities: {\"texts\"} in, {\"entities\"} out (default: rules)")
	f.StringVar(&a.flags.tag.model, "tag-model", env("LEANMEM_TAG_MODEL", ""), "name entities by this chat model, at --tag-url or else --llm-url")
	f.StringSliceVar(&a.flags.tagLabels, "tag-labels", nil, "`KINDS` of entities to ask the server for, such as person,place")
	f.StringVar(&a.flags.tag.keyEnv, "tag-key-env", "TAG_API_KEY", "the environment variable that holds the key of --tag-url")
	f.IntVar(&a.flags.maxCalls, "max-calls", 0, "at most so many model calls in one request; the same command goes on (default: no limit)")
	f.IntVar(&a.flags.budgetTokens, "budget-tokens", 0, "at most so many model tokens in one request; the same command goes on (default: no limit)")
	a.flags.prices.register(root)
	f.StringSliceVar(&a.flags.off, "off", nil, "stages or retrieval terms to switch off, by their `NAMES`, for ablations: "+strings.Join(strategy.New().Switches(), ", "))
}

// checkFlags reads what the flags of every command say.
func (a *app) checkFlags() error {
	known := strategy.New().Switches()
	for _, name := range a.flags.off {
		if !slices.Contains(known, name) {
			return usagef("--off: no stage or retrieval term is called %.40q; there are %s", name, strings.Join(known, ", "))
		}
	}
	if a.flags.bank == "" || !utf8.ValidString(a.flags.bank) {
		return usagef("--bank is no name: it takes UTF-8 and is not empty")
	}
	if err := a.flags.negative(); err != nil {
		return err
	}
	a.now = time.Now()
	if a.flags.now == "" {
		return nil
	}
	t, err := text.ParseStamp(a.flags.now)
	if err != nil || t.IsZero() {
		return usagef("--now %q is not a time: write it as 2025-03-02T18:00:00Z or 2025-03-02", a.flags.now)
	}
	a.now = t
	return nil
}

// negative refuses numbers that mean nothing.
func (f flags) negative() error {
	for _, n := range []struct {
		flag  string
		value float64
	}{
		{"llm-timeout", f.llm.timeout.Seconds()}, {"llm-parallel", float64(f.llm.parallel)}, {"llm-retries", float64(f.llm.retries)},
		{"embed-dims", float64(f.embed.dims)}, {"max-calls", float64(f.maxCalls)}, {"budget-tokens", float64(f.budgetTokens)},
		{"price-in", f.prices.in}, {"price-out", f.prices.out},
	} {
		if n.value < 0 {
			return usagef("--%s is negative", n.flag)
		}
	}
	return nil
}

func (a *app) options() mem.Options {
	o := mem.Options{Off: a.flags.off, Model: a.flags.llm.model, MaxCalls: a.flags.maxCalls, BudgetTokens: a.flags.budgetTokens}
	if a.flags.unfused {
		fused := false
		o.Fused = &fused
	}
	return o
}

func (a *app) call() core.Call { return core.Call{Bank: a.flags.bank, Now: a.now} }

// close gives up what was opened. well says that the command succeeded.
func (a *app) close(well bool) error {
	var err error
	if a.host != nil {
		err = a.host.Close()
	}
	if a.store != nil {
		err = errors.Join(err, a.store.Close())
	}
	return errors.Join(err, a.unload(well && err == nil))
}

// working wraps what a command does, so that its errors are failures and not
// wrong ways of asking.
func working(do func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := do(cmd, args)
		if err == nil || errors.As(err, new(usageError)) {
			return err
		}
		return failure{err}
	}
}
