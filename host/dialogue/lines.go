package dialogue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
)

// line is one turn of a JSON lines dialogue.
type line struct {
	Session string            `json:"session"`
	ID      string            `json:"id"`
	Speaker string            `json:"speaker"`
	Role    string            `json:"role"`
	Time    json.RawMessage   `json:"time"`
	Text    string            `json:"text"`
	Content json.RawMessage   `json:"content"` // as chat messages call it
	Caption string            `json:"caption"` // of an image sent with the turn
	Parts   []mem.Part        `json:"parts"`
	Labels  map[string]string `json:"labels"`
}

// readLines reads a whole JSON lines dialogue as one history; lines of one
// session are joined wherever they stand.
func readLines(r io.Reader, o Options, yield func(*History) bool) error {
	h := &History{Name: o.Name}
	place := map[string]int{}
	for s, err := range lineSessions(r, o, func(w string) { h.Warnings = append(h.Warnings, w) }) {
		if err != nil {
			return errors.Unwrap(err) // Histories says the format itself
		}
		if i, ok := place[s.ID]; ok {
			h.Sessions[i].Turns = append(h.Sessions[i].Turns, s.Turns...)
			continue
		}
		place[s.ID] = len(h.Sessions)
		h.Sessions = append(h.Sessions, s)
	}
	if len(h.Sessions) > 0 {
		yield(h)
	}
	return nil
}

// lineSessions streams a JSON lines dialogue: a session ends where a line of
// another one follows, so lines of one session should stand together.
func lineSessions(r io.Reader, o Options, warn func(string)) iter.Seq2[core.InputSession, error] {
	return func(yield func(core.InputSession, error) bool) {
		var open core.InputSession
		counts := map[string]int{}
		stopped := false
		err := eachLine(r, func(n int, b []byte) (bool, error) {
			session, t, err := readLine(n, b, o, counts, warn)
			if err != nil || blank(t) {
				return true, err
			}
			if session != open.ID && len(open.Turns) > 0 {
				if stopped = !yield(open, nil); stopped {
					return false, nil
				}
				open = core.InputSession{}
			}
			if len(open.Turns) == 0 {
				open = core.InputSession{ID: session, Time: t.Time, Close: true}
			}
			open.Turns = append(open.Turns, t)
			return true, nil
		})
		switch {
		case stopped:
		case err != nil:
			yield(core.InputSession{}, fmt.Errorf("read jsonl dialogue: %w", err))
		case len(open.Turns) > 0:
			yield(open, nil)
		case len(counts) == 0:
			yield(core.InputSession{}, fmt.Errorf("read jsonl dialogue: %w", errors.New("the file holds no dialogue")))
		}
	}
}

// readLine reads one turn. counts numbers the turns of each session, so that a
// turn without an id of its own gets "session:index".
func readLine(n int, b []byte, o Options, counts map[string]int, warn func(string)) (string, core.InputTurn, error) {
	where := fmt.Sprintf("line %d", n)
	var in line
	if err := json.Unmarshal(b, &in); err != nil {
		return "", core.InputTurn{}, fmt.Errorf("%s: %w", where, explain(err))
	}
	if !utf8.Valid(b) {
		warn(where + ": bytes that are no UTF-8 were replaced")
	}
	h := &History{}
	defer func() {
		for _, w := range h.Warnings {
			warn(w)
		}
	}()
	session := firstOf(in.Session, o.Name, "session")
	index := counts[session]
	counts[session]++
	said, images, err := h.content(in.Content, where)
	if err != nil {
		return "", core.InputTurn{}, err
	}
	t := core.InputTurn{
		ID: firstOf(in.ID, fmt.Sprintf("%s:%d", session, index)), Speaker: in.Speaker, Text: firstOf(in.Text, said),
		Time: h.stamp(scalar(in.Time), where), Parts: append(in.Parts, images...), Labels: in.Labels,
	}
	if in.Caption != "" {
		t.Parts = append(t.Parts, mem.Part{Type: mem.PartImage, Caption: in.Caption})
	}
	if t.Role, err = roleOf(in.Role); err != nil {
		return "", t, fmt.Errorf("%s: %w", where, err)
	}
	t.Speaker = firstOf(t.Speaker, in.Role)
	if t.Role == mem.RoleTool && t.Text != "" {
		t.Parts = append(t.Parts, mem.Part{Type: mem.PartToolResult, Name: in.Speaker, Text: readable(t.Text), Data: t.Text})
		t.Text = ""
	}
	return session, t, fits(t, where)
}

// eachLine calls each for every line that is not empty.
func eachLine(r io.Reader, each func(n int, b []byte) (bool, error)) error {
	in := bufio.NewScanner(skipMark(r))
	in.Buffer(make([]byte, 0, 64<<10), MaxLine)
	n := 0
	for in.Scan() {
		n++
		b := bytes.TrimSpace(in.Bytes())
		if len(b) == 0 {
			continue
		}
		if more, err := each(n, b); err != nil || !more {
			return err
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d is longer than %d MB", n+1, MaxLine>>20)
	}
	return in.Err()
}

// ReadQuestions reads questions as JSON lines, one Question a line.
func ReadQuestions(r io.Reader) ([]Question, error) {
	var out []Question
	err := eachLine(r, func(n int, b []byte) (bool, error) {
		var q Question
		if err := json.Unmarshal(b, &q); err != nil {
			return false, fmt.Errorf("line %d: %w", n, explain(err))
		}
		if q.Text == "" {
			return false, fmt.Errorf(`line %d: no "question"`, n)
		}
		if q.ID == "" {
			q.ID = fmt.Sprintf("q%d", n)
		}
		out = append(out, q)
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read questions: %w", err)
	}
	return out, nil
}
