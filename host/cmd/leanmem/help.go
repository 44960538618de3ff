package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// common are the flags of every command that its help shows; the others have a
// page of their own.
var common = []string{"store", "bank", "json", "engine", "plugin", "now"}

const modelsHelp = `Flags of every command that set a language model, an embedder and a tagger. None
is needed: without them rules and the built-in embedder do the work. Keys come
from the environment only, so that none stands in a list of processes.

  export OPENAI_API_KEY=…
  leanmem --llm-url https://api.openai.com/v1 --llm-model NAME add dialogue.jsonl

`

// helpCommand is 'leanmem help'.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about a command or topic",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("there is no command or topic %q", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// modelsTopic is 'leanmem help models'.
func (a *app) modelsTopic(root *cobra.Command) *cobra.Command {
	_, models := parted(root.PersistentFlags())
	topic := &cobra.Command{
		Use: "models", Short: "The flags of models, embedders, limits, prices and ablations",
		Long: modelsHelp + strings.TrimRight(models.FlagUsages(), "\n"),
	}
	topic.SetUsageFunc(func(*cobra.Command) error { return nil })
	return topic
}

// parted parts the flags of every command into those that each help shows and
// those that 'help models' shows.
func parted(all *pflag.FlagSet) (shown, models *pflag.FlagSet) {
	shown, models = pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	shown.SortFlags, models.SortFlags = false, false
	all.VisitAll(func(f *pflag.Flag) {
		if slices.Contains(common, f.Name) {
			shown.AddFlag(f)
		} else {
			models.AddFlag(f)
		}
	})
	return shown, models
}

// usage prints how a command is called: first the flags of its own.
func usage(cmd *cobra.Command) error {
	out := cmd.OutOrStderr()
	section := func(title, body string) {
		if body = strings.TrimRight(body, "\n"); body != "" {
			fmt.Fprintf(out, "\n%s:\n%s\n", title, body)
		}
	}
	line := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		line = cmd.CommandPath() + " COMMAND [flags]"
	}
	fmt.Fprintf(out, "Usage:\n  %s\n", line)
	section("Examples", cmd.Example)
	commands(out, cmd)
	root := cmd.Root()
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.SortFlags = false
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && root.PersistentFlags().Lookup(f.Name) == nil {
			own.AddFlag(f)
		}
	})
	section("Flags", own.FlagUsages())
	shown, _ := parted(root.PersistentFlags())
	section("Flags of every command", shown.FlagUsages())
	fmt.Fprintf(out, "\nModel and embedder flags: see '%s help models'.\n", root.Name())
	return nil
}

// commands lists what stands under a command, in groups.
func commands(out io.Writer, cmd *cobra.Command) {
	list := func(title string, want func(*cobra.Command) bool) {
		first := true
		for _, c := range cmd.Commands() {
			if c.Hidden || !want(c) {
				continue
			}
			if first {
				fmt.Fprintf(out, "\n%s\n", title)
			}
			first = false
			fmt.Fprintf(out, "  %-*s %s\n", cmd.NamePadding(), c.Name(), c.Short)
		}
	}
	for _, g := range cmd.Groups() {
		list(g.Title, func(c *cobra.Command) bool { return c.GroupID == g.ID })
	}
	list("Help:", func(c *cobra.Command) bool { return c.GroupID == "" && c.Name() != "completion" })
}
