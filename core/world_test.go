package core_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/strategy/leanmem"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/llm/scripted"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

// now is the clock of every request.
var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// world is an engine with what its host supplies.
type world struct {
	t       testing.TB
	engine  *core.Engine
	set     hostfuncs.Set
	options mem.Options
}

// newWorld has a store in memory and, with rules, a scripted model.
func newWorld(t testing.TB, script ...scripted.Rule) *world {
	w := &world{t: t, engine: newEngine(), set: hostfuncs.Set{Store: memory.New()}}
	if len(script) > 0 {
		w.set.LLM = scripted.New(script...)
		w.options.LLM = true
	}
	return w
}

func newEngine() *core.Engine { return core.NewEngine(0, leanmem.New()) }

func (w *world) model() *scripted.Model { return w.set.LLM.(*scripted.Model) }

// asked lists the prompts of a stage; "" for all.
func (w *world) asked(stage string) (out []effect.Prompt) {
	for _, p := range w.model().Asked() {
		if stage == "" || p.Stage == stage {
			out = append(out, p)
		}
	}
	return out
}

func (w *world) port() effect.Port { return hostfuncs.Port(w.set, hostfuncs.Options{}) }

// head is what a request about a bank carries.
func (w *world) head(bank string) core.Call {
	return core.Call{ABI: core.ABI, Bank: bank, Now: now, Options: w.options}
}

// try performs a verb.
func try[R any](w *world, verb string, request any) (result R, err error) {
	w.t.Helper()
	b, err := json.Marshal(request)
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := w.engine.Call(context.Background(), w.port(), verb, b)
	if err != nil {
		return result, err
	}
	if err := json.Unmarshal(out, &result); err != nil {
		w.t.Fatalf("%s gave %s: %v", verb, out, err)
	}
	return result, nil
}

// call performs a verb that must succeed.
func call[R any](w *world, verb string, request any) R {
	w.t.Helper()
	r, err := try[R](w, verb, request)
	if err != nil {
		w.t.Fatalf("%s: %v", verb, err)
	}
	return r
}

// said makes a closed session of "speaker: text" lines, a minute apart.
func said(id, at string, lines ...string) core.InputSession {
	s := core.InputSession{ID: id, Time: at, Close: true}
	for i, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		t := core.InputTurn{ID: fmt.Sprintf("%s:%d", id, i+1), Speaker: who, Text: text}
		switch who {
		case "user", "assistant", "tool", "system":
			t.Speaker, t.Role = "", mem.Role(who)
		}
		s.Turns = append(s.Turns, t)
	}
	return s
}

func (w *world) add(bank string, sessions ...core.InputSession) core.AddResult {
	w.t.Helper()
	return call[core.AddResult](w, "add", core.AddRequest{Call: w.head(bank), Sessions: sessions})
}

func (w *world) search(bank, query string) core.SearchResult {
	w.t.Helper()
	return call[core.SearchResult](w, "search", core.SearchRequest{Call: w.head(bank), Query: mem.Query{Text: query}})
}

func (w *world) answer(bank, query string) core.AnswerResult {
	w.t.Helper()
	return call[core.AnswerResult](w, "answer", core.AnswerRequest{Call: w.head(bank), Query: mem.Query{Text: query}})
}

// list gives the entries of some kinds, all where none is named.
func (w *world) list(bank, status string, kinds ...mem.Kind) []core.Entry {
	w.t.Helper()
	r := call[core.ListResult](w, "list", core.ListRequest{Call: w.head(bank), Status: status, Limit: 10000, Filter: mem.Filter{Kinds: kinds}})
	return r.Entries
}

func (w *world) history(bank string, q core.HistoryRequest) []core.Entry {
	w.t.Helper()
	q.Call = w.head(bank)
	return call[core.HistoryResult](w, "history", q).Entries
}

func (w *world) remove(bank string, dry bool, f mem.Filter) core.DeleteResult {
	w.t.Helper()
	return call[core.DeleteResult](w, "delete", core.DeleteRequest{Call: w.head(bank), Filter: f, DryRun: dry})
}

// export is everything that a bank holds, as text.
func (w *world) export(bank string) string {
	w.t.Helper()
	return strings.Join(w.exportLines(bank), "\n")
}

func (w *world) exportLines(bank string) (out []string) {
	w.t.Helper()
	q := core.ExportRequest{Call: w.head(bank)}
	for {
		page := call[core.ExportResult](w, "export", q)
		for _, l := range page.Lines {
			b, err := json.Marshal(l)
			if err != nil {
				w.t.Fatal(err)
			}
			out = append(out, string(b))
		}
		if page.Next == "" {
			return out
		}
		q.After = page.Next
	}
}

// find gives the entries whose text holds all words.
func find(entries []core.Entry, words ...string) (out []core.Entry) {
	for _, e := range entries {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(e.Text, w) }) {
			out = append(out, e)
		}
	}
	return out
}

// only gives the one entry that holds all words.
func only(t testing.TB, entries []core.Entry, words ...string) core.Entry {
	t.Helper()
	got := find(entries, words...)
	if len(got) != 1 {
		t.Fatalf("%d entries hold %q, want 1, in\n%s", len(got), words, brief(entries))
	}
	return got[0]
}

// brief lists entries for a message.
func brief(entries []core.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		current := ""
		if e.Current != nil {
			current = fmt.Sprintf(" current=%v", *e.Current)
		}
		fmt.Fprintf(&b, "  %s %s [%s–%s]%s repeats=%q %s\n", e.Kind, e.Text, e.From, e.Until, current, e.Repeats, e.Subject)
	}
	return b.String()
}

func isCurrent(e core.Entry) bool { return e.Current != nil && *e.Current }

func wantCode(t testing.TB, err error, code effect.Code) {
	t.Helper()
	if !effect.HasCode(err, code) {
		t.Fatalf("got the error %v, want the code %s", err, code)
	}
}

// mentions fails unless s holds all words.
func mentions(t testing.TB, s string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(s, w) {
			t.Errorf("%q does not stand in:\n%s", w, s)
		}
	}
}

// silentOn fails if s holds any of the words.
func silentOn(t testing.TB, s string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(s, w) {
			t.Errorf("%q stands in:\n%s", w, s)
		}
	}
}
