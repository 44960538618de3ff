package dialogue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/text"
	"github.com/leanmem/leanmem/host/internal/plainjson"
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

// elements calls each for every element of a JSON array, or for every object
// where objects stand one after another, without holding more than one of them.
func elements(r io.Reader, each func(i int, raw json.RawMessage) (bool, error)) error {
	in := &bounded{r: decoded(r), left: MaxHistory}
	buffered := bufio.NewReader(in)
	first, err := firstByte(buffered)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(buffered)
	if first == '[' {
		if _, err := dec.Token(); err != nil {
			return plainjson.Explain(err)
		}
	} else if first != '{' {
		return errors.New("the file does not begin as JSON does, with [ or {")
	}
	// At the end of a list, More is false; of objects, Decode says EOF.
	for i := 0; first == '{' || dec.More(); i++ {
		in.left = MaxHistory
		var raw json.RawMessage
		if err := dec.Decode(&raw); err == io.EOF && first == '{' {
			return nil
		} else if err != nil {
			return fmt.Errorf("element %d: %w", i+1, plainjson.Explain(err))
		}
		if more, err := each(i, raw); err != nil || !more {
			return err
		}
	}
	return ended(dec)
}

// ended reads the end of the list and refuses what follows it, which would be
// lost without a word.
func ended(dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return plainjson.Explain(err)
	}
	at := dec.InputOffset()
	if err := dec.Decode(new(json.RawMessage)); err != io.EOF {
		return fmt.Errorf("something follows the end of the list at byte %d", at)
	}
	return nil
}

// decoded drops a byte order mark, and reads the UTF-16 that it may announce.
func decoded(r io.Reader) io.Reader {
	return transform.NewReader(r, unicode.BOMOverride(transform.Nop))
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

// stamp returns s if it can be read as a time; what cannot is reported and left
// out, so that the words are kept.
func (h *History) stamp(s, where string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	if _, err := text.ParseStamp(s); err != nil {
		h.left.add(badTime, "%s (%.40q)", where, s)
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

// word is a short text that a file may also give as a number or as true or
// false, as ids often are.
type word string

func (w *word) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '{':
		return &json.UnmarshalTypeError{Value: "object", Type: reflect.TypeFor[string]()}
	case '[':
		return &json.UnmarshalTypeError{Value: "array", Type: reflect.TypeFor[string]()}
	}
	*w = word(scalar(b))
	return nil
}

func blank(t core.InputTurn) bool {
	return strings.TrimSpace(t.Text) == "" && len(t.Parts) == 0
}
