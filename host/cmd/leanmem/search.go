package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
	"github.com/leanmem/leanmem/host/internal/plainjson"
	"github.com/leanmem/leanmem/host/meter"
	"github.com/leanmem/leanmem/host/tokens"
)

type queryFlags struct {
	filterFlags
	budget  int
	at      string
	queries string
	plan    bool
}

const searchHelp = `Finds the evidence for a question, within a budget of tokens. What it prints
can stand in a prompt as it is.

With --queries, every line of FILE is a question, {"id","query","time"?}, and
every line of the output its evidence:
{"id","query","evidence","tokens","items":[{"id","kind","text","sources","date",
"speaker","score"}],"confidence","sufficient","paths","usage","ms"}.
Tokens are counted exactly (o200k_base).`

func (a *app) searchCommand() *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{
		Use: "search [QUESTION]", Short: "Find the evidence for a question", Long: searchHelp,
		Example: "  leanmem search \"where does Ana live?\" --budget 500\n  leanmem search --queries questions.jsonl --budget 2000 --json",
		Args:    f.arguments("search"),
		RunE:    working(func(cmd *cobra.Command, args []string) error { return a.search(cmd.Context(), f, args) }),
	}
	f.register(cmd)
	cmd.Flags().StringVar(&f.queries, "queries", "", "a file of questions as JSON lines, - for standard input")
	cmd.Flags().BoolVar(&f.plan, "plan", false, "print the plan that chose the evidence, too")
	return cmd
}

func (f *queryFlags) register(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	cmd.Flags().IntVar(&f.budget, "budget", 2000, "tokens of evidence at most")
	cmd.Flags().StringVar(&f.at, "time", "", "when the question is asked (default: now)")
	f.filterFlags.register(cmd)
}

func (f *queryFlags) arguments(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case f.budget <= 0:
			return usagef("--budget %d: the evidence needs at least one token", f.budget)
		case len(args) > 1:
			return usagef("%s takes one question; put it in quotes", verb)
		case verb == "search" && (len(args) == 0) == (f.queries == ""):
			return usagef("search needs a question, or --queries with a file of them")
		case verb != "search" && len(args) == 0:
			return usagef("%s needs a question", verb)
		}
		return nil
	}
}

func (f *queryFlags) query(question string) (mem.Query, error) {
	filter, err := f.filter()
	if err != nil {
		return mem.Query{}, err
	}
	at, err := parseTime("--time", f.at)
	return mem.Query{Text: question, Time: at, Budget: f.budget, Filter: filter}, err
}

// found is one line of search output. Its fields are a fixed interface for
// outside scoring; everything but ms is equal between engines and runs.
type found struct {
	ID         string               `json:"id,omitempty"`
	Query      string               `json:"query"`
	Evidence   string               `json:"evidence"`
	Tokens     int                  `json:"tokens"`
	Items      []mem.Item           `json:"items"`
	Confidence float64              `json:"confidence"`
	Sufficient bool                 `json:"sufficient"`
	Paths      map[string]mem.Path  `json:"paths"`
	Usage      map[string]mem.Usage `json:"usage"`
	Reports    []string             `json:"reports,omitempty"`
	Plan       *mem.Plan            `json:"plan,omitempty"`
	MS         meter.Split          `json:"ms"`
}

func (a *app) search(ctx context.Context, f queryFlags, args []string) error {
	question := ""
	if len(args) > 0 {
		question = args[0]
	}
	q, err := f.query(question)
	if err != nil {
		return err
	}
	if f.queries != "" {
		return a.searchAll(ctx, f, q)
	}
	if err := a.open(ctx, reading); err != nil {
		return err
	}
	one, err := a.find(ctx, "", q, f.plan)
	if err != nil {
		return err
	}
	return a.show(one, func() { a.showFound(one) })
}

func (a *app) find(ctx context.Context, id string, q mem.Query, plan bool) (found, error) {
	var r core.SearchResult
	split, err := a.measured(func() (err error) {
		r, err = a.host.Search(ctx, core.SearchRequest{Call: a.call(), Query: q})
		return err
	})
	if err != nil {
		return found{}, err
	}
	out := found{
		ID: id, Query: q.Text, Evidence: r.Text, Tokens: tokens.Count(r.Text), Items: r.Items, Confidence: r.Confidence,
		Sufficient: r.Sufficient, Paths: r.Paths, Usage: r.Usage, Reports: r.Reports, MS: split,
	}
	if out.Items == nil {
		out.Items = []mem.Item{}
	}
	if plan {
		out.Plan = &r.Plan
	}
	return out, nil
}

// asked is one line of a file of questions.
type asked struct {
	ID    json.RawMessage `json:"id"`
	Query string          `json:"query"`
	Time  string          `json:"time"`
}

func (a *app) searchAll(ctx context.Context, f queryFlags, base mem.Query) error {
	in, _, err := a.input(ctx, f.queries)
	if err != nil {
		return err
	}
	defer in.Close()
	// All questions are read before any is asked, so that a broken line is
	// found at once.
	list, err := readQueries(in, base)
	if err != nil {
		return inFile(shown(f.queries), err)
	}
	if err := a.open(ctx, reading); err != nil {
		return err
	}
	progress := newBar(a.errs, "searching", len(list))
	defer progress.clear()
	for i, q := range list {
		one, err := a.find(ctx, q.id, q.Query, f.plan)
		if err != nil {
			progress.clear()
			return fmt.Errorf("question %s: %w", q.id, err)
		}
		if a.flags.json {
			a.printJSON(one)
		} else {
			progress.clear()
			a.say("── %s  %s", q.id, q.Text)
			a.showFound(one)
			a.say("")
		}
		progress.set(i + 1)
	}
	return nil
}

type namedQuery struct {
	id string
	mem.Query
}

// longestQuestion bounds a line of a file of questions.
const longestQuestion = 16 << 20

func readQueries(r io.Reader, base mem.Query) ([]namedQuery, error) {
	var out []namedQuery
	in := bufio.NewScanner(r)
	in.Buffer(nil, longestQuestion)
	n := 0
	for in.Scan() {
		n++
		line := strings.TrimSpace(strings.TrimPrefix(in.Text(), "\ufeff"))
		if line == "" {
			continue
		}
		var one asked
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			return nil, fmt.Errorf("line %d is no question: %w", n, plainjson.Explain(err))
		}
		q := namedQuery{strings.Trim(string(one.ID), `"`), base}
		if json.Unmarshal(one.ID, &q.id) != nil && q.id == "" {
			q.id = fmt.Sprint(n)
		}
		q.Text = one.Query
		if strings.TrimSpace(q.Text) == "" {
			return nil, fmt.Errorf(`line %d has no "query"`, n)
		}
		if one.Time != "" {
			at, err := text.ParseStamp(one.Time)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			q.Time = at
		}
		out = append(out, q)
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d is longer than %d MB", n+1, longestQuestion>>20)
	}
	if in.Err() == nil && len(out) == 0 {
		return nil, errors.New("it holds no question")
	}
	return out, in.Err()
}

func (a *app) showFound(one found) {
	if one.Evidence != "" {
		a.say("%s", strings.TrimRight(one.Evidence, "\n"))
	}
	state := "the answer seems to be among it"
	if !one.Sufficient {
		state = "the answer does not seem to be in memory"
	}
	a.note("— %s from %s, confidence %.2f: %s (%s)", count(one.Tokens, "token"), count(len(one.Items), "item"),
		one.Confidence, state, milliseconds(one.MS.Total))
	if one.Plan != nil {
		b, _ := json.MarshalIndent(one.Plan, "", "  ")
		a.note("plan: %s", b)
	}
	for _, r := range one.Reports {
		a.note("note: %s", r)
	}
}

func milliseconds(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	if d < 10*time.Millisecond {
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}
