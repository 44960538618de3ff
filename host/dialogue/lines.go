package dialogue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/internal/plainjson"
)

// line is one turn of a JSON lines dialogue.
type line struct {
	Session word              `json:"session"`
	ID      word              `json:"id"`
	Speaker word              `json:"speaker"`
	Role    string            `json:"role"`
	Time    json.RawMessage   `json:"time"`
	Text    word              `json:"text"`
	Content json.RawMessage   `json:"content"` // as chat messages call it
	Caption string            `json:"caption"` // of an image sent with the turn
	Parts   []mem.Part        `json:"parts"`
	Labels  map[string]string `json:"labels"`
}

// readLines reads a whole JSON lines dialogue as one history; lines of one
// session are joined wherever they stand.
func readLines(r io.Reader, o Options, yield func(*History) bool) error {
	h := newHistory(o.Name, o)
	o.left = h.left
	place := map[string]int{}
	var failed error
	lineSessions(r, o, func(s core.InputSession, err error) bool {
		if err != nil {
			failed = errors.Unwrap(err) // Histories says the format itself
			return false
		}
		if i, ok := place[s.ID]; ok {
			h.Sessions[i].Turns = append(h.Sessions[i].Turns, s.Turns...)
			return true
		}
		place[s.ID] = len(h.Sessions)
		h.Sessions = append(h.Sessions, s)
		return true
	})
	if failed == nil && len(h.Sessions) > 0 {
		yield(h.told())
	}
	return failed
}

// lineSessions streams a JSON lines dialogue: a session ends where a line of
// another one follows, so lines of one session should stand together.
func lineSessions(r io.Reader, o Options, yield func(core.InputSession, error) bool) {
	in := lineReader{h: newHistory(o.Name, o), counts: map[string]int{}}
	var open core.InputSession
	stopped, any := false, false
	err := in.each(r, func(n int, b []byte) (bool, error) {
		s, err := in.turn(n, b)
		if err != nil || len(s.Turns) == 0 {
			return true, err
		}
		any = true
		if s.ID == open.ID {
			open.Turns = append(open.Turns, s.Turns...)
			return true, nil
		}
		if len(open.Turns) > 0 {
			stopped = !yield(open, nil)
		}
		open = s
		return !stopped, nil
	})
	switch {
	case stopped:
	case err != nil:
		yield(core.InputSession{}, unread(JSONL, err))
	case any:
		yield(open, nil)
	default:
		yield(core.InputSession{}, unread(JSONL, nothing(o)))
	}
}

// lineReader reads turns. counts numbers the turns of each session, so that a
// turn without an id of its own gets "session:index".
type lineReader struct {
	h      *History
	counts map[string]int
}

// turn reads one turn, as a session that holds it, or nothing if it says
// nothing.
func (r *lineReader) turn(n int, b []byte) (core.InputSession, error) {
	where := fmt.Sprintf("line %d", n)
	var none core.InputSession
	var in line
	if err := json.Unmarshal(b, &in); err != nil {
		return none, r.h.refuse(plainjson.Explain(err), where)
	}
	if !utf8.Valid(b) {
		r.h.left.add(badBytes, "%s", where)
	}
	s := core.InputSession{ID: firstOf(string(in.Session), r.h.Name, "session"), Close: true}
	index := r.counts[s.ID]
	r.counts[s.ID]++
	said, images, err := r.h.content(in.Content, where)
	if err != nil {
		return none, r.h.refuse(err, where)
	}
	t := core.InputTurn{
		ID: firstOf(string(in.ID), fmt.Sprintf("%s:%d", s.ID, index)), Speaker: string(in.Speaker), Text: firstOf(string(in.Text), said),
		Time: r.h.stamp(scalar(in.Time), where), Parts: append(in.Parts, images...), Labels: in.Labels,
	}
	if in.Caption != "" {
		t.Parts = append(t.Parts, mem.Part{Type: mem.PartImage, Caption: in.Caption})
	}
	if t.Role, err = roleOf(in.Role); err != nil {
		return none, r.h.refuse(err, where)
	}
	t.Speaker = firstOf(t.Speaker, in.Role)
	if t.Role == mem.RoleTool && t.Text != "" {
		t.Parts = append(t.Parts, mem.Part{Type: mem.PartToolResult, Name: string(in.Speaker), Text: readable(t.Text), Data: t.Text})
		t.Text = ""
	}
	s.Time = t.Time
	_, err = r.h.take(&s, t, where)
	return s, err
}

// each calls do for every line that is not empty, and counts those that are.
func (r *lineReader) each(in io.Reader, do func(n int, b []byte) (bool, error)) error {
	return eachLine(in, func(n int, b []byte) (bool, error) {
		if len(b) == 0 {
			r.h.left.add(emptyLine, "line %d", n)
			return true, nil
		}
		return do(n, b)
	})
}

// eachLine calls each for every line without the space around it.
func eachLine(r io.Reader, each func(n int, b []byte) (bool, error)) error {
	in := bufio.NewScanner(decoded(r))
	in.Buffer(make([]byte, 0, 64<<10), MaxLine)
	n := 0
	for in.Scan() {
		n++
		if more, err := each(n, bytes.TrimSpace(in.Bytes())); err != nil || !more {
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
		if len(b) == 0 {
			return true, nil
		}
		var q Question
		if err := json.Unmarshal(b, &q); err != nil {
			return false, fmt.Errorf("line %d: %w", n, plainjson.Explain(err))
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
