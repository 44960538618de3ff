package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/llm"
)

const (
	key    = "sk-topsecret0123456789"
	secret = "Zorblat lives at 12 Elm Street"
)

var ctx = context.Background()

// server answers the n-th request with the n-th handler, the last one for ever,
// and keeps the requests' bodies.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []map[string]any
}

func serve(t *testing.T, handlers ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var body map[string]any
		json.Unmarshal(raw, &body)
		s.mu.Lock()
		n := min(len(s.bodies), len(handlers)-1)
		s.bodies = append(s.bodies, body)
		s.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+key {
			t.Error("no key")
		}
		handlers[n](w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

func (s *server) body(i int) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies[i]
}

func says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func fails(status int, code, message string, headers ...string) http.HandlerFunc {
	b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "code": code}})
	return says(status, string(b), headers...)
}

func replies(text string) http.HandlerFunc {
	return says(200, fmt.Sprintf(`{"choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25,"prompt_tokens_details":{"cached_tokens":12}}}`, text))
}

func streams(end string, parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range parts {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":null}]}\n\n", p)
			w.(http.Flusher).Flush()
		}
		io.WriteString(w, end)
	}
}

const streamEnd = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}}

data: [DONE]

`

func provider(t *testing.T, s *server, change func(*llm.Options)) *llm.LLM {
	t.Helper()
	o := llm.Options{BaseURL: s.URL + "/v1", Key: key, Model: "local", Backoff: time.Millisecond}
	if change != nil {
		change(&o)
	}
	l, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// want checks an error's code and that it gives nothing away.
func want(t *testing.T, err error, code effect.Code) *effect.Error {
	t.Helper()
	if !effect.HasCode(err, code) {
		t.Fatalf("%v, want %s", err, code)
	}
	e := effect.AsError(err)
	for _, leak := range []string{key, "topsecret", "Zorblat", "Elm Street"} {
		if strings.Contains(fmt.Sprintf("%+v %#v", e, *e), leak) {
			t.Fatalf("the error holds %q: %v", leak, err)
		}
	}
	return e
}

var prompt = effect.Prompt{Stage: "schedule", System: "Sort the facts.", User: secret, MaxTokens: 100}
