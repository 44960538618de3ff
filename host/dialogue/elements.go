package dialogue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/text"
)

// bounded fails once more than left bytes were read since the last reset, so
// that one huge value cannot take all memory.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("one history is longer than %d MB", MaxHistory>>20)
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}

// elements calls each for every element of a JSON array, or once for a single
// object, without holding more than one of them.
func elements(r io.Reader, each func(i int, raw json.RawMessage) (bool, error)) error {
	in := &bounded{r: skipMark(r), left: MaxHistory}
	buffered := bufio.NewReader(in)
	first, err := firstByte(buffered)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(buffered)
	if first == '[' {
		if _, err := dec.Token(); err != nil {
			return explain(err)
		}
	} else if first != '{' {
		return fmt.Errorf("the file begins with %q; expected a JSON object or array", first)
	}
	for i := 0; first == '{' && i == 0 || first == '[' && dec.More(); i++ {
		in.left = MaxHistory
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return fmt.Errorf("element %d: %w", i+1, explain(err))
		}
		if more, err := each(i, raw); err != nil || !more {
			return err
		}
	}
	if first == '[' {
		if _, err := dec.Token(); err != nil {
			return explain(err)
		}
	}
	return nil
}

// skipMark drops a byte order mark.
func skipMark(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	if head, _ := b.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		_, _ = b.Discard(3)
	}
	return b
}

func firstByte(b *bufio.Reader) (byte, error) {
	for {
		c, err := b.ReadByte()
		if errors.Is(err, io.EOF) {
			return 0, errors.New("the file is empty")
		}
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c, b.UnreadByte()
		}
	}
}

// explain words a JSON error for a person.
func explain(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the JSON ends in the middle of a value")
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON at byte %d: %s", syntax.Offset, syntax.Error())
	case errors.As(err, &kind):
		return fmt.Errorf("field %q is a %s; expected %s", kind.Field, kind.Value, kind.Type)
	}
	return err
}

// stamp returns s if it can be read as a time; what cannot is reported and left
// out, so that the words are kept.
func (h *History) stamp(s, where string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	if _, err := text.ParseStamp(s); err != nil {
		h.warn("%s: the time %q is not understood and was left out", where, s)
		return ""
	}
	return s
}

// scalar reads a string, number, boolean or list of them as text: data sets
// give years as numbers and answers as lists.
func scalar(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		parts := make([]string, 0, len(list))
		for _, e := range list {
			parts = append(parts, scalar(e))
		}
		return strings.Join(parts, ", ")
	}
	return string(raw)
}

// texts reads a string or a list as strings.
func texts(raw json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var out []string
		for _, e := range list {
			if s := scalar(e); s != "" {
				out = append(out, s)
			}
		}
		return out
	}
	if s := scalar(raw); s != "" {
		return []string{s}
	}
	return nil
}

// fits refuses a turn that no store should take.
func fits(t core.InputTurn, where string) error {
	n := len(t.Text)
	for _, p := range t.Parts {
		n += len(p.Text) + len(p.Caption) + len(p.Data) + len(p.URL)
	}
	if n > MaxTurn {
		return fmt.Errorf("%s: a turn of %d bytes; the limit is %d", where, n, MaxTurn)
	}
	return nil
}

func blank(t core.InputTurn) bool {
	return strings.TrimSpace(t.Text) == "" && len(t.Parts) == 0
}
