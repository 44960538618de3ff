package llm_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/llm"
)

func TestStreaming(t *testing.T) {
	p := prompt
	p.Stream = true
	s := serve(t, streams(streamEnd, "Hello", ", ", "world"))
	var mu sync.Mutex
	var shown []string
	show := func(_ effect.Prompt, text string) {
		mu.Lock()
		defer mu.Unlock()
		shown = append(shown, text)
	}
	l := provider(t, s, func(o *llm.Options) { o.OnDelta = show })
	c, err := l.Complete(ctx, p)
	if err != nil || c.Text != "Hello, world" || c.Finish != "stop" || c.PromptTokens != 20 || c.Estimated || len(shown) != 3 {
		t.Fatalf("%+v, %v, %q", c, err, shown)
	}
	if s.body(0)["stream"] != true || s.body(0)["stream_options"] == nil {
		t.Fatal(s.body(0))
	}
	// The context's function takes the place of the provider's.
	other := 0
	if _, err := l.Complete(hostfuncs.WithDelta(ctx, func(effect.Prompt, string) { other++ }), p); err != nil || other != 3 || len(shown) != 3 {
		t.Fatal(err, other, len(shown))
	}
	// Without usage it is estimated.
	s = serve(t, streams("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", "Hello"))
	c, err = provider(t, s, func(o *llm.Options) { o.OnDelta = show }).Complete(ctx, p)
	if err != nil || !c.Estimated || c.PromptTokens == 0 || c.OutputTokens == 0 {
		t.Fatalf("%+v, %v", c, err)
	}
}

func TestBrokenStreams(t *testing.T) {
	p := prompt
	p.Stream = true
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		code   effect.Code
		calls  int
	}{
		"cut off after text":       {streams("", "Hel"), effect.ModelFailed, 1},
		"done without a finish":    {streams("data: [DONE]\n\n", "Hel"), effect.ModelFailed, 1},
		"cut off before text":      {streams(""), effect.ModelFailed, 3},
		"cut off within a chunk":   {streams("data: {\"choices\":[{\"ind\n\n", "Hel"), effect.ModelFailed, 1},
		"an error in the stream":   {streams("data: {\"error\":{\"message\":\"overloaded "+secret+"\",\"type\":\"server_error\"}}\n\n", "Hel"), effect.ModelFailed, 1},
		"rate limit in the stream": {streams("data: {\"error\":{\"message\":\"slow down\",\"type\":\"rate_limit_error\"}}\n\n"), effect.RateLimited, 3},
		"filtered":                 {streams("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"content_filter\"}]}\n\ndata: [DONE]\n\n", "Hel"), effect.ModelRefused, 1},
		"status":                   {fails(401, "invalid_api_key", "bad "+key), effect.Unauthorized, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.answer)
			text := ""
			_, err := provider(t, s, func(o *llm.Options) {
				o.MaxRetries = 2
				o.OnDelta = func(_ effect.Prompt, s string) { text += s }
			}).Complete(ctx, p)
			want(t, err, c.code)
			if s.calls() != c.calls || (text != "" && text != "Hel") {
				t.Fatalf("%d calls, shown %q", s.calls(), text)
			}
		})
	}
}

func TestStreamOptionsRefused(t *testing.T) {
	p := prompt
	p.Stream = true
	s := serve(t, fails(400, "", "Unrecognized request argument supplied: stream_options"), streams(streamEnd, "Hi"))
	l := provider(t, s, func(o *llm.Options) { o.OnDelta = func(effect.Prompt, string) {} })
	if c, err := l.Complete(ctx, p); err != nil || c.Text != "Hi" {
		t.Fatal(c, err)
	}
}
