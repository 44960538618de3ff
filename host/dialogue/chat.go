package dialogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/internal/plainjson"
)

// message is one chat message as OpenAI's interface writes it.
type message struct {
	ID         word            `json:"id"`
	Role       string          `json:"role"`
	Name       word            `json:"name"`
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

// conversation is a list of messages with what a file may say of it.
type conversation struct {
	ID        word              `json:"id"`
	Session   word              `json:"session"`
	Time      json.RawMessage   `json:"time"`
	CreatedAt json.RawMessage   `json:"created_at"`
	Role      *string           `json:"role"`
	Messages  []json.RawMessage `json:"messages"`
}

// readChat reads a list of messages, an object with "messages", or several such
// objects, in a list or one after another: each is a session.
func readChat(r io.Reader, o Options, yield func(*History) bool) error {
	h := newHistory(o.Name, o)
	var loose chatSession // of messages that stand in the list themselves
	err := elements(r, func(i int, raw json.RawMessage) (bool, error) {
		where := fmt.Sprintf("element %d", i+1)
		var c conversation
		if err := json.Unmarshal(raw, &c); err != nil {
			return true, h.refuse(plainjson.Explain(err), where)
		}
		if string(raw) == "null" {
			h.left.add(saysNothing, "%s", where)
			return true, nil
		}
		if c.Messages != nil {
			return true, h.conversation(i, c)
		}
		if c.Role == nil {
			return true, h.refuse(errors.New(`neither a message with "role" nor an object with "messages"`), where)
		}
		if loose.names == nil {
			loose = h.newChat(h.sessionName(0), "")
		}
		return true, loose.message(i, raw, where)
	})
	if err != nil {
		return err
	}
	if loose.names != nil {
		loose.end()
	}
	if len(h.Sessions) > 0 {
		yield(h.told())
	}
	return nil
}

func (h *History) conversation(i int, c conversation) error {
	id := firstOf(string(c.Session), string(c.ID))
	if id == "" {
		id = h.sessionName(i)
	}
	s := h.newChat(id, firstOf(scalar(c.Time), scalar(c.CreatedAt)))
	for k, raw := range c.Messages {
		if err := s.message(k, raw, fmt.Sprintf("session %s message %d", id, k+1)); err != nil {
			return err
		}
	}
	s.end()
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

// chatSession is a session of chat messages that is being read.
type chatSession struct {
	h *History
	core.InputSession
	names map[string]string // of the tools that were called, by call
}

func (h *History) newChat(id, time string) chatSession {
	return chatSession{h, core.InputSession{ID: id, Close: true, Time: h.stamp(time, "session "+id)}, map[string]string{}}
}

// message reads the message of index i.
func (s *chatSession) message(i int, raw json.RawMessage, where string) error {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return s.h.refuse(plainjson.Explain(err), where)
	}
	t, err := s.h.turn(m, s.names, where)
	if err != nil {
		return s.h.refuse(err, where)
	}
	t.ID = firstOf(string(m.ID), fmt.Sprintf("%s:%d", s.ID, i))
	t.Time = s.h.stamp(firstOf(scalar(m.Time), scalar(m.CreatedAt)), where)
	_, err = s.h.take(&s.InputSession, t, where)
	return err
}

// end keeps the session if anything was said in it.
func (s *chatSession) end() {
	if len(s.Turns) == 0 {
		s.h.left.add(noTurns, "session %s", s.ID)
		return
	}
	s.h.Sessions = append(s.h.Sessions, s.InputSession)
}

// turn turns a chat message into a turn. names remembers which tool each call
// went to, so that its result can be named. What a tool was asked and what it
// answered become parts: they are findable, and nobody's words.
func (h *History) turn(m message, names map[string]string, where string) (core.InputTurn, error) {
	role, err := roleOf(m.Role)
	if err != nil {
		return core.InputTurn{}, err
	}
	t := core.InputTurn{Role: role, Speaker: m.Role}
	if role != mem.RoleTool && m.Name != "" {
		t.Speaker = string(m.Name)
	}
	content, images, err := h.content(m.Content, where)
	if err != nil {
		return t, err
	}
	if role == mem.RoleTool {
		t.Parts = append(t.Parts, mem.Part{Type: mem.PartToolResult, Name: firstOf(names[m.ToolCallID], string(m.Name)), Text: readable(content), Data: content})
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
	return t, nil
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
	case "peer":
		return mem.RolePeer, nil
	case "":
		return "", nil // core decides by the speaker
	}
	return "", fmt.Errorf("unknown role %.40q: use user, assistant, tool, system or peer", s)
}

// content reads a string, null, or a list of parts.
func (h *History) content(raw json.RawMessage, where string) (string, []mem.Part, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '[' {
		return scalar(raw), nil, nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", nil, fmt.Errorf("content: %w", plainjson.Explain(err))
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
			h.left.add(unknownPart, "%s (%.40q)", where, p.Type)
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
		h.left.add(largeImage, "%s (%d bytes)", where, len(url))
		url = ""
	}
	return mem.Part{Type: mem.PartImage, URL: url, Caption: p.Text}
}
