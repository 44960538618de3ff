package mem

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Evidence is most of what a search sends, and encoding/json takes a guest ten
// times as long for it as what follows. The bytes are the same.

// AppendFields appends the members of e's JSON object, without its braces.
func (e *Evidence) AppendFields(b []byte) []byte {
	w := jsonWriter{slices.Grow(b, 2*len(e.Text)+200*len(e.Items)+1024)}
	w.text(`"evidence":`, e.Text)
	w.raw(`,"tokens":`, strconv.Itoa(e.Tokens))
	if e.Items == nil {
		w.raw(`,"items":`, "null")
	} else {
		w.raw(`,"items":`, "")
		before := "["
		for i := range e.Items {
			w.raw(before, "")
			w.item(&e.Items[i])
			before = ","
		}
		if len(e.Items) == 0 {
			w.raw("[", "")
		}
		w.raw("]", "")
	}
	w.number(`,"confidence":`, e.Confidence)
	w.flag(`,"sufficient":`, &e.Sufficient)
	return w.b
}

func (w *jsonWriter) item(it *Item) {
	w.text(`{"id":`, it.ID)
	w.text(`,"kind":`, string(it.Kind))
	w.text(`,"text":`, it.Text)
	w.texts(`,"sources":`, it.Sources)
	w.text(`,"date":`, it.Date)
	w.text(`,"speaker":`, it.Speaker)
	w.number(`,"score":`, it.Score)
	w.flag(`,"current":`, it.Current)
	if it.Until != "" {
		w.text(`,"until":`, it.Until)
	}
	w.flag(`,"asked":`, it.Asked)
	if it.Corrected != "" {
		w.text(`,"corrected":`, it.Corrected)
	}
	w.raw("}", "")
}

// jsonWriter writes members, each after what stands before its value.
type jsonWriter struct{ b []byte }

// raw is not inlined, nor is what follows: each append is a hundred bytes of
// the plugin.
//
//go:noinline
func (w *jsonWriter) raw(before, value string) {
	w.b = append(append(w.b, before...), value...)
}

// flag leaves out what is nil.
func (w *jsonWriter) flag(before string, value *bool) {
	if value != nil {
		w.raw(before, strconv.FormatBool(*value))
	}
}

func (w *jsonWriter) texts(before string, list []string) {
	if list == nil {
		w.raw(before, "null")
		return
	}
	w.raw(before, "[")
	before = ""
	for _, s := range list {
		w.text(before, s)
		before = ","
	}
	w.raw("]", "")
}

// text writes a string as encoding/json does.
func (w *jsonWriter) text(before, s string) {
	w.raw(before, `"`)
	for {
		n := plainRun(s)
		rest := s[n:]
		escaped, size := "", 0
		if rest != "" {
			escaped, size = escape(rest)
		}
		w.raw(s[:n], escaped)
		if s = rest[size:]; s == "" {
			break
		}
	}
	w.raw(`"`, "")
}

// escape gives the first character of s as it stands in a JSON string, and its
// length in s.
func escape(s string) (string, int) {
	switch c := s[0]; {
	case c == '\n':
		return `\n`, 1
	case c == '"':
		return `\"`, 1
	case c == '\\':
		return `\\`, 1
	case c >= utf8.RuneSelf:
		r, size := utf8.DecodeRuneInString(s)
		if r != utf8.RuneError && r != '\u2028' && r != '\u2029' {
			return s[:size], size
		}
		s = s[:size]
	default:
		s = s[:1]
	}
	quoted, _ := json.Marshal(s) // rare; of a string it cannot fail
	return string(quoted[1 : len(quoted)-1]), len(s)
}

// plainRun is how many bytes from the start of s stand for themselves. It looks
// at eight at once.
func plainRun(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		// A byte's top bit is set where it is below a space, one of "&<>\ or not
		// ASCII; a bit too many, which borrowing can set, costs a closer look.
		if (w|w-0x20*ones|zeroByte(w^'"'*ones)|zeroByte(w^'&'*ones)|zeroByte(w^'<'*ones)|zeroByte(w^'>'*ones)|zeroByte(w^'\\'*ones))&(0x80*ones) != 0 {
			break
		}
	}
	for i < len(s) && plainByte(s[i]) {
		i++
	}
	return i
}

const ones = 0x0101010101010101

// zeroByte sets the top bit of a byte that is 0, and maybe of others above it.
func zeroByte(w uint64) uint64 { return w - ones }

func plainByte(c byte) bool {
	return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '&' && c != '<' && c != '>' && c != '\\'
}

// number writes a number as encoding/json does, which is without an exponent
// in the range of scores.
func (w *jsonWriter) number(before string, f float64) {
	if abs := math.Abs(f); abs == 0 || abs >= 1e-6 && abs < 1e21 {
		w.raw(before, strconv.FormatFloat(f, 'f', -1, 64))
		return
	}
	plain, err := json.Marshal(f)
	if err != nil { // not finite; a score never is
		plain = []byte("0")
	}
	w.raw(before, string(plain))
}
