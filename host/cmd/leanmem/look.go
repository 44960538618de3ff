package main

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
)

func (a *app) listCommand() *cobra.Command {
	var f filterFlags
	var status, after string
	limit, all := 100, false
	cmd := &cobra.Command{
		Use: "list", Short: "List turns and memories", Args: none("list"),
		Example: "  leanmem list --kind profile,event\n  leanmem list --speaker Ana --after 2025-03-01 --status current",
		RunE: working(func(cmd *cobra.Command, _ []string) error {
			filter, err := f.filter()
			if err != nil {
				return err
			}
			if _, err := strconv.ParseUint(after, 10, 31); after != "" && err != nil {
				return usagef("--page %.40q: it takes the mark that the page before ended with", after)
			}
			if status != "" && status != "current" && status != "past" {
				return usagef("--status %q: there are current and past", status)
			}
			r := core.ListRequest{Call: a.call(), Filter: filter, Status: status, After: after, Limit: limit}
			return a.list(cmd.Context(), r, all)
		}),
	}
	cmd.Flags().SortFlags = false
	f.register(cmd)
	cmd.Flags().StringVar(&status, "status", "", "current or past states only")
	cmd.Flags().IntVar(&limit, "limit", 100, "entries a page")
	cmd.Flags().StringVar(&after, "page", "", "go on after the page that ended with this mark")
	cmd.Flags().BoolVar(&all, "all", false, "every page")
	return cmd
}

func (a *app) list(ctx context.Context, r core.ListRequest, all bool) error {
	if err := a.open(ctx, reading); err != nil {
		return err
	}
	result, err := a.host.List(ctx, r)
	if err != nil {
		return err
	}
	for all && result.Next != "" {
		r.After = result.Next
		page, err := a.host.List(ctx, r)
		if err != nil {
			return err
		}
		result.Entries = append(result.Entries, page.Entries...)
		result.Next = page.Next
	}
	return a.show(result, func() {
		a.showEntries(result.Entries)
		a.note("%s of %s", number(len(result.Entries)), entries(result.Total))
		if result.Next != "" {
			a.note("more: --page %s", result.Next)
		}
	})
}

func (a *app) showEntries(entries []core.Entry) {
	if len(entries) == 0 {
		a.note("nothing")
		return
	}
	rows := make([][]string, 0, len(entries))
	for _, e := range entries {
		rows = append(rows, row(e))
	}
	table(a.out, columnNames, rows)
}

var columnNames = []string{"id", "kind", "when", "who", "state", "text"}

func row(e core.Entry) []string {
	return []string{e.ID, string(e.Kind), when(e), cell(e.Speaker), state(e), inert(e.Text)}
}

// showHistory prints entries, each behind the wordings that it had before a
// user corrected them.
func (a *app) showHistory(entries []core.Entry) {
	if len(entries) == 0 {
		a.note("nothing")
		return
	}
	var rows [][]string
	for _, e := range entries {
		for _, r := range e.Revisions {
			rows = append(rows, []string{e.ID, string(e.Kind), "worded until " + moment(r.Until), cell(e.Speaker), "corrected", inert(r.Text)})
		}
		rows = append(rows, row(e))
	}
	table(a.out, columnNames, rows)
}

// moment is a time to the second.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// when is the date of an entry or the interval in which its state held.
func when(e core.Entry) string {
	switch {
	case e.From != "" && e.Until != "":
		return began(e) + " – " + e.Until
	case e.From != "":
		return began(e)
	}
	return e.Date
}

// began is the day on which a state began, or its month ("2023-05") or year
// where no more is known.
func began(e core.Entry) string {
	told := mem.Memory{Profile: e.Profile, Event: e.Event}
	a := told.Anchor()
	from, err := time.Parse(time.DateOnly, a.From)
	if err != nil || a.From != e.From {
		return e.From
	}
	switch a.To {
	case from.AddDate(1, 0, -1).Format(time.DateOnly):
		return strings.TrimSuffix(a.From, "-01-01")
	case from.AddDate(0, 1, -1).Format(time.DateOnly):
		return strings.TrimSuffix(a.From, "-01")
	}
	return e.From
}

func state(e core.Entry) string {
	switch {
	case e.Current == nil:
		return ""
	case e.Repeats != "":
		return "repeats"
	case *e.Current:
		return "current"
	}
	return "past"
}

func (a *app) getCommand() *cobra.Command {
	return &cobra.Command{
		Use: "get ID…", Short: "Show turns and memories by id", Args: some("get", "an id"),
		RunE: working(func(cmd *cobra.Command, ids []string) error {
			if err := a.open(cmd.Context(), reading); err != nil {
				return err
			}
			r, err := a.host.Get(cmd.Context(), core.GetRequest{Call: a.call(), IDs: ids})
			if err != nil {
				return err
			}
			return a.show(r, func() {
				for _, e := range r.Entries {
					a.showEntry(e)
				}
				if len(r.Missing) > 0 {
					a.note("not in the bank: %s", inert(strings.Join(r.Missing, ", ")))
				}
			})
		}),
	}
}

// showEntry prints all of an entry, a field a line.
func (a *app) showEntry(e core.Entry) {
	field := func(name, value string) {
		if value != "" {
			a.say("%-9s %s", name, inert(value))
		}
	}
	a.say("%s  %s", e.ID, e.Kind)
	field("text", e.Text)
	field("subject", e.Subject)
	field("speaker", e.Speaker)
	field("session", e.Session)
	field("when", when(e))
	field("state", state(e))
	field("sources", strings.Join(e.Sources, " "))
	field("repeats", e.Repeats)
	field("made by", string(e.Path))
	for _, r := range e.Revisions {
		field("earlier", r.Text+" (until "+moment(r.Until)+")")
	}
	a.say("")
}

func (a *app) historyCommand() *cobra.Command {
	var r core.HistoryRequest
	cmd := &cobra.Command{
		Use: "history [ID]", Short: "Show how a memory, or a subject's state, came to be",
		Example: "  leanmem history --subject Ana --attribute home",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 0 && r.Subject == "" && r.Attribute == "" {
				return usagef("history needs one id, or --subject, or --attribute")
			}
			return nil
		},
		RunE: working(func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				r.ID = args[0]
			}
			if err := a.open(cmd.Context(), reading); err != nil {
				return err
			}
			r.Call = a.call()
			result, err := a.host.History(cmd.Context(), r)
			if err != nil {
				return err
			}
			return a.show(result, func() { a.showHistory(result.Entries) })
		}),
	}
	cmd.Flags().StringVar(&r.Subject, "subject", "", "whose states")
	cmd.Flags().StringVar(&r.Attribute, "attribute", "", "of which attribute, or words of the topic")
	return cmd
}

func (a *app) updateCommand() *cobra.Command {
	var value, state, gist string
	var labels []string
	cmd := &cobra.Command{
		Use: "update ID", Short: "Correct a memory", Args: exactly("update", "one id", 1),
		Example: "  leanmem update p0123… --value \"nurse\"",
		RunE: working(func(cmd *cobra.Command, args []string) error {
			r := core.UpdateRequest{Call: a.call(), ID: args[0]}
			for name, to := range map[string]struct {
				given string
				field **string
			}{"value": {value, &r.Value}, "state": {state, &r.State}, "gist": {gist, &r.Gist}} {
				if cmd.Flags().Changed(name) {
					text := to.given
					*to.field = &text
				}
			}
			var err error
			if r.Labels, err = parseLabels(labels); err != nil {
				return err
			}
			if r.Value == nil && r.State == nil && r.Gist == nil && r.Labels == nil {
				return usagef("update needs what to change: --value, --state, --gist or --label")
			}
			if err := a.open(cmd.Context(), changing); err != nil {
				return err
			}
			result, err := a.host.Update(cmd.Context(), r)
			if err != nil {
				return err
			}
			return a.show(result, func() { a.showEntry(result.Entry) })
		}),
	}
	cmd.Flags().StringVar(&value, "value", "", "the value of a profile")
	cmd.Flags().StringVar(&state, "state", "", "the state of an event")
	cmd.Flags().StringVar(&gist, "gist", "", "the gist of a record")
	cmd.Flags().StringArrayVar(&labels, "label", nil, "a label `KEY=VALUE`; may be repeated")
	return cmd
}

func (a *app) deleteCommand() *cobra.Command {
	var f filterFlags
	dry := false
	cmd := &cobra.Command{
		Use: "delete [ID…]", Short: "Erase turns and memories with all that came of them",
		Long:    "Erases what the restrictions select, with everything derived from it. The text is\ngone from the store, not hidden. --dry-run lists what would go.",
		Example: "  leanmem delete --about \"Bo\" --dry-run\n  leanmem delete --session monday",
		RunE: working(func(cmd *cobra.Command, ids []string) error {
			filter, err := f.filter()
			if err != nil {
				return err
			}
			filter.IDs = append(filter.IDs, ids...)
			if filter.Empty() {
				return usagef("delete needs at least one restriction; 'drop' removes a whole bank")
			}
			wanted := changing
			if dry {
				wanted = reading
			}
			if err := a.open(cmd.Context(), wanted); err != nil {
				return err
			}
			r, err := a.host.Delete(cmd.Context(), core.DeleteRequest{Call: a.call(), Filter: filter, DryRun: dry})
			if err != nil {
				return err
			}
			return a.show(r, func() {
				a.showEntries(r.Entries)
				verb := "erased"
				if r.DryRun {
					verb = "would erase"
				}
				a.say("%s %s and %s", verb, count(r.Turns, "turn"), memories(r.Memories))
			})
		}),
	}
	cmd.Flags().SortFlags = false
	f.register(cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only list what would go")
	return cmd
}

func memories(n int) string {
	if n == 1 {
		return "1 memory"
	}
	return number(n) + " memories"
}

// ownTurnID is the form of the ids that leanmem gives to turns.
var ownTurnID = regexp.MustCompile(`^t[0-9a-f]{8,}$`)

func (a *app) restoreCommand() *cobra.Command {
	var sessions []string
	all := false
	cmd := &cobra.Command{
		Use: "restore [ID…]", Short: "Let deleted turns be added again",
		Long: "Lifts the marks of deleted turns, so that they may be added again. Their text is\ngone; only a new add brings it back. IDs are those that 'delete' showed.",
		RunE: working(func(cmd *cobra.Command, ids []string) error {
			if len(ids)+len(sessions) == 0 && !all {
				return usagef("restore needs ids, --session, or --all")
			}
			if all && len(ids)+len(sessions) > 0 {
				return usagef("restore takes --all, or ids and sessions")
			}
			for _, id := range ids {
				if !ownTurnID.MatchString(id) {
					return usagef("restore takes ids of turns as 'delete' shows them (t and hex digits), not %.40q; a dialogue's own ids went with the text, --session names all of a session", id)
				}
			}
			if err := a.open(cmd.Context(), changing); err != nil {
				return err
			}
			r, err := a.host.Restore(cmd.Context(), core.RestoreRequest{Call: a.call(), IDs: ids, Sessions: sessions})
			if err != nil {
				return err
			}
			return a.show(r, func() {
				if r.Lifted == 0 {
					a.say("nothing to restore: no deletion of these is remembered in bank %q", a.flags.bank)
					return
				}
				a.say("%s may be added again", count(r.Lifted, "turn"))
			})
		}),
	}
	cmd.Flags().StringSliceVar(&sessions, "session", nil, "every deleted turn of these `SESSIONS`")
	cmd.Flags().BoolVar(&all, "all", false, "every deleted turn")
	return cmd
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return number(n) + " entries"
}
