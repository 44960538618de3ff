package llm

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync"

	api "github.com/sashabaranov/go-openai"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/internal/openai"
)

// habit is how requests are made for a server.
type habit struct {
	form        Structured // Schema, JSON or Text
	temperature bool
	oldLimit    bool // max_tokens instead of max_completion_tokens
	streamUsage bool
}

// habits are learned from refusals and hold for all later requests.
type habits struct {
	mu    sync.Mutex
	now   habit
	fixed bool // the caller chose the form
}

func (h *habits) start(o Options) {
	h.now = habit{form: Schema, temperature: !reasons(o.Model), oldLimit: !reasons(o.Model), streamUsage: true}
	if o.Structured != Auto {
		h.now.form, h.fixed = o.Structured, true
	}
}

func (h *habits) current() habit {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// learn changes the habits after a refusal and reports whether to ask again.
func (h *habits) learn(tried habit, p effect.Prompt, err error) bool {
	status := openai.Status(err)
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity && status != http.StatusNotImplemented {
		return false
	}
	says := openai.Says(err)
	text := strings.ToLower(says.Code + " " + says.Message)
	if openai.IsContextLength(text) || openai.IsRefusal(text) { // it is about this prompt, not about the form
		return false
	}
	next, ok := tried.without(text, p, h.fixed)
	if !ok {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now == tried { // otherwise another prompt has learned meanwhile
		h.now = next
	}
	return true
}

// without gives up what the server names; a refusal that names nothing is put
// down to the form of the reply, where servers differ most.
func (h habit) without(text string, p effect.Prompt, fixed bool) (habit, bool) {
	switch {
	case strings.Contains(text, "temperature") && h.temperature:
		h.temperature = false
	case strings.Contains(text, "stream_options") && h.streamUsage:
		h.streamUsage = false
	case strings.Contains(text, "max_completion_tokens") && h.oldLimit && p.MaxTokens > 0:
		h.oldLimit = false
	case strings.Contains(text, "max_tokens") && !h.oldLimit && p.MaxTokens > 0:
		h.oldLimit = true
	case len(p.Schema) == 0 || fixed || h.form == Text || aboutModel(text):
		return h, false
	case h.form == Schema:
		h.form = JSON
	default:
		h.form = Text
	}
	return h, true
}

func aboutModel(text string) bool {
	return strings.Contains(text, "model_not_found") || strings.Contains(text, "model") && (strings.Contains(text, "not found") || strings.Contains(text, "not exist"))
}

// request makes the library's request and the fields that it cannot express.
func (l *LLM) request(p effect.Prompt, h habit) (api.ChatCompletionRequest, map[string]any) {
	fields := maps.Clone(l.opts.Extra)
	if fields == nil {
		fields = map[string]any{}
	}
	r := api.ChatCompletionRequest{Model: l.opts.Model, Seed: l.opts.Seed}
	if p.MaxTokens > 0 {
		if h.oldLimit && !reasons(l.opts.Model) {
			r.MaxTokens = p.MaxTokens
		} else if h.oldLimit {
			fields["max_tokens"] = p.MaxTokens // the library refuses it for this name
		} else {
			r.MaxCompletionTokens = p.MaxTokens
		}
	}
	switch {
	case l.opts.Temperature != nil && h.temperature:
		fields["temperature"] = *l.opts.Temperature
	case h.temperature:
		fields["temperature"] = 0 // the library leaves a zero out
	}
	system := p.System
	if len(p.Schema) > 0 {
		r.ResponseFormat = format(p, h.form)
		if h.form != Schema {
			// Behind the stage's own instruction, so that prefix caches hit.
			system = strings.TrimSpace(system + "\n\nReply with one JSON object that satisfies this JSON schema:\n" + string(p.Schema))
		}
	}
	if system != "" {
		r.Messages = append(r.Messages, api.ChatCompletionMessage{Role: api.ChatMessageRoleSystem, Content: system})
	}
	user := p.User
	if user == "" {
		user = " " // the library leaves an empty content out, and servers refuse that
	}
	r.Messages = append(r.Messages, api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: user})
	return r, fields
}

func format(p effect.Prompt, form Structured) *api.ChatCompletionResponseFormat {
	switch form {
	case Schema:
		name := p.SchemaName
		if name == "" {
			name = "reply"
		}
		return &api.ChatCompletionResponseFormat{
			Type:       api.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &api.ChatCompletionResponseFormatJSONSchema{Name: name, Schema: json.RawMessage(p.Schema), Strict: true},
		}
	case JSON:
		return &api.ChatCompletionResponseFormat{Type: api.ChatCompletionResponseFormatTypeJSONObject}
	}
	return nil
}
