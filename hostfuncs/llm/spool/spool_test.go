package spool_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/llm/scripted"
	"github.com/leanmem/leanmem/hostfuncs/llm/spool"
)

func TestRepliesOutliveARunThatEndsBadly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db.replies")
	model := scripted.New(scripted.Rule{Stage: "gist", Err: effect.Errorf(effect.ModelRefused, "no")}, scripted.Rule{Reply: "yes", PromptTokens: 7})
	ask := func(s *spool.LLM, stage, user string) (effect.Completion, error) {
		return s.Complete(context.Background(), effect.Prompt{Stage: stage, User: user})
	}
	open := func() *spool.LLM {
		t.Helper()
		s, err := spool.Wrap(model, path)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := open()
	for _, stage := range []string{"schedule", "answer", "gist"} {
		_, _ = ask(first, stage, "a")
	}
	// Killed: nothing is closed.
	second := open()
	if c, err := ask(second, "schedule", "a"); err != nil || c.Text != "yes" || c.PromptTokens != 7 || model.Count("schedule") != 1 {
		t.Errorf("%+v, %v after %d calls", c, err, model.Count("schedule"))
	}
	if _, err := ask(second, "gist", "a"); !effect.HasCode(err, effect.ModelRefused) || model.Count("gist") != 1 {
		t.Errorf("a refusal: %v after %d calls", err, model.Count("gist"))
	}
	_, _ = ask(second, "answer", "a")
	_, _ = ask(second, "schedule", "a") // once more: it was taken
	if model.Count("answer") != 2 || model.Count("schedule") != 2 {
		t.Errorf("%d answers, %d schedules", model.Count("answer"), model.Count("schedule"))
	}
	if err := second.Close(false); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("after a failure: %v, %v", info, err)
	}
	if err := open().Close(true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("after success: %v", err)
	}
}

func TestANewRunWithoutRepliesLeavesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db.replies")
	s, err := spool.Wrap(scripted.Echo(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
}
