package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/bench"
	"github.com/leanmem/leanmem/host/dialogue"
)

// The end-to-end run: four sessions of the dialogue "friends", as much as a
// small model on one thread can bear.
const (
	e2eTurns   = 61
	e2eBudget  = 1000
	e2eAnswers = 4
	e2eModel   = "qwen2.5-coder-0.5b-instruct"
)

var (
	e2eSession    = regexp.MustCompile(`"session": "s0[4789]"`)
	otherSessions = regexp.MustCompile(`"s(0[12356]|1[0-5]):`)
)

// part is a dialogue and the file that holds it.
type part struct {
	*dialogue.History
	file string
}

// e2e is one run of every step with one model, or with rules.
type e2e struct {
	added   addReport
	evolved core.EvolveResult
	found   []found
	answers []answered
	stats   core.StatsResult
	export  string
}

// TestEndToEndWithALocalModel replays what a real model of half a billion
// parameters replied. With LEANMEM_E2E_URL it asks that server and records anew
// (./build.sh e2e). The prompts depend on the rules that come before the model:
// a recording that no longer fits is skipped, and with LEANMEM_REQUIRE=1 fails.
func TestEndToEndWithALocalModel(t *testing.T) {
	cassette, err := filepath.Abs(filepath.Join("..", "..", "..", "testdata", "e2e", "friends.cassette.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	history := friendsPart(t)
	play := []string{"--replay", cassette}
	if url := os.Getenv("LEANMEM_E2E_URL"); url != "" {
		_ = os.Remove(cassette)
		runE2E(t, history, "record", []string{"--llm-url", url, "--record", cassette})
	} else if _, err := os.Stat(cassette); err != nil {
		stale(t, "there is no recording")
	}
	model := runE2E(t, history, "model", play)
	again := runE2E(t, history, "again", play)
	if model.export != again.export || plain(t, model.found) != plain(t, again.found) || plain(t, model.answers) != plain(t, again.answers) {
		t.Error("a second replay gives other memories, evidence or answers")
	}
	if model.stats.Counts["turn"] != e2eTurns || model.stats.Counts["pending"] != 0 || model.added.Stopped != nil {
		t.Errorf("counts %v, stopped %v", model.stats.Counts, model.added.Stopped)
	}
	if model.stats.Totals["schedule"].Calls == 0 {
		t.Errorf("the model was not asked: %+v", model.stats.Totals)
	}
	rules := runE2E(t, history, "rules", nil)
	compare(t, history, model, rules)
}

// stale is a recording that the current prompts do not find.
func stale(t *testing.T, why string) {
	t.Helper()
	why += "; './build.sh e2e' records anew"
	if os.Getenv("LEANMEM_REQUIRE") == "1" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// friendsPart writes the sessions and the questions about them.
func friendsPart(t *testing.T) part {
	t.Helper()
	dir := t.TempDir()
	for name, keep := range map[string]func(line string) bool{
		"friends.jsonl":           e2eSession.MatchString,
		"friends.questions.jsonl": func(line string) bool { return !otherSessions.MatchString(line) },
	} {
		b, err := os.ReadFile(testdata(name))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for line := range strings.Lines(string(b)) {
			if keep(line) {
				out.WriteString(line)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := dialogue.Load(filepath.Join(dir, "friends.jsonl"))
	if err != nil || len(all) != 1 {
		t.Fatalf("%d histories: %v", len(all), err)
	}
	return part{all[0], filepath.Join(dir, "friends.jsonl")}
}

// writeQueries writes the questions as search takes them.
func writeQueries(t *testing.T, h part, path string) {
	t.Helper()
	var b bytes.Buffer
	for _, q := range h.Questions {
		_ = json.NewEncoder(&b).Encode(map[string]string{"id": q.ID, "query": q.Text})
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func runE2E(t *testing.T, h part, name string, through []string) (r e2e) {
	t.Helper()
	dir := t.TempDir()
	step := func(args ...string) string {
		t.Helper()
		head := []string{"--store=buntdb:" + filepath.Join(dir, name+".db"), "--bank", "e2e", "--now", "2025-12-01", "--json"}
		if through != nil {
			head = append(head, "--llm-model", e2eModel, "--llm-timeout", "30m", "--llm-parallel", "1")
		}
		ran := leanmem(t, "", append(append(head, through...), args...)...)
		if strings.Contains(ran.out+ran.errs, "holds no reply to request") {
			stale(t, "the recording does not fit the prompts of "+args[0])
		}
		return ran.ok(t).out
	}
	decode(t, step("add", h.file), &r.added)
	decode(t, step("evolve"), &r.evolved)
	questions := filepath.Join(dir, name+".queries.jsonl")
	writeQueries(t, h, questions)
	asked := 0
	for line := range strings.Lines(step("search", "--budget", strconv.Itoa(e2eBudget), "--queries", questions)) {
		var f found
		decode(t, line, &f)
		r.found = append(r.found, f)
		if asked++; asked <= e2eAnswers {
			var a answered
			decode(t, step("answer", "--budget", "400", f.Query), &a)
			r.answers = append(r.answers, a)
		}
	}
	decode(t, step("stats"), &r.stats)
	r.export = step("export")
	return r
}

func decode(t *testing.T, line string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), to); err != nil {
		t.Fatalf("%v in %.200q", err, line)
	}
}

// plain is JSON without what may differ between runs.
func plain(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]any
	decode(t, string(b), &list)
	for _, m := range list {
		delete(m, "ms")
	}
	b, _ = json.Marshal(list)
	return string(bytes.TrimSpace(b))
}

// compare reports how the two paths answer the questions of the dialogue. The
// model's must not be far behind: a hundredth of text recall and containment.
func compare(t *testing.T, h part, model, rules e2e) {
	t.Helper()
	m, r := scored(h, model), scored(h, rules)
	for _, name := range []string{"text recall", "answer containment", "current state"} {
		t.Logf("%-19s model %.3f, rules %.3f over %d questions", name, bench.Mean(m[name]), bench.Mean(r[name]), len(m[name]))
	}
	for stage, u := range model.stats.Totals {
		t.Logf("%s: %d calls, %d given up", stage, u.Calls, u.Fallbacks)
	}
	answered, known := 0, 0
	for i, a := range model.answers {
		if a.Path == mem.LLM {
			answered++
		}
		if a.Known {
			known++
		}
		t.Logf("%s → %s", model.found[i].Query, a.Text)
	}
	t.Logf("answers: %d of %d by the model, %d known; memories by model %v, by rules %v", answered, len(model.answers), known, model.stats.Counts, rules.stats.Counts)
}

// scored measures the evidence of a run as bench does.
func scored(h part, run e2e) map[string][]float64 {
	transcript := bench.NewTranscript(h.Sessions)
	out := map[string][]float64{}
	for i, q := range h.Questions {
		f := run.found[i]
		s := bench.Score(bench.Key{Budget: e2eBudget}, q, transcript, bench.Evidence{Text: f.Evidence, Items: f.Items})
		for name, v := range map[string]*float64{"text recall": s.TextRecall, "answer containment": s.Answer, "current state": s.Current} {
			if v != nil {
				out[name] = append(out[name], *v)
			}
		}
	}
	return out
}
