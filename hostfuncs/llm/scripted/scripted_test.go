package scripted_test

import (
	"context"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/llm/scripted"
)

func TestTheFirstRuleThatMatchesAnswers(t *testing.T) {
	m := scripted.New(
		scripted.Rule{Stage: "plan", Times: 1, Err: effect.Retryf(effect.RateLimited, "slow down")},
		scripted.Rule{Stage: "plan", Contains: "jazz", Reply: "{}", PromptTokens: 100, OutputTokens: 30},
		scripted.Rule{Stage: "answer", Match: func(p effect.Prompt) bool { return len(p.User) > 3 }, Reply: "long"},
		scripted.Rule{Stage: "never"},
	)
	ctx := context.Background()
	for i, c := range []struct {
		p    effect.Prompt
		want string
		code effect.Code
	}{
		{effect.Prompt{Stage: "plan", User: "jazz"}, "", effect.RateLimited},
		{effect.Prompt{Stage: "plan", User: "jazz"}, "{}", ""},
		{effect.Prompt{Stage: "answer", User: "abcd"}, "long", ""},
		{effect.Prompt{Stage: "answer", User: "abc"}, "", effect.ModelFailed},
	} {
		got, err := m.Complete(ctx, c.p)
		if got.Text != c.want || (err != nil) != (c.code != "") || (err != nil && !effect.HasCode(err, c.code)) {
			t.Errorf("%d: %+v, %v", i, got, err)
		}
	}
	if m.Count("plan") != 2 || m.Count("") != 4 || len(m.Unused()) != 1 || m.Asked()[3].User != "abc" {
		t.Error(m, m.Unused())
	}
}

func TestEchoStreamsAndDelaysEnd(t *testing.T) {
	text := ""
	ctx := hostfuncs.WithDelta(context.Background(), func(_ effect.Prompt, s string) { text += s })
	c, err := scripted.Echo().Complete(ctx, effect.Prompt{User: "one two", Stream: true})
	if err != nil || c.Text != "one two" || text != "one two" {
		t.Fatal(c, err, text)
	}
	short, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if _, err := scripted.New(scripted.Rule{Delay: time.Minute}).Complete(short, effect.Prompt{}); !effect.HasCode(err, effect.Deadline) || time.Since(begin) > 5*time.Second {
		t.Fatal(err)
	}
}
