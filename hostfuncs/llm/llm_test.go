package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/llm"
)

func TestAPlainReply(t *testing.T) {
	s := serve(t, replies("fine"))
	c, err := provider(t, s, nil).Complete(ctx, prompt)
	if err != nil || c != (effect.Completion{Text: "fine", Finish: "stop", PromptTokens: 20, OutputTokens: 5, CachedTokens: 12}) {
		t.Fatalf("%+v, %v", c, err)
	}
	b := s.body(0)
	if b["model"] != "local" || b["max_tokens"] != 100.0 || b["temperature"] != 0.0 || b["stream"] == true {
		t.Fatalf("%v", b)
	}
	m := b["messages"].([]any)
	if len(m) != 2 || m[0].(map[string]any)["content"] != prompt.System || m[1].(map[string]any)["content"] != secret {
		t.Fatalf("%v", m)
	}
}

func TestModelsThatTakeNoTemperature(t *testing.T) {
	for _, model := range []string{"o1", "o3-mini", "o4-mini", "gpt-5-nano", "gpt-5.1"} {
		s := serve(t, replies("fine"))
		if _, err := provider(t, s, func(o *llm.Options) { o.Model = model }).Complete(ctx, prompt); err != nil {
			t.Fatalf("%s: %v", model, err)
		}
		b := s.body(0)
		if _, ok := b["temperature"]; ok || b["max_completion_tokens"] != 100.0 || b["max_tokens"] != nil || b["model"] != model {
			t.Errorf("%s: %v", model, b)
		}
	}
}

func TestWaitingAndTryingAgain(t *testing.T) {
	date := time.Now().Add(1100 * time.Millisecond).UTC().Format(http.TimeFormat)
	for name, c := range map[string]struct {
		first http.HandlerFunc
		least time.Duration
	}{
		"429 with seconds":      {fails(429, "rate_limit_exceeded", "slow down", "Retry-After", "0.2"), 200 * time.Millisecond},
		"429 with milliseconds": {fails(429, "rate_limit_exceeded", "slow down", "Retry-After-Ms", "150"), 150 * time.Millisecond},
		"429 with a date":       {fails(429, "rate_limit_exceeded", "slow down", "Retry-After", date), 1},
		"429 bare":              {says(429, ""), 0},
		"500":                   {fails(500, "server_error", "oops"), 0},
		"502 HTML":              {says(502, "<html><body>Bad Gateway "+secret+key+"</body></html>", "Content-Type", "text/html"), 0},
		"503":                   {says(503, "{}"), 0},
		"529":                   {says(529, "overloaded"), 0},
		"garbage":               {says(200, "not JSON"), 0},
		"HTML with 200":         {says(200, "<!doctype html><p>log in", "Content-Type", "text/html"), 0},
		"empty choices":         {says(200, `{"choices":[]}`), 0},
		"empty text":            {replies(""), 0},
		"connection reset": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
		}, 0},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte(`{"choices":[{"mess`))
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.first, c.first, replies("fine"))
			begin := time.Now()
			got, err := provider(t, s, nil).Complete(ctx, prompt)
			if err != nil || got.Text != "fine" || s.calls() != 3 {
				t.Fatalf("%+v, %v after %d calls", got, err, s.calls())
			}
			if took := time.Since(begin); took < c.least {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestGivingUp(t *testing.T) {
	long := strings.Repeat(secret, 3)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		code   effect.Code
		calls  int
		again  bool
		hint   string
	}{
		"429 for ever":      {fails(429, "rate_limit_exceeded", "slow down, "+key, "Retry-After", "0"), effect.RateLimited, 3, true, "slow down"},
		"429 without quota": {fails(429, "insufficient_quota", "pay first"), effect.RateLimited, 1, false, "pay first"},
		"500 for ever":      {fails(500, "", "oops: "+secret), effect.ModelFailed, 3, true, "oops"},
		"bad key":           {fails(401, "invalid_api_key", "Incorrect API key provided: "+key), effect.Unauthorized, 1, false, "Incorrect API key"},
		"forbidden":         {says(403, "<html>no</html>", "Content-Type", "text/html"), effect.Unauthorized, 1, false, "HTML"},
		"wrong model":       {fails(404, "model_not_found", "The model `local` does not exist"), effect.ModelFailed, 1, false, "does not exist"},
		"wrong model 400":   {says(400, `{"error":"model \"local\" not found, try pulling it first"}`), effect.ModelFailed, 1, false, "try pulling"},
		"wrong path":        {says(404, "404 page not found"), effect.ModelFailed, 1, false, "page not found"},
		"context length":    {fails(400, "context_length_exceeded", "This model's maximum context length is 8192 tokens"), effect.ContextLength, 1, false, "8192"},
		"context of llama":  {says(400, `{"error":{"code":400,"message":"the request exceeds the available context size (4096 tokens)","type":"exceed_context_size_error"}}`), effect.ContextLength, 1, false, "4096"},
		"context of vLLM":   {says(400, `{"object":"error","message":"This model's maximum context length is 2048 tokens. However, you requested 9000 tokens","type":"BadRequestError","code":400}`), effect.ContextLength, 1, false, "2048"},
		"too large":         {says(413, ""), effect.ContextLength, 1, false, "413"},
		"policy":            {fails(400, "content_filter", "The response was filtered due to "+long), effect.ModelRefused, 1, false, "filtered"},
		"filtered reply":    {says(200, `{"choices":[{"message":{"content":"x"},"finish_reason":"content_filter"}]}`), effect.ModelRefused, 1, false, "filter"},
		"refusal":           {says(200, `{"choices":[{"message":{"content":"","refusal":"I cannot speak of `+secret+`"},"finish_reason":"stop"}]}`), effect.ModelRefused, 1, false, "refused"},
		"empty choices":     {says(200, `{"choices":[]}`), effect.ModelFailed, 3, true, "no choices"},
		"only thoughts":     {says(200, `{"choices":[{"message":{"content":"","reasoning_content":"hm"},"finish_reason":"length"}]}`), effect.ModelFailed, 1, false, "limit of 100"},
		"garbage":           {says(200, "{"+secret), effect.ModelFailed, 3, true, "no JSON"},
		"error in 200":      {says(200, `{"error":{"message":"busy"}}`), effect.ModelFailed, 3, true, "no choices"},
		"detail of FastAPI": {says(422, `{"detail":[{"loc":["body","x"],"msg":"field required: `+secret+`"}]}`), effect.ModelFailed, 1, false, "field required"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.answer)
			_, err := provider(t, s, func(o *llm.Options) { o.MaxRetries = 2 }).Complete(ctx, prompt)
			e := want(t, err, c.code)
			if s.calls() != c.calls || e.Retryable != c.again || !strings.Contains(e.Message, c.hint) {
				t.Errorf("%d calls, %+v; want %d calls, retryable %v, %q", s.calls(), e, c.calls, c.again, c.hint)
			}
		})
	}
}

func TestALongRetryAfterIsNotWaitedFor(t *testing.T) {
	s := serve(t, fails(429, "rate_limit_exceeded", "come back later", "Retry-After", "3600"))
	begin := time.Now()
	_, err := provider(t, s, nil).Complete(ctx, prompt)
	if e := want(t, err, effect.RateLimited); e.RetryAfter != 3_600_000 || !e.Retryable || time.Since(begin) > 5*time.Second {
		t.Fatalf("%+v after %v", e, time.Since(begin))
	}
	// Nor is a wait begun that the caller's deadline would end.
	short, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	s = serve(t, fails(429, "rate_limit_exceeded", "come back later", "Retry-After", "20"))
	begin = time.Now()
	_, err = provider(t, s, nil).Complete(short, prompt)
	if e := want(t, err, effect.RateLimited); e.RetryAfter != 20_000 || time.Since(begin) > time.Second {
		t.Fatalf("%+v after %v", e, time.Since(begin))
	}
}

func TestSlowServers(t *testing.T) {
	stop := make(chan struct{})
	slow := func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}
	s := serve(t, slow)
	defer close(stop)
	_, err := provider(t, s, func(o *llm.Options) { o.Timeout = 30 * time.Millisecond }).Complete(ctx, prompt)
	if e := want(t, err, effect.ModelTimeout); !e.Retryable || s.calls() != 1 {
		t.Fatalf("%+v, %d calls", e, s.calls())
	}
	short, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
	defer cancel()
	_, err = provider(t, s, nil).Complete(short, prompt)
	want(t, err, effect.ModelTimeout)
	stopped, cancel := context.WithCancel(ctx)
	time.AfterFunc(30*time.Millisecond, cancel)
	_, err = provider(t, s, nil).Complete(stopped, prompt)
	want(t, err, effect.Canceled)
}

func TestNoServer(t *testing.T) {
	s := serve(t, replies(""))
	s.Close()
	_, err := provider(t, s, func(o *llm.Options) { o.MaxRetries = 1; o.BaseURL += "?key=" + key }).Complete(ctx, prompt)
	if e := want(t, err, effect.ModelFailed); !e.Retryable || !strings.Contains(e.Message, "refused") {
		t.Fatalf("%+v", e)
	}
}

func TestHugeReplies(t *testing.T) {
	for _, status := range []int{200, 400} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			chunk := []byte(strings.Repeat("x", 1<<16))
			for range 200 {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		})
		_, err := provider(t, s, func(o *llm.Options) { o.MaxBody = 1 << 20; o.MaxRetries = -1 }).Complete(ctx, prompt)
		if e := want(t, err, effect.ModelFailed); len(e.Message) > 500 {
			t.Fatal(e)
		}
	}
}

func TestStructuredOutputIsProbedOnce(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"facts":{"type":"array"}},"required":["facts"],"additionalProperties":false}`)
	p := prompt
	p.Schema, p.SchemaName = schema, "facts"
	for name, c := range map[string]struct {
		refuse map[string]string // response_format type → the server's words
		want   []string          // forms of the requests of two prompts
	}{
		"schema":     {nil, []string{"json_schema", "json_schema"}},
		"JSON mode":  {map[string]string{"json_schema": "response_format.type must be text or json_object"}, []string{"json_schema", "json_object", "json_object"}},
		"plain text": {map[string]string{"json_schema": "Bad Request", "json_object": "unknown field"}, []string{"json_schema", "json_object", "", "", ""}[:4]},
	} {
		t.Run(name, func(t *testing.T) {
			form := func(b map[string]any) string {
				f, _ := b["response_format"].(map[string]any)
				kind, _ := f["type"].(string)
				return kind
			}
			var s *server
			s = serve(t, func(w http.ResponseWriter, r *http.Request) {
				if words, no := c.refuse[form(s.body(s.calls()-1))]; no {
					fails(400, "", words)(w, r)
					return
				}
				replies(`{"facts":[]}`)(w, r)
			})
			l := provider(t, s, nil)
			for range 2 {
				if _, err := l.Complete(ctx, p); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for i := range s.calls() {
				got = append(got, form(s.body(i)))
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Fatalf("forms %q, want %q", got, c.want)
			}
			last := s.body(s.calls() - 1)
			system := last["messages"].([]any)[0].(map[string]any)["content"].(string)
			if f := form(last); f == "json_schema" {
				js := last["response_format"].(map[string]any)["json_schema"].(map[string]any)
				if js["strict"] != true || js["name"] != "facts" || js["schema"].(map[string]any)["additionalProperties"] != false || system != p.System {
					t.Fatalf("%v", last)
				}
			} else if !strings.HasPrefix(system, p.System) || !strings.Contains(system, `"additionalProperties":false`) {
				t.Fatalf("the schema is not in the instruction: %s", system)
			}
		})
	}
	t.Run("a prompt that a filter refuses says nothing of the form", func(t *testing.T) {
		s := serve(t, fails(400, "content_filter", "The prompt triggered the content management policy."), replies(`{}`))
		l := provider(t, s, nil)
		_, err := l.Complete(ctx, p)
		want(t, err, effect.ModelRefused)
		if _, err := l.Complete(ctx, p); err != nil {
			t.Fatal(err)
		}
		if f, _ := s.body(1)["response_format"].(map[string]any); s.calls() != 2 || f["type"] != "json_schema" {
			t.Fatalf("%d calls, the form of the next is %v", s.calls(), f)
		}
	})
	t.Run("a chosen form is kept", func(t *testing.T) {
		s := serve(t, fails(400, "", "response_format is not supported"))
		_, err := provider(t, s, func(o *llm.Options) { o.Structured = llm.JSON }).Complete(ctx, p)
		want(t, err, effect.ModelFailed)
		if s.calls() != 1 {
			t.Fatal(s.calls())
		}
	})
}

func TestUnsupportedFieldsAreLeftOut(t *testing.T) {
	var s *server
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		b := s.body(s.calls() - 1)
		switch {
		case b["max_tokens"] != nil:
			fails(400, "unsupported_parameter", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")(w, r)
		case b["temperature"] != nil:
			fails(400, "unsupported_value", "'temperature' does not support 0 with this model")(w, r)
		default:
			replies("fine")(w, r)
		}
	})
	l := provider(t, s, nil)
	for range 2 {
		if _, err := l.Complete(ctx, prompt); err != nil {
			t.Fatal(err)
		}
	}
	if s.calls() != 4 || s.body(3)["max_completion_tokens"] != 100.0 {
		t.Fatalf("%d calls, %v", s.calls(), s.body(3))
	}
}

func TestUsageOfFailedAttemptsCounts(t *testing.T) {
	s := serve(t, replies(""), replies("fine"))
	c, err := provider(t, s, nil).Complete(ctx, prompt)
	if err != nil || c.PromptTokens != 40 || c.OutputTokens != 10 || c.CachedTokens != 24 {
		t.Fatalf("%+v, %v", c, err)
	}
}

func TestConcurrencyIsLimited(t *testing.T) {
	var running, peak atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := running.Add(1)
		for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
		}
		time.Sleep(10 * time.Millisecond)
		running.Add(-1)
		replies("fine")(w, r)
	})
	l := provider(t, s, func(o *llm.Options) { o.Concurrency = 2 })
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if _, err := l.Complete(ctx, prompt); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if peak.Load() > 2 {
		t.Fatal(peak.Load())
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []llm.Options{
		{}, {Model: "m", BaseURL: "ftp://x"}, {Model: "m", BaseURL: "://" + key}, {Model: "m", Key: key + "\nX: y"},
		{Model: "m", BaseURL: "https://user:" + key + "@host/v1"},
	} {
		_, err := llm.New(o)
		want(t, err, effect.InvalidArgument)
	}
	o := llm.Options{Model: "m", Key: key, BaseURL: "https://example.org/v1?k=" + key}
	l, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{fmt.Sprint(o), fmt.Sprintf("%+v", o), fmt.Sprintf("%#v", o), fmt.Sprint(l), fmt.Sprintf("%+v", l), fmt.Sprintf("%#v", l)} {
		if strings.Contains(s, "topsecret") || !strings.Contains(s, "example.org") {
			t.Error(s)
		}
	}
}
