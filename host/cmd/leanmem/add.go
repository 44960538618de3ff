package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/meter"
)

// What one request of an add carries at most. Whole histories at once let a
// language model be asked in fewer, fuller calls; the bounds keep a request far
// below what a host takes.
const (
	batchTurns = 2000
	batchBytes = 8 << 20
	wholeFile  = 64 << 20 // a file up to this size is read first, so that its end is known
)

type addFlags struct {
	format, question, sample, session, text, speaker, role, at, ttl string
	labels                                                          []string
	open, defer_, skipBad                                           bool
}

const addHelp = `Stores the turns of a dialogue and turns them into memory. FILE may be - for
standard input. The format is found by looking, or named:

  jsonl        one turn a line: {"session","id","speaker","role","time","text"}
  chat         OpenAI chat messages: a list, {"messages": […]}, or a list of those
  locomo       a LoCoMo conversation; --conversation picks one of several
  longmemeval  LongMemEval histories: --question picks the history of one
               question; without it, the sessions of all of them, each id once

Turns that are already stored are known again by their content: an add that was
interrupted is run again and goes on where it stopped. What the file holds that
is no turn (empty lines, turns that say nothing) is passed over, and said.

Sessions are closed at the end of the file, and so is the one of --text: what was
said becomes memory at once. With --open they stay open for turns to come; what
is closed can go on, too, but what comes later is then understood by itself.
Open sessions become memory as they grow, when a turn of another session comes an
hour later, or by 'flush'; until then their turns are found as they were said.`

func (a *app) addCommand() *cobra.Command {
	var f addFlags
	cmd := &cobra.Command{
		Use: "add [FILE]", Short: "Store a dialogue and turn it into memory", Long: addHelp,
		Example: "  leanmem add --format locomo conversation.json\n  leanmem add --text \"I moved to Porto last week\" --speaker Ana --session monday",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("add takes one file; got %d", len(args))
			}
			if (len(args) == 0) == (f.text == "") {
				return usagef("add needs a file, or --text with what was said")
			}
			if f.text == "" && (f.role != "" || f.at != "") {
				return usagef("--role and --time go with --text; a file says them itself")
			}
			return nil
		},
		RunE: working(func(cmd *cobra.Command, args []string) error { return a.add(cmd.Context(), f, args) }),
	}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringVar(&f.format, "format", "", "locomo, longmemeval, jsonl or chat (default: found by looking)")
	s.StringVar(&f.question, "question", "", "longmemeval: only the history of this question id")
	s.StringVar(&f.sample, "conversation", "", "locomo: the conversation (sample id) of a file with several")
	s.StringVar(&f.text, "text", "", "what was said, instead of a file")
	s.StringVar(&f.speaker, "speaker", "", "with --text: who said it; with a file: who said the turns that name neither speaker nor role")
	s.StringVar(&f.role, "role", "", "with --text: peer, user, assistant, tool or system")
	s.StringVar(&f.at, "time", "", "with --text: when it was said (default: now)")
	s.StringVar(&f.session, "session", "", "the session of turns that name none (default: the file's name; with --text the day)")
	s.StringArrayVar(&f.labels, "label", nil, "a label `KEY=VALUE` for every turn, such as user=ana; may be repeated")
	s.StringVar(&f.ttl, "expires-in", "", "forget the turns and what comes of them after this time, such as 720h")
	s.BoolVar(&f.skipBad, "skip-bad", false, "pass over turns that cannot be stored and say which, rather than refuse the file")
	s.BoolVar(&f.open, "open", false, "leave the sessions open")
	s.BoolVar(&f.defer_, "defer", false, "store now, turn into memory at the next write or flush")
	return cmd
}

// addReport is what an add prints.
type addReport struct {
	core.AddResult
	Sessions int         `json:"sessions"` // read
	Turns    int         `json:"turns"`    // read
	Warnings []string    `json:"warnings,omitempty"`
	MS       meter.Split `json:"ms"`
}

func (a *app) add(ctx context.Context, f addFlags, args []string) error {
	labels, err := parseLabels(f.labels)
	if err != nil {
		return err
	}
	request := core.AddRequest{Call: a.call(), Defer: f.defer_}
	if f.ttl != "" {
		d, err := time.ParseDuration(f.ttl)
		if err != nil || d <= 0 {
			return usagef("--expires-in %.40q is no time span: write it as 36h or 90m", f.ttl)
		}
		request.ExpiresAt = a.now.Add(d)
	}
	src, err := a.source(ctx, f, args)
	if err != nil {
		return err
	}
	defer src.close()
	if err := a.open(ctx, creating); err != nil {
		return err
	}
	report := addReport{AddResult: core.AddResult{Outcome: core.Outcome{Paths: map[string]mem.Path{}, Usage: map[string]mem.Usage{}}, Derived: map[string]int{}}}
	a.bar = newBar(a.errs, "adding", src.turns)
	err = a.feed(ctx, src, request, labels, !f.open, &report)
	a.bar.clear()
	report.Warnings = src.warnings
	for _, w := range report.Warnings {
		if !a.flags.json {
			a.note("warning: %s", w)
		}
	}
	if err != nil {
		return a.stopped(ctx, err, report)
	}
	return a.show(report, func() { a.showAdd(report.AddResult, report.MS) })
}

// feed sends the sessions in requests of bounded size.
func (a *app) feed(ctx context.Context, src *source, request core.AddRequest, labels map[string]string, closing bool, report *addReport) error {
	var batch []core.InputSession
	turns, bytes := 0, 0
	send := func() error {
		if len(batch) == 0 {
			return nil
		}
		request.Sessions = batch
		var result core.AddResult
		split, err := a.measured(func() (err error) {
			result, err = a.host.Add(ctx, request)
			return err
		})
		report.MS = report.MS.Plus(split)
		if err != nil {
			return err
		}
		report.merge(result)
		report.Turns += turns
		a.bar.set(report.Turns)
		batch, turns, bytes = nil, 0, 0
		return nil
	}
	for session, err := range src.each {
		if err != nil && ctx.Err() == nil {
			err = errors.Join(err, send()) // what came before stands
		}
		if err != nil {
			return err
		}
		report.Sessions++
		for _, part := range split(session, closing) {
			part.Labels = labels
			if n := sizeOf(part); turns > 0 && (turns+len(part.Turns) > batchTurns || bytes+n > batchBytes) {
				if err := send(); err != nil {
					return err
				}
			}
			batch, turns, bytes = append(batch, part), turns+len(part.Turns), bytes+sizeOf(part)
		}
	}
	return send()
}

// split cuts a session into parts that fit a request; only the last one closes
// it.
func split(s core.InputSession, closing bool) []core.InputSession {
	var out []core.InputSession
	rest := s.Turns
	for len(rest) > 0 {
		n, bytes := 0, 0
		for n < len(rest) && n < batchTurns && (n == 0 || bytes < batchBytes) {
			bytes += turnSize(rest[n])
			n++
		}
		part := s
		part.Turns, part.Close = rest[:n], closing && s.Close && n == len(rest)
		out = append(out, part)
		rest = rest[n:]
	}
	return out
}

func sizeOf(s core.InputSession) int {
	n := 0
	for _, t := range s.Turns {
		n += turnSize(t)
	}
	return n
}

func turnSize(t core.InputTurn) int {
	n := len(t.Text) + 200
	for _, p := range t.Parts {
		n += len(p.Text) + len(p.Caption) + len(p.URL) + len(p.Data)
	}
	return n
}

func (r *addReport) merge(b core.AddResult) {
	r.Bank, r.Version, r.Pending, r.Stopped = b.Bank, b.Version, b.Pending, b.Stopped
	r.Added += b.Added
	r.Known += b.Known
	r.Deleted += b.Deleted
	for kind, n := range b.Derived {
		r.Derived[kind] += n
	}
	for stage, path := range b.Paths {
		if r.Paths[stage] != mem.LLM {
			r.Paths[stage] = path
		}
	}
	for stage, u := range b.Usage {
		r.Usage[stage] = r.Usage[stage].Plus(u)
	}
	r.Reports = append(r.Reports, b.Reports...)
}

// stopped tells what an add that broke off has stored.
func (a *app) stopped(ctx context.Context, err error, report addReport) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if !mayPass(err) && report.Turns == 0 {
		return err // nothing was begun
	}
	if stats, lost := a.host.Stats(ctx, a.call()); lost == nil {
		a.note("Stopped: the bank %q holds %s, %s of them not yet turned into memory.\nNothing is half stored. %s",
			a.flags.bank, count(stats.Counts["turn"], "turn"), number(stats.Counts["pending"]), again(err))
	} else if report.Turns > 0 {
		a.note("Stopped after %s of the file. %s", count(report.Turns, "turn"), again(err))
	}
	return err
}

func (a *app) showAdd(r core.AddResult, ms meter.Split) {
	line := fmt.Sprintf("added %s", count(r.Added, "turn"))
	if r.Known > 0 {
		line += fmt.Sprintf(", %s known already", number(r.Known))
	}
	if r.Deleted > 0 {
		line += fmt.Sprintf(", %s stay deleted", number(r.Deleted))
	}
	a.say("%s to bank %q in %s", line, a.flags.bank, (time.Duration(ms.Total * float64(time.Millisecond))).Round(time.Millisecond))
	a.showDerived(r)
}

// showDerived prints what became of turns.
func (a *app) showDerived(r core.AddResult) {
	var kinds []string
	for _, kind := range mem.Kinds {
		if n := r.Derived[string(kind)]; n > 0 {
			kinds = append(kinds, count(n, string(kind)))
		}
	}
	if len(kinds) > 0 {
		a.say("new memories: %s", strings.Join(kinds, ", "))
	}
	if r.Pending > 0 {
		a.say("%s not yet turned into memory (findable all the same)", count(r.Pending, "turn"))
	}
	if r.Stopped != nil {
		a.note("turning into memory stopped early: %s\nThe turns are stored; 'flush' goes on.", r.Stopped.Message)
		if hint := hints[r.Stopped.Code]; hint != "" {
			a.note("  %s", hint)
		}
	}
	a.showUsage(r.Usage)
	a.reports(r.Outcome)
}
