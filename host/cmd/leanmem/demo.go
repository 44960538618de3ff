package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/bench"
	"github.com/leanmem/leanmem/host/dialogue"
	"github.com/leanmem/leanmem/host/tokens"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/testdata/dialogues"
)

// The demonstration: one dialogue, what becomes of it, and what it answers.
const (
	demoName    = "friends"
	demoSession = "s01"
	demoBudget  = 300
)

// demoBudgets are those at which methods are compared: the first is about what
// naive RAG takes.
var demoBudgets = []int{200, demoBudget, 1000}

// demoNow is a while after the last session.
var demoNow = time.Date(2025, 10, 1, 9, 0, 0, 0, time.UTC)

// demoQuestions are asked at the end; the last one has no answer in the
// dialogue.
var demoQuestions = []string{
	"Which team is Idris on now?",
	"Where does Maren live now?",
	"When did Maren fetch her greyhound?",
	"Who went hiking with Maren around Triglav?",
	"How much did Idris pay for his piano?",
}

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "Watch a dialogue become memory, and ask it", Args: none("demo"),
		Long: "Turns eight months of a dialogue between two friends into memory and asks it\nquestions. Needs no model, no server, no key and no file.",
		RunE: working(func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context()) }),
	}
}

// demo shows each part in turn.
func (a *app) demo(ctx context.Context) error {
	h, err := demoHistory()
	if err != nil {
		return err
	}
	a.flags.store, a.flags.bank, a.now = "memory:", demoName, demoNow
	if err := a.open(ctx, creating); err != nil {
		return err
	}
	s := stage{a}
	a.say("%s  Two friends talk for eight months: %s, %s, %s.", s.bold("leanmem"),
		count(len(h.Sessions), "session"), count(h.Turns(), "turn"), count(wholeTokens(h), "token"))
	a.say("No language model, no server, no key: rules and the built-in embedder.")
	for _, part := range []func(context.Context, *dialogue.History) error{s.pipeline, s.remember, s.profiles, s.timeline, s.record, s.ask, s.compare} {
		if err := part(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

func demoHistory() (*dialogue.History, error) {
	f, err := dialogues.Files.Open(demoName + ".jsonl")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for h, err := range dialogue.Histories(f, dialogue.JSONL, dialogue.Options{Name: demoName}) {
		if err != nil {
			return nil, err
		}
		q, err := dialogues.Files.Open(demoName + ".questions.jsonl")
		if err != nil {
			return nil, err
		}
		defer q.Close()
		h.Questions, err = dialogue.ReadQuestions(q)
		return h, err
	}
	return nil, io.ErrUnexpectedEOF
}

func wholeTokens(h *dialogue.History) int {
	var b strings.Builder
	for _, s := range h.Sessions {
		for _, t := range s.Turns {
			fmt.Fprintf(&b, "%s: %s\n", t.Speaker, t.Text)
		}
	}
	return tokens.Count(b.String())
}

// stage is the app while it performs.
type stage struct{ *app }

func (s stage) bold(text string) string { return s.colour("1", text) }
func (s stage) dim(text string) string  { return s.colour("2", text) }

// colour is for terminals only.
func (s stage) colour(code, text string) string {
	if !terminal(s.out) || env("NO_COLOR", "") != "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s stage) heading(text string) { s.say("\n%s", s.bold("── "+text)) }

func (s stage) remember(ctx context.Context, h *dialogue.History) error {
	var r core.AddResult
	split, err := s.measured(func() (err error) {
		r, err = s.host.Add(ctx, core.AddRequest{Call: s.call(), Sessions: h.Sessions})
		return err
	})
	if err != nil {
		return err
	}
	s.heading("The whole dialogue")
	s.say("%s stored, and from them %s, %s and %s, in %s.", count(r.Added, "turn"), count(r.Derived["profile"], "profile"),
		count(r.Derived["event"], "event"), count(r.Derived["record"], "record"), milliseconds(split.Total))
	again, err := s.host.Add(ctx, core.AddRequest{Call: s.call(), Sessions: h.Sessions})
	if err == nil {
		s.say("Added once more: %s known, %s new.", number(again.Known), number(again.Added))
	}
	return err
}

func (s stage) profiles(ctx context.Context, _ *dialogue.History) error {
	r, err := s.host.List(ctx, core.ListRequest{Call: s.call(), Filter: mem.Filter{Kinds: []mem.Kind{mem.KindProfile}}})
	if err != nil {
		return err
	}
	s.heading("Profiles: what is so, and what was")
	s.states(r.Entries)
	return nil
}

// states prints entries with the time in which they held.
func (s stage) states(entries []core.Entry) {
	var rows [][]string
	for _, e := range entries {
		rows = append(rows, []string{"  " + e.Text, held(e), strings.Join(e.Sources, " ")})
	}
	wide(s.out, nil, rows)
}

// held says since or between when a state held.
func held(e core.Entry) string {
	if e.Until != "" {
		return "from " + began(e) + " until " + e.Until + ", superseded"
	}
	return "since " + when(e)
}

// timeline shows a state that changed, changed back, and lost nothing.
func (s stage) timeline(ctx context.Context, _ *dialogue.History) error {
	r, err := s.host.History(ctx, core.HistoryRequest{Call: s.call(), Subject: "Idris", Attribute: "team"})
	if err != nil {
		return err
	}
	s.heading("An event timeline: Idris's team")
	s.states(r.Entries)
	return nil
}

// record shows a gist and the words behind it.
func (s stage) record(ctx context.Context, _ *dialogue.History) error {
	r, err := s.host.List(ctx, core.ListRequest{Call: s.call(), Filter: mem.Filter{Kinds: []mem.Kind{mem.KindRecord}, Sessions: []string{"s05"}}})
	if err != nil || len(r.Entries) == 0 {
		return err
	}
	e := r.Entries[0]
	s.heading("A record: the gist, and the words it points to")
	s.say("  %s", clip(e.Text, 150))
	raw, err := s.host.Get(ctx, core.GetRequest{Call: s.call(), IDs: e.Sources})
	if err != nil {
		return err
	}
	for _, t := range raw.Entries {
		s.say("    %s %s: %s", s.dim(t.Sources[0]), t.Speaker, clip(t.Text, 100))
	}
	return nil
}

func (s stage) ask(ctx context.Context, _ *dialogue.History) error {
	s.heading(fmt.Sprintf("Questions, with at most %d tokens of evidence", demoBudget))
	for _, q := range demoQuestions {
		r, err := s.host.Answer(ctx, core.AnswerRequest{Call: s.call(), Query: mem.Query{Text: q, Budget: demoBudget}})
		if err != nil {
			return err
		}
		s.say("%s", s.bold(q))
		if !r.Known {
			s.say("  Not in memory: nothing that was said answers this (confidence %.2f).", r.Evidence.Confidence)
			continue
		}
		for _, id := range r.Sources {
			for _, i := range r.Evidence.Items {
				if i.ID == id {
					s.say("  %s  %s  %s", i.Date, clip(strings.TrimPrefix(lineOf(i, r.Evidence.Text), "- "), 136), s.dim(strings.Join(i.Sources, " ")))
				}
			}
		}
		s.say("  %s", s.dim(fmt.Sprintf("best %d of %d pieces of evidence, %s in all, confidence %.2f", len(r.Sources), len(r.Evidence.Items),
			count(tokens.Count(r.Evidence.Text), "token"), r.Evidence.Confidence)))
	}
	return nil
}

// lineOf is an item as it stands in the evidence, with the dates that its
// relative phrases resolve to.
func lineOf(i mem.Item, evidence string) string {
	for _, line := range strings.Split(evidence, "\n") {
		if first, _, _ := strings.Cut(i.Text, "\n"); strings.Contains(line, first) && strings.HasPrefix(strings.TrimLeft(line, "- "), i.Speaker) {
			return line
		}
	}
	return i.Speaker + ": " + i.Text
}

// compare asks every question of the dialogue of several methods.
func (s stage) compare(ctx context.Context, h *dialogue.History) error {
	var set hostfuncs.Set
	methods := bench.Baselines(bench.EmbedderOf(nil))
	methods = append(methods, bench.LeanMem("leanmem", bench.Whole, s.opener(set)))
	ledger, err := bench.OpenLedger("")
	if err != nil {
		return err
	}
	b := &bench.Bench{Methods: methods, Histories: []*dialogue.History{h}, Budgets: demoBudgets, Ledger: ledger}
	results, err := b.Do(ctx)
	if err != nil {
		return err
	}
	answerable := 0
	for _, q := range h.Questions {
		if !q.Absent {
			answerable++
		}
	}
	s.heading(fmt.Sprintf("Methods at equal budgets, over %s about this dialogue", count(answerable, "question")))
	wide(s.out, []string{"  tokens at most", "method", "tokens used", "gold turns seen", "answer words", "dates of answers"}, compared(bench.Summarise(b, results)))
	return nil
}

// compared has the methods budget by budget, then those that take no budget.
func compared(sum bench.Summary) [][]string {
	var rows [][]string
	add := func(label string, own bool, cell func(bench.Row) bench.Cell) {
		for _, r := range sum.Rows {
			if r.OwnSize != own {
				continue
			}
			c := cell(r)
			rows = append(rows, []string{"  " + label, r.Method, fmt.Sprintf("%.0f", c.Tokens), bench.Percent(c.Text) + " %", bench.Percent(c.Answer) + " %", bench.Percent(c.Date) + " %"})
			label = ""
		}
	}
	for i, budget := range sum.Budgets {
		add(number(budget), false, func(r bench.Row) bench.Cell { return r.Cells[i] })
	}
	add("(their own size)", true, func(r bench.Row) bench.Cell { return r.Cells[0] })
	return rows
}
