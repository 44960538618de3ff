package dialogue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
)

// message is one chat message as OpenAI's interface writes it.
type message struct {
	ID         string          `json:"id"`
	Role       string          `json:"role"`
	Name       string          `json:"name"`
	Content    json.RawMessage `json:"content"`
	Refusal    string          `json:"refusal"`
	ToolCalls  []toolCall      `json:"tool_calls"`
	Function   *function       `json:"function_call"` // before tool_calls existed
	ToolCallID string          `json:"tool_call_id"`
	Time       json.RawMessage `json:"time"`
	CreatedAt  json.RawMessage `json:"created_at"`
	HasAnswer  bool            `json:"has_answer"` // LongMemEval
}

type toolCall struct {
	ID       string   `json:"id"`
	Function function `json:"function"`
}

type function struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// part is one piece of a message's content.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL json.RawMessage `json:"image_url"` // an object with "url", or the URL itself
}

// readChat reads a list of messages, an object with "messages", or a list of
// such objects: each is a session.
func readChat(r io.Reader, o Options, yield func(*History) bool) error {
	h := &History{Name: o.Name}
	var loose []json.RawMessage // messages that stand in the list themselves
	err := elements(r, func(i int, raw json.RawMessage) (bool, error) {
		var c struct {
			ID        string            `json:"id"`
			Session   string            `json:"session"`
			Time      json.RawMessage   `json:"time"`
			CreatedAt json.RawMessage   `json:"created_at"`
			Role      *string           `json:"role"`
			Messages  []json.RawMessage `json:"messages"`
		}
		if err := json.Unmarshal(raw, &c); err != nil {
			return false, fmt.Errorf("element %d: %w", i+1, explain(err))
		}
		if c.Messages == nil {
			if c.Role == nil {
				return false, fmt.Errorf(`element %d: neither a message with "role" nor an object with "messages"`, i+1)
			}
			loose = append(loose, raw)
			return true, nil
		}
		id := firstOf(c.Session, c.ID)
		if id == "" {
			id = h.sessionName(i)
		}
		return true, h.chat(id, firstOf(scalar(c.Time), scalar(c.CreatedAt)), c.Messages)
	})
	if err != nil {
		return err
	}
	if len(loose) > 0 {
		if err := h.chat(h.sessionName(0), "", loose); err != nil {
			return err
		}
	}
	if len(h.Sessions) > 0 {
		yield(h)
	}
	return nil
}

func (h *History) sessionName(i int) string {
	name := firstOf(h.Name, "chat")
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, i+1)
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

func (h *History) chat(id, time string, messages []json.RawMessage) error {
	s := core.InputSession{ID: id, Close: true, Time: h.stamp(time, "session "+id)}
	names := map[string]string{}
	for i, raw := range messages {
		where := fmt.Sprintf("session %s message %d", id, i+1)
		var m message
		if err := json.Unmarshal(raw, &m); err != nil {
			return fmt.Errorf("%s: %w", where, explain(err))
		}
		t, err := h.turn(m, names, where)
		if err != nil {
			return err
		}
		t.ID = firstOf(m.ID, fmt.Sprintf("%s:%d", id, i))
		t.Time = h.stamp(firstOf(scalar(m.Time), scalar(m.CreatedAt)), where)
		if !blank(t) {
			s.Turns = append(s.Turns, t)
		}
	}
	if len(s.Turns) > 0 {
		h.Sessions = append(h.Sessions, s)
	}
	return nil
}

// turn turns a chat message into a turn. names remembers which tool each call
// went to, so that its result can be named. What a tool was asked and what it
// answered become parts: they are findable, and nobody's words.
func (h *History) turn(m message, names map[string]string, where string) (core.InputTurn, error) {
	role, err := roleOf(m.Role)
	if err != nil {
		return core.InputTurn{}, fmt.Errorf("%s: %w", where, err)
	}
	t := core.InputTurn{Role: role, Speaker: m.Role}
	if role != mem.RoleTool && m.Name != "" {
		t.Speaker = m.Name
	}
	content, images, err := h.content(m.Content, where)
	if err != nil {
		return t, err
	}
	if role == mem.RoleTool {
		t.Parts = append(t.Parts, mem.Part{Type: mem.PartToolResult, Name: firstOf(names[m.ToolCallID], m.Name), Text: readable(content), Data: content})
	} else {
		t.Text = firstOf(content, m.Refusal)
	}
	t.Parts = append(t.Parts, images...)
	calls := m.ToolCalls
	if m.Function != nil {
		calls = append(calls, toolCall{Function: *m.Function})
	}
	for _, c := range calls {
		names[c.ID] = c.Function.Name
		arguments := scalar(c.Function.Arguments)
		t.Parts = append(t.Parts, mem.Part{Type: mem.PartToolCall, Name: c.Function.Name, Text: readable(arguments), Data: arguments})
	}
	return t, fits(t, where)
}

func roleOf(s string) (mem.Role, error) {
	switch strings.ToLower(s) {
	case "user", "human":
		return mem.RoleUser, nil
	case "assistant", "model", "ai":
		return mem.RoleAssistant, nil
	case "tool", "function":
		return mem.RoleTool, nil
	case "system", "developer":
		return mem.RoleSystem, nil
	case "peer", "":
		return mem.RolePeer, nil
	}
	return "", fmt.Errorf("unknown role %q: use user, assistant, tool, system or peer", s)
}

// content reads a string, null, or a list of parts.
func (h *History) content(raw json.RawMessage, where string) (string, []mem.Part, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '[' {
		return scalar(raw), nil, nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", nil, fmt.Errorf("%s: content: %w", where, explain(err))
	}
	var said []string
	var images []mem.Part
	for _, raw := range parts {
		var p part
		if json.Unmarshal(raw, &p) != nil {
			said = append(said, scalar(raw)) // a bare string
			continue
		}
		switch p.Type {
		case "text", "input_text", "output_text", "":
			said = append(said, p.Text)
		case "refusal":
			said = append(said, p.Refusal)
		case "image_url", "input_image", "image":
			images = append(images, h.image(p, where))
		default:
			h.warn("%s: a part of type %q was left out", where, p.Type)
		}
	}
	return strings.Join(said, "\n"), images, nil
}

func (h *History) image(p part, where string) mem.Part {
	var object struct {
		URL string `json:"url"`
	}
	url := ""
	if json.Unmarshal(p.ImageURL, &object) == nil {
		url = object.URL
	} else {
		url = scalar(p.ImageURL)
	}
	if strings.HasPrefix(url, "data:") && len(url) > maxInline {
		h.warn("%s: the data of an image (%d bytes) was left out; give its address instead", where, len(url))
		url = ""
	}
	return mem.Part{Type: mem.PartImage, URL: url, Caption: p.Text}
}
