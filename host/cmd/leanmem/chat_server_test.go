package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/host/bench"
)

// chatRequest is what a server with OpenAI's chat interface is sent.
type chatRequest struct {
	Model    string
	Stream   bool
	Messages []struct{ Role, Content string }
	Format   *struct {
		Type   string
		Schema struct{ Name string } `json:"json_schema"`
	} `json:"response_format"`
	key string
}

func (r chatRequest) user() string { return r.Messages[len(r.Messages)-1].Content }

// stages by the names of their reply schemas.
var stages = map[string]string{"routes": "schedule", "route": "schedule", "event": "event", "gist": "gist", "updates": "evolve", "plan": "plan", "answer": "answer", "entities": "tag", "verdict": "judge"}

// chatServer is a server whose model answers by rule, unless a fault answers in
// its place.
type chatServer struct {
	url   string
	model bench.RuleModel

	mu    sync.Mutex
	fault func(n int, w http.ResponseWriter, r chatRequest) bool // true: it has answered
	calls int
	paid  map[string]int // whole replies by prompt
}

func newChatServer(t *testing.T) *chatServer {
	s := &chatServer{paid: map[string]int{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL + "/v1"
	return s
}

func (s *chatServer) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	var r chatRequest
	body, _ := io.ReadAll(h.Body)
	if json.Unmarshal(body, &r) != nil || len(r.Messages) == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.key = strings.TrimPrefix(h.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	s.calls++
	n, fault := s.calls, s.fault
	s.mu.Unlock()
	if fault != nil && fault(n, w, r) {
		return
	}
	s.answer(w, r)
}

// answer replies by rule, and counts what is paid for.
func (s *chatServer) answer(w http.ResponseWriter, r chatRequest) {
	p := effect.Prompt{User: r.user(), System: r.Messages[0].Content}
	if r.Format != nil {
		p.SchemaName = r.Format.Schema.Name
	}
	p.Stage = stages[p.SchemaName]
	c, _ := s.model.Complete(context.Background(), p)
	s.mu.Lock()
	s.paid[r.user()]++
	s.mu.Unlock()
	if r.Stream {
		half := len(c.Text) / 2
		fmt.Fprint(w, chunk(c.Text[:half], "")+chunk(c.Text[half:], "stop")+"data: [DONE]\n\n")
		return
	}
	says(w, c.Text, "stop", c.PromptTokens, c.OutputTokens)
}

func chunk(text, finish string) string {
	choice := map[string]any{"index": 0, "delta": map[string]string{"content": text}}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	b, _ := json.Marshal(map[string]any{"choices": []any{choice}})
	return "data: " + string(b) + "\n\n"
}

func says(w http.ResponseWriter, text, finish string, prompt, output int) {
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": map[string]string{"role": "assistant", "content": text}}},
		"usage":   map[string]int{"prompt_tokens": prompt, "completion_tokens": output},
	})
}

func fails(w http.ResponseWriter, status int, code, message string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"code": code, "type": "t", "message": message}})
}

func (s *chatServer) set(fault func(n int, w http.ResponseWriter, r chatRequest) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.calls = fault, 0
}

func (s *chatServer) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// twice lists the prompts that were paid for more than once.
func (s *chatServer) twice() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for prompt, n := range s.paid {
		if n > 1 {
			out = append(out, fmt.Sprintf("%d × %.80q", n, prompt))
		}
	}
	return out
}

// unclearFile is a dialogue that rules are not sure of: sessions of eight
// turns.
func unclearFile(t *testing.T, sessions int) string {
	t.Helper()
	lines := []string{
		"The cabinet in the hallway squeaks whenever somebody opens the left door of it.",
		"Mine did the same until the hinges were soaked in paraffin overnight, smell and all.",
		"Paraffin sounds messy, but the squeak wakes the whole household before the alarm does.",
		"A candle rubbed along the hinge works almost as well, without the smell of a garage.",
	}
	var b strings.Builder
	for s := range sessions {
		for i := range 8 {
			line, _ := json.Marshal(map[string]any{"session": fmt.Sprintf("s%02d", s), "id": fmt.Sprintf("s%02d:%d", s, i), "speaker": []string{"Ana", "Ben"}[i%2],
				"time": fmt.Sprintf("2025-03-%02dT10:00:00Z", s+1), "text": fmt.Sprintf("In house %d of street %d: %s", s*8+i, s+i, lines[(i+s)%4])})
			b.Write(append(line, '\n'))
		}
	}
	path := filepath.Join(t.TempDir(), "unclear.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// caller runs commands on one store with the server's model.
type caller struct {
	t     *testing.T
	store string
	with  []string
}

func (s *chatServer) caller(t *testing.T, with ...string) caller {
	t.Setenv("OPENAI_API_KEY", "key-verysecret-of-nobody")
	with = append([]string{"--now", "2025-12-01", "--llm-url", s.url, "--llm-model", "m", "--llm-retries", "1"}, with...)
	return caller{t, storeFlag(t), with}
}

func (c caller) run(args ...string) ran {
	c.t.Helper()
	return leanmem(c.t, "", append(append([]string{c.store, "--json"}, c.with...), args...)...)
}

func (c caller) add(file string) (r addReport) {
	c.t.Helper()
	decode(c.t, c.run("add", file).ok(c.t).out, &r)
	return r
}

func (c caller) flush() (r core.AddResult) {
	c.t.Helper()
	decode(c.t, c.run("flush").ok(c.t).out, &r)
	return r
}

func (c caller) stats() (r core.StatsResult) {
	c.t.Helper()
	decode(c.t, c.run("stats").ok(c.t).out, &r)
	return r
}

func (c caller) export() string { c.t.Helper(); return c.run("export").ok(c.t).out }
