package hostfuncs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

var ctx = context.Background()

func code(r effect.Reply) effect.Code {
	if r.Err == nil {
		return ""
	}
	return r.Err.Code
}

func TestMissingProviderIsUnavailable(t *testing.T) {
	for _, op := range effect.Ops {
		r := hostfuncs.Set{}.Dispatch(ctx, effect.Request{Op: op, Bank: "b"})
		want := effect.Unavailable
		if op == effect.OpProgress {
			want = ""
		}
		if code(r) != want {
			t.Errorf("%s: %v, want %q", op, r.Err, want)
		}
	}
	if r := (hostfuncs.Set{}).Dispatch(ctx, effect.Request{Op: "rm"}); code(r) != effect.InvalidArgument {
		t.Errorf("unknown effect: %v", r.Err)
	}
}

func TestClientOverPort(t *testing.T) {
	set := hostfuncs.Set{Store: memory.New(), LLM: llmFunc(func(_ context.Context, p effect.Prompt) (effect.Completion, error) {
		return effect.Completion{Text: p.User}, nil
	})}
	c := effect.Client{Port: hostfuncs.Port(set, hostfuncs.Options{}), Bank: "a-b/ü"}
	ok, v, err := c.Commit(ctx, "", "v1", []effect.Write{{Key: []byte("k"), Value: []byte("x")}})
	if !ok || v != "v1" || err != nil {
		t.Fatal(ok, v, err)
	}
	ok, v, err = c.Commit(ctx, "", "v2", nil)
	if ok || v != "v1" || err != nil {
		t.Fatal("conflict:", ok, v, err)
	}
	values, v, err := c.Get(ctx, []byte("k"), []byte("none"))
	if err != nil || v != "v1" || string(values[0]) != "x" || values[1] != nil {
		t.Fatal(values, v, err)
	}
	entries, more, v, err := c.Scan(ctx, nil, nil, 0)
	if err != nil || more || v != "v1" || len(entries) != 1 {
		t.Fatal(entries, more, v, err)
	}
	names, _, err := c.Banks(ctx, "", 0)
	if err != nil || !slices.Equal(names, []string{"a-b/ü"}) {
		t.Fatal(names, err)
	}
	out, err := c.Complete(ctx, []effect.Prompt{{User: "one"}, {User: "two"}})
	if err != nil || out[0].Text != "one" || out[1].Text != "two" {
		t.Fatal(out, err)
	}
}

func TestBanksOutsideTheBoundsAreForbidden(t *testing.T) {
	s := memory.New()
	for _, b := range []string{"a", "a/b", "b", "c", "c/1", "c/2"} {
		if ok, _, err := s.Commit(ctx, b, "", "v", nil); !ok || err != nil {
			t.Fatal(err)
		}
	}
	set := hostfuncs.Set{Store: s, LLM: llmFunc(nil), Options: hostfuncs.Options{Allow: func(b string) bool { return strings.HasPrefix(b, "c") || b == "a" }}}
	for _, bound := range []hostfuncs.Options{
		{Banks: []string{"c/2", "b", "c", "none", "c/2"}},
		{Allow: func(b string) bool { return b == "b" || b == "c" || b == "c/2" }},
	} {
		narrow := set.With(bound)
		for _, op := range []effect.Op{effect.OpGet, effect.OpScan, effect.OpCommit, effect.OpComplete} {
			for _, bank := range []string{"a", "a/b", "b", "c/1"} {
				if r := narrow.Dispatch(ctx, effect.Request{Op: op, Bank: bank, Version: "w"}); code(r) != effect.Forbidden {
					t.Errorf("%s on %q: %v", op, bank, r.Err)
				}
			}
		}
		if r := narrow.Dispatch(ctx, effect.Request{Op: effect.OpGet, Bank: "c"}); r.Err != nil {
			t.Error(r.Err)
		}
		var got []string
		after, more := "", true
		for more {
			r := narrow.Dispatch(ctx, effect.Request{Op: effect.OpBanks, AfterBank: after, Limit: 1})
			if r.Err != nil || len(r.Banks) != 1 {
				t.Fatal(r.Banks, r.Err)
			}
			got, after, more = append(got, r.Banks...), r.Banks[0], r.More
		}
		if !slices.Equal(got, []string{"c", "c/2"}) {
			t.Errorf("banks %q", got)
		}
	}
	if r := set.Dispatch(ctx, effect.Request{Op: effect.OpGet}); code(r) != effect.InvalidArgument {
		t.Errorf("no bank: %v", r.Err)
	}
}

func TestPromptsRunInParallelUpToTheLimit(t *testing.T) {
	var running, peak, calls atomic.Int64
	set := hostfuncs.Set{LLM: llmFunc(func(context.Context, effect.Prompt) (effect.Completion, error) {
		n := running.Add(1)
		for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
		}
		time.Sleep(20 * time.Millisecond)
		running.Add(-1)
		calls.Add(1)
		return effect.Completion{}, nil
	})}
	r := set.With(hostfuncs.Options{Prompts: 3}).Dispatch(ctx, effect.Request{Op: effect.OpComplete, Prompts: make([]effect.Prompt, 10)})
	if r.Err != nil || peak.Load() != 3 || calls.Load() != 10 {
		t.Fatalf("peak %d, calls %d, %v", peak.Load(), calls.Load(), r.Err)
	}
}

func TestAFailedPromptLeavesItsNeighbours(t *testing.T) {
	secret := "Zorblat lives at 12 Elm Street"
	set := hostfuncs.Set{LLM: llmFunc(func(_ context.Context, p effect.Prompt) (effect.Completion, error) {
		switch p.Stage {
		case "panic":
			panic("dumping " + p.User)
		case "index":
			_ = []int{}[len(p.User)]
		case "fail":
			return effect.Completion{PromptTokens: 7}, fmt.Errorf("cannot parse %q", p.User)
		case "coded":
			return effect.Completion{}, effect.Retryf(effect.RateLimited, "slow down")
		case "foreign":
			return effect.Completion{}, &effect.Error{Code: "teapot", Message: "no"}
		}
		return effect.Completion{Text: "fine"}, nil
	})}
	stages := []string{"ok", "panic", "index", "fail", "coded", "foreign", "ok"}
	want := []effect.Code{"", effect.ModelFailed, effect.ModelFailed, effect.ModelFailed, effect.RateLimited, effect.ModelFailed, ""}
	var prompts []effect.Prompt
	for _, s := range stages {
		prompts = append(prompts, effect.Prompt{Stage: s, User: secret})
	}
	r := set.Dispatch(ctx, effect.Request{Op: effect.OpComplete, Prompts: prompts})
	for i, c := range r.Completions {
		if (c.Err == nil) != (want[i] == "") || (c.Err != nil && c.Err.Code != want[i]) {
			t.Errorf("%s: %v, want %q", stages[i], c.Err, want[i])
		}
		if c.Err != nil && (strings.Contains(c.Err.Message, "Zorblat") || strings.Contains(c.Err.Message, "Elm Street")) {
			t.Errorf("%s: the error quotes the prompt: %s", stages[i], c.Err.Message)
		}
	}
	if r.Completions[3].PromptTokens != 7 {
		t.Error("the tokens of a failed prompt are lost")
	}
}

func TestDeadlines(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	set := hostfuncs.Set{
		LLM: llmFunc(func(ctx context.Context, p effect.Prompt) (effect.Completion, error) {
			if p.Stage == "deaf" {
				<-block
			}
			<-ctx.Done()
			return effect.Completion{}, ctx.Err()
		}),
		Embedder: embedFunc(func(ctx context.Context, _ []string, _ string) (effect.Vectors, error) {
			<-ctx.Done()
			return effect.Vectors{}, errors.New("socket closed")
		}),
		Tagger: tagFunc(func(ctx context.Context, _ []string) ([][]effect.Entity, error) {
			<-block
			return nil, nil
		}),
		Options: hostfuncs.Options{PromptTimeout: 20 * time.Millisecond, EmbedTimeout: 20 * time.Millisecond, TagTimeout: 20 * time.Millisecond},
	}
	r := set.Dispatch(ctx, effect.Request{Op: effect.OpComplete, Prompts: []effect.Prompt{{}, {Stage: "deaf"}}})
	for _, c := range r.Completions {
		if c.Err == nil || c.Err.Code != effect.ModelTimeout || !c.Err.Retryable {
			t.Errorf("prompt: %+v", c.Err)
		}
	}
	if r := set.Dispatch(ctx, effect.Request{Op: effect.OpEmbed, Texts: []string{"x"}}); code(r) != effect.Deadline {
		t.Errorf("embed: %v", r.Err)
	}
	if r := set.Dispatch(ctx, effect.Request{Op: effect.OpTag, Texts: []string{"x"}}); code(r) != effect.Deadline {
		t.Errorf("tag: %v", r.Err)
	}
}

func TestCancelIsTerminal(t *testing.T) {
	outer, cancel := context.WithCancel(ctx)
	port := hostfuncs.Port(hostfuncs.Set{Store: memory.New(), Tagger: tagFunc(func(ctx context.Context, _ []string) ([][]effect.Entity, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})}, hostfuncs.Options{})
	_, err := port.Do(outer, []effect.Request{{Op: effect.OpTag, Texts: []string{"x"}}})
	if !effect.HasCode(err, effect.Canceled) {
		t.Fatalf("during: %v", err)
	}
	_, err = port.Do(outer, []effect.Request{{Op: effect.OpGet, Bank: "b"}})
	if !effect.HasCode(err, effect.Canceled) {
		t.Fatalf("after: %v", err)
	}
}

func TestStoreRequestsOfOneCallKeepTheirOrder(t *testing.T) {
	port := hostfuncs.Port(hostfuncs.Set{Store: memory.New()}, hostfuncs.Options{})
	var requests []effect.Request
	for i := range 50 {
		expected := ""
		if i > 0 {
			expected = fmt.Sprint(i - 1)
		}
		requests = append(requests, effect.Request{Op: effect.OpCommit, Bank: "b", Expected: expected, Version: fmt.Sprint(i)})
	}
	replies, err := port.Do(ctx, requests)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range replies {
		if r.Err != nil || r.Conflict || r.Current != fmt.Sprint(i) {
			t.Fatalf("commit %d: %+v", i, r)
		}
	}
}

type brokenStore struct{ hostfuncs.Store }

func (brokenStore) Get(context.Context, string, [][]byte) ([][]byte, string, error) { panic("boom") }
func (brokenStore) Scan(context.Context, string, []byte, []byte, int) (hostfuncs.Page, error) {
	return hostfuncs.Page{}, errors.New("disk on fire")
}

func TestABrokenStoreGivesCodes(t *testing.T) {
	set := hostfuncs.Set{Store: brokenStore{}}
	for _, op := range []effect.Op{effect.OpGet, effect.OpScan} {
		if r := set.Dispatch(ctx, effect.Request{Op: op, Bank: "b"}); code(r) != effect.StoreFailed {
			t.Errorf("%s: %v", op, r.Err)
		}
	}
}

func TestProgressCancels(t *testing.T) {
	var seen effect.Progress
	set := hostfuncs.Set{Progress: func(_ context.Context, p effect.Progress) error {
		seen = p
		return errors.New("enough")
	}}
	r := set.Dispatch(ctx, effect.Request{Op: effect.OpProgress, Progress: effect.Progress{Stage: "segment", Done: 1, Total: 2}})
	if code(r) != effect.Canceled || seen.Done != 1 {
		t.Fatal(r.Err, seen)
	}
}

func TestEmbedAndTagCountsAreChecked(t *testing.T) {
	set := hostfuncs.Set{
		Embedder: embedFunc(func(context.Context, []string, string) (effect.Vectors, error) {
			return effect.Vectors{Dims: 2, Data: make([]float32, 3)}, nil
		}),
		Tagger: tagFunc(func(context.Context, []string) ([][]effect.Entity, error) { return nil, nil }),
	}
	if r := set.Dispatch(ctx, effect.Request{Op: effect.OpEmbed, Texts: []string{"a", "b"}}); code(r) != effect.EmbedFailed {
		t.Error(r.Err)
	}
	if r := set.Dispatch(ctx, effect.Request{Op: effect.OpTag, Texts: []string{"a", "b"}}); code(r) != effect.TagFailed {
		t.Error(r.Err)
	}
}

func TestRedact(t *testing.T) {
	prompt := "My password is hunter2hunter2\nand Bo hates fish 我每天骑车上班"
	for _, c := range []struct{ in, want string }{
		{"model gpt-x does not exist", "model gpt-x does not exist"},
		{"bad input: hunter2hunter2 rejected", "bad input:…rejected"},
		{"got “我每天骑车”", "got “…”"},
		{"line one\n\tline two", "line one line two"},
	} {
		if got := hostfuncs.Redact(c.in, prompt); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
	if got := hostfuncs.Redact(strings.Repeat("ü", 1000)); len(got) > 310 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestNamesThatThePortCannotCarryAreRefused(t *testing.T) {
	s := memory.New()
	for _, name := range []string{"a", "a\xff", "b"} { // a host may use any name
		if ok, _, err := s.Commit(ctx, name, "", "v1", nil); !ok || err != nil {
			t.Fatal(err)
		}
	}
	set := hostfuncs.Set{Store: s}
	for _, r := range []effect.Request{
		{Op: effect.OpGet, Bank: "a\xff"}, {Op: effect.OpScan, Bank: "a\xff"}, {Op: effect.OpBanks, AfterBank: "\xff"},
		{Op: effect.OpCommit, Bank: "a", Expected: "v1", Version: "v\xff"}, {Op: effect.OpCommit, Bank: "a", Expected: "\xff", Version: "v2"},
	} {
		if reply := set.Dispatch(ctx, r); code(reply) != effect.InvalidArgument {
			t.Errorf("%s: %+v", r.Op, reply)
		}
	}
	if reply := set.Dispatch(ctx, effect.Request{Op: effect.OpBanks}); reply.Err != nil || !slices.Equal(reply.Banks, []string{"a", "b"}) {
		t.Errorf("banks: %+v", reply)
	}
}
