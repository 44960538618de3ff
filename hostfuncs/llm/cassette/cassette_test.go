package cassette_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/llm/cassette"
	"github.com/leanmem/leanmem/hostfuncs/llm/scripted"
)

var ctx = context.Background()

func record(t *testing.T, path string, llm hostfuncs.LLM, prompts ...effect.Prompt) (out []effect.Completion) {
	t.Helper()
	r, err := cassette.Record(llm, path)
	if err != nil {
		t.Fatal(err)
	}
	set := hostfuncs.Set{LLM: r}
	out = set.Dispatch(ctx, effect.Request{Op: effect.OpComplete, Prompts: prompts}).Completions
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestReplayGivesWhatWasRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	n := 0
	model := scripted.New(
		scripted.Rule{Stage: "refuse", Err: effect.Errorf(effect.ModelRefused, "no")},
		scripted.Rule{Stage: "limit", Err: effect.Retryf(effect.RateLimited, "later")},
		scripted.Rule{Answer: func(p effect.Prompt) string { n++; return fmt.Sprintf("%s %d", p.User, n) }},
	)
	var prompts []effect.Prompt
	for i := range 20 {
		prompts = append(prompts, effect.Prompt{Stage: "plan", System: "s", User: fmt.Sprintf("Zorblat %d", i%15), Schema: []byte(`{"a": 1}`)})
	}
	prompts = append(prompts, effect.Prompt{Stage: "refuse"}, effect.Prompt{Stage: "limit"})
	serial := func(llm hostfuncs.LLM) []effect.Completion {
		return hostfuncs.Set{LLM: llm, Options: hostfuncs.Options{Prompts: 1}}.Dispatch(ctx, effect.Request{Op: effect.OpComplete, Prompts: prompts}).Completions
	}
	r, err := cassette.Record(model, path)
	if err != nil {
		t.Fatal(err)
	}
	want := serial(r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p, err := cassette.Replay(path)
		if err != nil {
			t.Fatal(err)
		}
		got := serial(p)
		for i := range got[:21] {
			if got[i].Text != want[i].Text || got[i].PromptTokens != want[i].PromptTokens || fmt.Sprint(got[i].Err) != fmt.Sprint(want[i].Err) {
				t.Fatalf("%d: %+v, want %+v", i, got[i], want[i])
			}
		}
		if e := got[21].Err; e == nil || e.Code != effect.ModelFailed || !strings.Contains(e.Message, "cassette") {
			t.Fatalf("a passing error was recorded: %v", e)
		}
		if p.Unplayed() != 0 {
			t.Fatal(p.Unplayed())
		}
	}
}

func TestARecordingIsTheSameHoweverPromptsOverlap(t *testing.T) {
	var files []string
	for i := range 3 {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		var prompts []effect.Prompt
		for i := range 50 {
			prompts = append(prompts, effect.Prompt{Stage: fmt.Sprint("s", i%3), User: fmt.Sprint("u", i)})
		}
		record(t, path, scripted.Echo(), prompts...)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(b))
	}
	if files[0] != files[1] || files[1] != files[2] {
		t.Fatal("the files differ")
	}
}

func TestMisses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	base := effect.Prompt{Stage: "plan", System: "s", User: "Zorblat", Schema: []byte(`{"a":1}`), MaxTokens: 5}
	record(t, path, scripted.New(scripted.Rule{Reply: "fine"}), base)
	b, _ := os.ReadFile(path)
	if strings.Contains(string(b), "Zorblat") {
		t.Fatal("the request's text is in the file")
	}
	p, err := cassette.Replay(path)
	if err != nil {
		t.Fatal(err)
	}
	same := base
	same.Stream, same.Schema = true, []byte(` {"a": 1} `)
	for range 2 { // more often than recorded
		if c, err := p.Complete(ctx, same); err != nil || c.Text != "fine" {
			t.Fatal(c, err)
		}
	}
	for i, change := range []func(*effect.Prompt){
		func(p *effect.Prompt) { p.User += " " }, func(p *effect.Prompt) { p.System = "" }, func(p *effect.Prompt) { p.MaxTokens = 6 },
		func(p *effect.Prompt) { p.Schema = nil }, func(p *effect.Prompt) { p.Stage = "answer" },
		func(p *effect.Prompt) { p.System, p.User = "sZ", "orblat" },
	} {
		other := base
		change(&other)
		if _, err := p.Complete(ctx, other); !effect.HasCode(err, effect.ModelFailed) || strings.Contains(err.Error(), "Zorblat") || !strings.Contains(err.Error(), path) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestBrokenFiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := cassette.Replay(filepath.Join(dir, "none")); err == nil {
		t.Error("no file")
	}
	path := filepath.Join(dir, "run.jsonl")
	record(t, path, scripted.Echo(), effect.Prompt{User: "a"})
	whole, _ := os.ReadFile(path)
	os.WriteFile(path, append(whole, whole[:len(whole)/2]...), 0o600)
	if p, err := cassette.Replay(path); err != nil || p.Unplayed() != 1 {
		t.Error("a recording that broke off:", err)
	}
	os.WriteFile(path, []byte("junk\n"+string(whole)), 0o600)
	if _, err := cassette.Replay(path); !effect.HasCode(err, effect.InvalidArgument) || !strings.Contains(err.Error(), "line 1") {
		t.Error(err)
	}
	// A recording goes on where it ended.
	os.WriteFile(path, append(whole, whole[:len(whole)/2]...), 0o600)
	record(t, path, scripted.Echo(), effect.Prompt{User: "a"}, effect.Prompt{User: "b"})
	if p, err := cassette.Replay(path); err != nil || p.Unplayed() != 3 {
		t.Error(err, p.Unplayed())
	}
}
