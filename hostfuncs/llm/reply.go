package llm

import (
	"context"
	"errors"
	"io"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/internal/openai"
)

// whole reads a reply in one piece.
func (l *LLM) whole(ctx context.Context, p effect.Prompt, r api.ChatCompletionRequest) (effect.Completion, error) {
	resp, err := l.client.API.CreateChatCompletion(ctx, r)
	if err != nil {
		return effect.Completion{}, err
	}
	if len(resp.Choices) == 0 {
		return effect.Completion{}, effect.Retryf(effect.ModelFailed, "complete a prompt: the server's reply has no choices")
	}
	choice := resp.Choices[0]
	return judge(p, r, reply{
		text: choice.Message.Content, refusal: choice.Message.Refusal, thought: choice.Message.ReasoningContent,
		finish: string(choice.FinishReason), usage: &resp.Usage,
	})
}

// stream reads a reply as it arrives.
func (l *LLM) stream(ctx context.Context, p effect.Prompt, r api.ChatCompletionRequest, h habit, show func(string)) (effect.Completion, error) {
	if h.streamUsage {
		r.StreamOptions = &api.StreamOptions{IncludeUsage: true}
	}
	s, err := l.client.API.CreateChatCompletionStream(ctx, r)
	if err != nil {
		return effect.Completion{}, err
	}
	defer s.Close()
	var got reply
	var text, refusal, thought strings.Builder
	for {
		part, err := s.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			got.text = text.String()
			return got.count(r), err
		}
		if part.Usage != nil {
			got.usage = part.Usage
		}
		for _, c := range part.Choices {
			if c.Index != 0 {
				continue
			}
			if c.FinishReason != "" && c.FinishReason != api.FinishReasonNull {
				got.finish = string(c.FinishReason)
			}
			refusal.WriteString(c.Delta.Refusal)
			thought.WriteString(c.Delta.ReasoningContent)
			if c.Delta.Content != "" {
				text.WriteString(c.Delta.Content)
				show(c.Delta.Content)
			}
		}
	}
	got.text, got.refusal, got.thought = text.String(), refusal.String(), thought.String()
	// The library takes the end of the connection for the end of the reply.
	if got.finish == "" {
		return got.count(r), effect.Retryf(effect.ModelFailed, "complete a prompt: the stream ended before the reply did")
	}
	return judge(p, r, got)
}

// reply is what a server answered, in one piece or in many.
type reply struct {
	text, refusal, thought string
	finish                 string
	usage                  *api.Usage
}

func judge(p effect.Prompt, r api.ChatCompletionRequest, got reply) (effect.Completion, error) {
	c := got.count(r)
	switch {
	case got.refusal != "":
		c.Finish = "refusal"
		return c, effect.Errorf(effect.ModelRefused, "complete a prompt: the model refused")
	case got.finish == string(api.FinishReasonContentFilter):
		return c, effect.Errorf(effect.ModelRefused, "complete a prompt: the server's content filter stopped the reply")
	case strings.TrimSpace(got.text) == "" && got.finish == string(api.FinishReasonLength):
		return c, effect.Errorf(effect.ModelFailed, "complete a prompt: the limit of %d tokens ended the reply before its text began", p.MaxTokens)
	case strings.TrimSpace(got.text) == "":
		return c, effect.Retryf(effect.ModelFailed, "complete a prompt: the model's reply is empty")
	}
	c.Text = got.text
	return c, nil
}

// count takes the tokens that the server reports, or estimates them.
func (got reply) count(r api.ChatCompletionRequest) effect.Completion {
	c := effect.Completion{Finish: got.finish}
	if u := got.usage; u != nil && u.PromptTokens > 0 {
		c.PromptTokens, c.OutputTokens = u.PromptTokens, u.CompletionTokens
		if u.PromptTokensDetails != nil {
			c.CachedTokens = u.PromptTokensDetails.CachedTokens
		}
		return c
	}
	c.Estimated = true
	for _, m := range r.Messages {
		c.PromptTokens += openai.Estimate(m.Content) + 4
	}
	c.OutputTokens = openai.Estimate(got.text) + openai.Estimate(got.refusal) + openai.Estimate(got.thought)
	return c
}
