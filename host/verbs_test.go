package host

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"

	"github.com/leanmem/leanmem/host/internal/plugintest"
)

// life is what happens to a bank, verb by verb.
var life = []struct{ verb, request string }{
	{"add", `{"bank":"ana","sessions":[{"id":"mon","close":true,"turns":[
		{"speaker":"Ana","time":"2026-05-04T09:00:00Z","text":"I moved to Lisbon last week. I <3 it & 東京 too."},
		{"speaker":"Ben","time":"2026-05-04T09:01:00Z","text":"How exciting! What took you there?"},
		{"speaker":"Ana","time":"2026-05-04T09:02:00Z","text":"A new job at the aquarium. My sister Clara stays in Porto."}]}]}`},
	{"add", `{"bank":"ana","sessions":[{"id":"tue","turns":[
		{"id":"x1","speaker":"Ana","time":"2026-05-12T09:00:00Z","text":"Clara adopted a dog called Rui yesterday."},
		{"id":"x2","speaker":"Ben","time":"2026-05-12T09:01:00Z","text":"Give them my love."}]}]}`},
	{"search", `{"bank":"ana","query":"Where does Ana live?"}`},
	{"flush", `{"bank":"ana"}`},
	{"evolve", `{"bank":"ana"}`},
	{"search", `{"bank":"ana","query":"When did Clara adopt a dog?"}`},
	{"answer", `{"bank":"ana","query":"Who has a dog?"}`},
	{"list", `{"bank":"ana","limit":5}`},
	{"get", `{"bank":"ana","ids":["x1","none"]}`},
	{"history", `{"bank":"ana","subject":"Ana"}`},
	{"add", `{"bank":"ana","sessions":[{"id":"tue","turns":[{"id":"x1","speaker":"Ana","time":"2026-05-12T09:00:00Z","text":"Clara adopted a dog called Rui yesterday."}]}]}`},
	{"delete", `{"bank":"ana","filter":{"sessions":["tue"]},"dry_run":true}`},
	{"delete", `{"bank":"ana","filter":{"sessions":["tue"]}}`},
	{"search", `{"bank":"ana","query":"Who has a dog?"}`},
	{"restore", `{"bank":"ana"}`},
	{"reprocess", `{"bank":"ana"}`},
	{"expire", `{"bank":"ana"}`},
	{"export", `{"bank":"ana"}`},
	{"stats", `{"bank":"ana"}`},
	{"banks", `{}`},
	{"drop", `{"bank":"ana"}`},
	{"stats", `{"bank":"ana"}`},
	{"add", `{"bank":"big","sessions":[{"id":"s","turns":[{"speaker":"A","time":"2026-05-04T09:00:00Z","text":"` + strings.Repeat("word ", 1<<16) + `"}]}]}`},
	{"version", `{}`},
}

// live runs a life and gives what each verb answered.
func live(t *testing.T, c Config) []string {
	t.Helper()
	c.Set = hostfuncs.Set{Store: memory.New()}
	c.Now = func() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }
	h, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var answers []string
	for _, r := range life {
		out, err := h.Call(t.Context(), r.verb, []byte(r.request))
		if e := effect.AsError(err); e != nil && e.Code == effect.Internal {
			t.Errorf("%s: %v", r.verb, err)
		}
		answers = append(answers, fmt.Sprintf("%s: %s, %v", r.verb, out, err))
	}
	return answers
}

// TestALifeIsTheSameEverywhere holds native engine, plugin, and a plugin that
// is thrown away after each step, cache and all, to the same bytes.
func TestALifeIsTheSameEverywhere(t *testing.T) {
	code := plugintest.Build(t, "step")
	want := live(t, Config{Instances: 1})
	for name, c := range map[string]Config{
		"many native instances": {Instances: 5},
		"plugin":                {Engine: Wasm, Plugin: code, Instances: 1},
		"plugin always cold":    {Engine: Wasm, Plugin: code, Instances: 1, RecycleBytes: 1},
	} {
		for i, got := range live(t, c) {
			if got != want[i] {
				t.Errorf("%s:\n%.2000s\nnative:\n%.2000s", name, got, want[i])
			}
		}
	}
}
