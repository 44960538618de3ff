package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
)

func always(answer func(w http.ResponseWriter)) func(int, http.ResponseWriter, chatRequest) bool {
	return func(_ int, w http.ResponseWriter, _ chatRequest) bool {
		answer(w)
		return true
	}
}

// from answers calls from the nth on.
func from(nth int, answer func(w http.ResponseWriter)) func(int, http.ResponseWriter, chatRequest) bool {
	return func(n int, w http.ResponseWriter, _ chatRequest) bool {
		if n >= nth {
			answer(w)
		}
		return n >= nth
	}
}

func cutOff(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "4000")
	fmt.Fprint(w, `{"choices":[{"message":{"content":"{\"segments\":[{`)
	panic(http.ErrAbortHandler)
}

// TestAServerThatFailsStopsTheAddAndLosesNothing: whatever the server does for
// good, the turns are stored and findable, what was decided is memory, the rest
// is pending with a reason, and a flush against a server that works again goes
// on without paying for anything twice.
func TestAServerThatFailsStopsTheAddAndLosesNothing(t *testing.T) {
	file := unclearFile(t, 16)
	undisturbed := newChatServer(t)
	whole := undisturbed.caller(t)
	whole.add(file)
	want, calls := whole.export(), undisturbed.count()
	if calls < 2 {
		t.Fatalf("%d calls: there is nothing between them", calls)
	}
	for _, tt := range []struct {
		name  string
		fault func(int, http.ResponseWriter, chatRequest) bool
		flags []string
		code  effect.Code
		tries int // at most; 0: not checked
		says  string
	}{
		{"limited", from(2, func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "1")
			fails(w, 429, "rate_limit_exceeded", "slow down")
		}), nil, effect.RateLimited, 0, "slow down"},
		{"limited for an hour", from(2, func(w http.ResponseWriter) { w.Header().Set("Retry-After", "3600"); fails(w, 429, "", "slow down") }), nil, effect.RateLimited, calls, ""},
		{"a quota that is spent", from(2, func(w http.ResponseWriter) { fails(w, 429, "insufficient_quota", "pay") }), nil, effect.RateLimited, calls, "pay"},
		{"500", from(2, func(w http.ResponseWriter) { fails(w, 500, "", "oops") }), nil, effect.ModelFailed, 0, "500"},
		{"no choices", from(2, func(w http.ResponseWriter) { fmt.Fprint(w, `{"choices":[]}`) }), nil, effect.ModelFailed, 0, "no choices"},
		{"cut off", from(2, cutOff), nil, effect.ModelFailed, 0, ""},
		{"slow", from(2, func(http.ResponseWriter) { time.Sleep(900 * time.Millisecond) }), []string{"--llm-timeout", "300ms"}, effect.ModelTimeout, calls, "no answer within"},
		{"a wrong model", always(func(w http.ResponseWriter) { fails(w, 404, "model_not_found", "the model m does not exist") }), nil, effect.ModelFailed, calls, "does not exist"},
		{"a bad key", always(func(w http.ResponseWriter) {
			fails(w, 401, "invalid_api_key", "Incorrect API key provided: key-verysecret-of-nobody")
		}), nil, effect.Unauthorized, calls, "401"},
		{"an HTML page", always(func(w http.ResponseWriter) { w.WriteHeader(502); fmt.Fprint(w, "<html>Bad gateway</html>") }), nil, effect.ModelFailed, 0, "502"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newChatServer(t)
			s.set(tt.fault)
			c := s.caller(t, tt.flags...)
			r := c.add(file)
			if r.Stopped == nil || r.Stopped.Code != tt.code || !strings.Contains(r.Stopped.Message, tt.says) || !strings.Contains(r.Stopped.Message, "stays owed") {
				t.Fatalf("stopped %+v, want %s and %q", r.Stopped, tt.code, tt.says)
			}
			if strings.Contains(r.Stopped.Message, "verysecret") {
				t.Errorf("the key stands in %q", r.Stopped.Message)
			}
			if r.Added != 128 || r.Pending == 0 {
				t.Errorf("added %d, pending %d", r.Added, r.Pending)
			}
			if tt.tries > 0 && s.count() > tt.tries {
				t.Errorf("%d tries, want at most %d", s.count(), tt.tries)
			}
			if out := c.run("search", "Whose cabinet squeaks?").ok(t).out; !strings.Contains(out, "squeak") {
				t.Errorf("pending turns are not found: %.200s", out)
			}
			if st := c.stats(); st.Counts["turn"] != 128 || st.Counts["pending"] != r.Pending {
				t.Errorf("counts %v", st.Counts)
			}
			s.set(nil)
			c.with = c.with[:8] // patient again
			f := c.flush()
			if f.Stopped != nil || f.Pending != 0 {
				t.Errorf("the flush: stopped %v, pending %d", f.Stopped, f.Pending)
			}
			if again := s.twice(); len(again) > 0 {
				t.Errorf("paid for twice: %q", again)
			}
			sameBank(t, c.export(), want)
		})
	}
}

// sameBank compares exports but for what was spent and the version.
func sameBank(t *testing.T, got, want string) {
	t.Helper()
	strip := func(s string) string {
		_, rest, _ := strings.Cut(s, "\n") // the header
		return rest
	}
	if strip(got) != strip(want) {
		t.Errorf("another bank: %d and %d bytes", len(got), len(want))
	}
}

func TestAServerThatStumblesIsAskedAgain(t *testing.T) {
	file := unclearFile(t, 16)
	once := func(answer func(w http.ResponseWriter)) func(int, http.ResponseWriter, chatRequest) bool {
		return func(n int, w http.ResponseWriter, _ chatRequest) bool {
			if n == 2 {
				answer(w)
			}
			return n == 2
		}
	}
	for name, fault := range map[string]func(int, http.ResponseWriter, chatRequest) bool{
		"429":           once(func(w http.ResponseWriter) { w.Header().Set("Retry-After", "1"); fails(w, 429, "", "slow down") }),
		"500":           once(func(w http.ResponseWriter) { fails(w, 500, "", "oops") }),
		"empty choices": once(func(w http.ResponseWriter) { fmt.Fprint(w, `{"choices":[]}`) }),
		"empty text":    once(func(w http.ResponseWriter) { says(w, "", "stop", 10, 0) }),
		"cut off":       once(cutOff),
	} {
		t.Run(name, func(t *testing.T) {
			s := newChatServer(t)
			s.set(fault)
			begin := time.Now()
			if r := s.caller(t).add(file); r.Stopped != nil || r.Pending != 0 || len(r.Reports) != 0 {
				t.Errorf("stopped %v, pending %d, reports %q", r.Stopped, r.Pending, r.Reports)
			}
			if name == "429" && time.Since(begin) < time.Second {
				t.Error("Retry-After was not obeyed")
			}
			if again := s.twice(); len(again) > 0 {
				t.Errorf("paid for twice: %q", again)
			}
		})
	}
}

func TestAReplyThatIsRefusedIsLeftToRules(t *testing.T) {
	file := unclearFile(t, 16)
	for name, answer := range map[string]func(w http.ResponseWriter){
		"a refusal": func(w http.ResponseWriter) {
			fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"","refusal":"I will not."}}]}`)
		},
		"a content filter":       func(w http.ResponseWriter) { says(w, `{"segm`, "content_filter", 10, 3) },
		"a filter of the prompt": func(w http.ResponseWriter) { fails(w, 400, "content_filter", "content management policy") },
		"nonsense":               func(w http.ResponseWriter) { says(w, "I think that", "stop", 10, 3) },
		"the schema":             func(w http.ResponseWriter) { says(w, `{"$defs":{},"properties":{}}`, "stop", 10, 3) },
		"half a string":          func(w http.ResponseWriter) { says(w, `{"segments":[{"seg":1,"y":"prof`, "length", 10, 3) },
		"a segment never offered": func(w http.ResponseWriter) {
			says(w, `{"segments":[{"seg":99,"y":"record","src":[],"value":"x"}]}`, "stop", 10, 3)
		},
		"reasoning without an end": func(w http.ResponseWriter) { says(w, `<think>{"segments":[{"seg":1,"y":"ignore"}]}`, "length", 10, 3) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newChatServer(t)
			s.set(func(_ int, w http.ResponseWriter, r chatRequest) bool {
				if !strings.Contains(r.user(), "# 2025-03-01") { // the first batch alone
					return false
				}
				answer(w)
				return true
			})
			c := s.caller(t)
			r := c.add(file)
			if r.Stopped != nil || r.Pending != 0 {
				t.Fatalf("stopped %v, pending %d", r.Stopped, r.Pending)
			}
			if r.Usage["schedule"].Fallbacks == 0 || !strings.Contains(strings.Join(r.Reports, "\n"), "rules took over") {
				t.Errorf("it is not reported: %+v, %q", r.Usage, r.Reports)
			}
			paths := map[string]int{}
			for line := range strings.Lines(c.export()) {
				for _, p := range []string{`"path":"llm"`, `"path":"rules"`} {
					if strings.Contains(line, p) {
						paths[p]++
					}
				}
			}
			if len(paths) != 2 {
				t.Errorf("memories by path %v: want the rules' for one batch and the model's for the others", paths)
			}
		})
	}
}

func TestABatchTooLongForTheModelIsSplit(t *testing.T) {
	s := newChatServer(t)
	s.set(func(_ int, w http.ResponseWriter, r chatRequest) bool {
		if len(r.user()) < 3000 {
			return false
		}
		fails(w, 400, "context_length_exceeded", "This model's maximum context length is 1024 tokens")
		return true
	})
	r := s.caller(t).add(unclearFile(t, 16))
	if r.Stopped != nil || r.Pending != 0 || r.Usage["schedule"].Fallbacks != 0 || len(r.Reports) != 0 {
		t.Errorf("stopped %v, pending %d, usage %+v, reports %q", r.Stopped, r.Pending, r.Usage, r.Reports)
	}
}

func TestAServerWithoutSchemasIsFoundOutOnce(t *testing.T) {
	s := newChatServer(t)
	refused := 0
	s.set(func(_ int, w http.ResponseWriter, r chatRequest) bool {
		if r.Format != nil && r.Format.Type == "json_schema" {
			s.mu.Lock()
			refused++
			s.mu.Unlock()
			fails(w, 400, "", "response_format json_schema is not supported")
			return true
		}
		says(w, `{"segments":[]}`, "stop", 10, 3)
		return true
	})
	r := s.caller(t, "--llm-parallel", "1").add(unclearFile(t, 16))
	if r.Stopped != nil || r.Pending != 0 || refused != 1 {
		t.Errorf("stopped %v, pending %d, refused %d times", r.Stopped, r.Pending, refused)
	}
}
