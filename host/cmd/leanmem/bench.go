package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leanmem/leanmem/host"
	"github.com/leanmem/leanmem/host/bench"
	"github.com/leanmem/leanmem/host/dialogue"
	"github.com/leanmem/leanmem/host/meter"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

type benchFlags struct {
	budgets           []int
	methods           []string
	results, html     string
	terms, byCategory bool
	tokens, schemas   bool
	answers           bool
	judge             endpoint
	questions         int
}

const benchHelp = `Sets methods side by side on evaluation files: full text, naive RAG, BM25 and
dense retrieval, leanmem, and leanmem with each stage (and with --terms each
retrieval term) off. FILE may be a LoCoMo or LongMemEval file, a dialogue as
JSON lines with name.questions.jsonl beside it, or a folder of such files.

Text recall is the share of gold turns that a reader of the evidence sees:
verbatim, with the right source, speaker and date, within the budget. With
--results an interrupted run goes on where it stopped.`

func (a *app) benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use: "bench FILE…", Short: "Measure evidence on evaluation files", Long: benchHelp,
		Example: "  leanmem bench locomo/*.json --html report.html\n  leanmem bench locomo --methods leanmem,BM25 --budgets 1000,2000",
		Args:    some("bench", "files or folders with LoCoMo or LongMemEval data"),
		RunE:    working(func(cmd *cobra.Command, args []string) error { return a.bench(cmd.Context(), f, args) }),
	}
	s := cmd.Flags()
	s.SortFlags = false
	s.IntSliceVar(&f.budgets, "budgets", bench.Budgets, "budgets of the recall curve, in tokens")
	s.StringSliceVar(&f.methods, "methods", nil, "only methods whose names contain one of these")
	s.BoolVar(&f.terms, "terms", false, "also leanmem with each retrieval term off")
	s.BoolVar(&f.byCategory, "by-category", false, "a second table, by category")
	s.BoolVar(&f.tokens, "tokens", false, "measure instead what a model would be paid for, with one that answers by rule")
	s.BoolVar(&f.schemas, "count-schemas", false, "with --tokens: reply schemas count as part of the prompts")
	s.BoolVar(&f.answers, "answers", false, "answer the questions with the model from every method's evidence, and have the answers judged")
	s.StringVar(&f.judge.url, "judge-url", "", "with --answers: endpoint of the judge (default: --llm-url)")
	s.StringVar(&f.judge.model, "judge-model", "", "with --answers: the judge's model (default: --llm-model); \"none\": no judge")
	s.StringVar(&f.results, "results", "", "keep results in this file and go on from it")
	s.StringVar(&f.html, "html", "", "write a report with the plot of recall against tokens")
	s.IntVar(&f.questions, "questions", 0, "only so many questions of each history (0: all)")
	return cmd
}

func (a *app) bench(ctx context.Context, f benchFlags, args []string) error {
	for _, b := range f.budgets {
		if b <= 0 {
			return usagef("--budgets %d: a budget is at least one token", b)
		}
	}
	if len(f.budgets) == 0 {
		return usagef("--budgets is empty")
	}
	slices.Sort(f.budgets)
	histories, err := loadHistories(args, f.questions)
	if err != nil {
		return err
	}
	a.warnOf(histories)
	if f.tokens {
		return a.benchTokens(ctx, f, histories)
	}
	methods, accuracy, err := a.methods(f)
	if err != nil {
		return err
	}
	ledger, err := bench.OpenLedger(f.results)
	if err != nil {
		return err
	}
	defer ledger.Close()
	progress := newBar(a.errs, "bench", 0)
	b := &bench.Bench{Methods: methods, Histories: histories, Budgets: f.budgets, Run: a.fingerprint(f), Ledger: ledger, Accuracy: accuracy,
		Progress: func(done, total int, what string) {
			progress.total = total
			progress.set(done)
			progress.at(what, 0, 0)
		}}
	results, err := b.Do(ctx)
	progress.clear()
	if err != nil {
		if f.results != "" {
			a.note("Stopped; what was measured stands in %s. %s", f.results, again(err))
		}
		return err
	}
	summary := bench.Summarise(b, results)
	if f.html != "" {
		if err := writeReport(f.html, summary); err != nil {
			return err
		}
		a.note("wrote %s", f.html)
	}
	return a.show(summary, func() {
		a.showBench(summary)
		if f.byCategory {
			a.showCategories(summary)
		}
	})
}

// methods are those of a run, in the order of the table.
func (a *app) methods(f benchFlags) ([]bench.Method, *bench.Accuracy, error) {
	var set hostfuncs.Set
	if err := a.providers(&set); err != nil {
		return nil, nil, err
	}
	accuracy, err := a.accuracy(f, &set)
	if err != nil {
		return nil, nil, err
	}
	all := bench.Baselines(bench.EmbedderOf(set.Embedder))
	all = append(all, bench.LeanMem("leanmem", bench.Whole, a.opener(set), a.flags.off...))
	if set.LLM != nil {
		all = append(all, bench.Unfused(a.opener(set), a.flags.off...))
	}
	all = append(all, bench.Ablations(a.opener(set))...)
	if f.terms {
		all = append(all, bench.TermsOff(a.opener(set))...)
	}
	if len(f.methods) == 0 {
		return all, accuracy, nil
	}
	var chosen []bench.Method
	for _, m := range all {
		if slices.ContainsFunc(f.methods, func(part string) bool { return matches(m.Name, part) }) {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 {
		var names []string
		for _, m := range all {
			names = append(names, m.Name)
		}
		return nil, nil, usagef("--methods %s: there are %s", strings.Join(f.methods, ","), strings.Join(names, ", "))
	}
	return chosen, accuracy, nil
}

// accuracy is the reader and the judge of --answers.
func (a *app) accuracy(f benchFlags, set *hostfuncs.Set) (*bench.Accuracy, error) {
	if !f.answers {
		return nil, nil
	}
	if set.LLM == nil {
		return nil, usagef("--answers needs a language model: --llm-url and --llm-model")
	}
	out := &bench.Accuracy{Reader: set.LLM, Judge: set.LLM}
	switch {
	case f.judge.model == "none":
		out.Judge = nil
	case f.judge.model != "" && a.player == nil:
		url := f.judge.url
		if url == "" {
			url = a.flags.llm.url
		}
		judge, err := a.chat(url, f.judge.model, set)
		if err != nil {
			return nil, err
		}
		if out.Judge = judge; a.recorder != nil {
			out.Judge = a.recorder.With(judge)
		}
	}
	return out, nil
}

func matches(name, part string) bool {
	return strings.EqualFold(name, part) || part != "leanmem" && strings.Contains(strings.ToLower(name), strings.ToLower(part))
}

// opener gives every memory a host and an empty store of its own.
func (a *app) opener(set hostfuncs.Set) bench.Opener {
	return func(ctx context.Context) (bench.Opened, error) {
		own := set
		own.Store = memory.New()
		wrapped, clock := meter.Wrap(own)
		options := a.options()
		options.Off = nil // a method's own
		if set.Embedder != nil {
			options.Embedder = "host"
		}
		h, err := host.Open(ctx, host.Config{Engine: a.flags.engine, PluginPath: a.flags.plugin, Set: wrapped, Options: options,
			Now: func() time.Time { return a.now }})
		if err != nil {
			return bench.Opened{}, err
		}
		return bench.Opened{Host: h, Meter: clock, Close: h.Close}, nil
	}
}

// fingerprint tells results of this program under these settings from those of
// another build: of a changed one nothing may be taken over.
func (a *app) fingerprint(f benchFlags) string {
	h := sha256.New()
	if path, err := os.Executable(); err == nil {
		if f, err := os.Open(path); err == nil {
			_, _ = io.Copy(h, f)
			f.Close()
		}
	}
	fmt.Fprint(h, a.flags.engine, a.flags.llm.url, a.flags.llm.model, a.flags.embed.url, a.flags.embed.model, a.flags.off, f.answers, f.judge)
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// loadHistories reads the files, and those of folders, in order of their names.
func loadHistories(paths []string, most int) ([]*dialogue.History, error) {
	var files []string
	for _, p := range paths {
		err := filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			ext := strings.ToLower(filepath.Ext(path))
			if err == nil && !d.IsDir() && (path == p || ext == ".json" || ext == ".jsonl") && !strings.HasSuffix(path, ".questions.jsonl") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var out []*dialogue.History
	names := map[string]int{}
	for _, f := range files {
		all, err := dialogue.Load(f)
		if err != nil {
			return nil, err
		}
		for _, h := range all {
			if len(h.Questions) == 0 {
				continue
			}
			if names[h.Name]++; names[h.Name] > 1 {
				h.Name += "#" + strconv.Itoa(names[h.Name])
			}
			if most > 0 && len(h.Questions) > most {
				h.Questions = h.Questions[:most]
			}
			out = append(out, h)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no questions in %s", strings.Join(paths, ", "))
	}
	return out, nil
}

// mostWarnings is how many lines are shown of what readers left out.
const mostWarnings = 10

// warnOf says what was left out of the files.
func (a *app) warnOf(histories []*dialogue.History) {
	n := 0
	for _, h := range histories {
		for _, w := range h.Warnings {
			if n++; n <= mostWarnings {
				a.note("warning: %s: %s", h.Name, w)
			}
		}
	}
	if n > mostWarnings {
		a.note("warning: and %s more of this kind", number(n-mostWarnings))
	}
}

func writeReport(path string, s bench.Summary) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = bench.WriteHTML(f, s, "leanmem bench")
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}
