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
	b = slices.Grow(b, 2*len(e.Text)+200*len(e.Items)+1024)
	b = appendString(append(b, `"evidence":`...), e.Text)
	b = strconv.AppendInt(append(b, `,"tokens":`...), int64(e.Tokens), 10)
	b = append(b, `,"items":`...)
	if e.Items == nil {
		b = append(b, "null"...)
	} else {
		b = append(b, '[')
		for i := range e.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.Items[i].append(b)
		}
		b = append(b, ']')
	}
	b = appendFloat(append(b, `,"confidence":`...), e.Confidence)
	return strconv.AppendBool(append(b, `,"sufficient":`...), e.Sufficient)
}

func (it *Item) append(b []byte) []byte {
	b = appendString(append(b, `{"id":`...), it.ID)
	b = appendString(append(b, `,"kind":`...), string(it.Kind))
	b = appendString(append(b, `,"text":`...), it.Text)
	b = appendStrings(append(b, `,"sources":`...), it.Sources)
	b = appendString(append(b, `,"date":`...), it.Date)
	b = appendString(append(b, `,"speaker":`...), it.Speaker)
	b = appendFloat(append(b, `,"score":`...), it.Score)
	if it.Current != nil {
		b = strconv.AppendBool(append(b, `,"current":`...), *it.Current)
	}
	if it.Until != "" {
		b = appendString(append(b, `,"until":`...), it.Until)
	}
	if it.Asked != nil {
		b = strconv.AppendBool(append(b, `,"asked":`...), *it.Asked)
	}
	if it.Corrected != "" {
		b = appendString(append(b, `,"corrected":`...), it.Corrected)
	}
	return append(b, '}')
}

func appendStrings(b []byte, list []string) []byte {
	if list == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}

// appendString appends a JSON string as encoding/json writes it.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for s != "" {
		n := plainRun(s)
		b = append(b, s[:n]...)
		if s = s[n:]; s == "" {
			break
		}
		switch c := s[0]; {
		case c == '\n':
			b, n = append(b, `\n`...), 1
		case c == '"' || c == '\\':
			b, n = append(b, '\\', c), 1
		case c < utf8.RuneSelf:
			b, n = appendRare(b, s[:1]), 1
		default:
			r, size := utf8.DecodeRuneInString(s)
			if n = size; r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
				b = appendRare(b, s[:n])
			} else {
				b = append(b, s[:n]...)
			}
		}
		s = s[n:]
	}
	return append(b, '"')
}

// appendRare leaves it to encoding/json what it makes of one character.
func appendRare(b []byte, s string) []byte {
	quoted, _ := json.Marshal(s) // of a string it cannot fail
	return append(b, quoted[1:len(quoted)-1]...)
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

// appendFloat appends a number as encoding/json writes it, which is without an
// exponent in the range of scores.
func appendFloat(b []byte, f float64) []byte {
	if abs := math.Abs(f); abs == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	plain, err := json.Marshal(f)
	if err != nil { // not finite; a score never is
		return append(b, '0')
	}
	return append(b, plain...)
}
