package main

import (
	"io"
	"strings"
	"unicode/utf16"
)

// answerStream shows the answer while the JSON object that holds it arrives:
// the text of its first field "answer", decoded. Anything else of the reply is
// held back, so a reply of another form shows nothing until it is read whole.
type answerStream struct {
	out   io.Writer
	shown bool

	held   string // what has arrived and is not decided about
	inside bool   // in the answer's text
	done   bool
	high   rune // the first half of a surrogate pair
}

// answerField begins the text of the answer.
const answerField = `"answer"`

// add takes the next part of the reply.
func (s *answerStream) add(part string) {
	if s.done {
		return
	}
	s.held += part
	if !s.inside && !s.begin() {
		return
	}
	text, rest := s.text(s.held)
	s.held = rest
	if text != "" {
		s.shown = true
		_, _ = io.WriteString(s.out, text)
	}
}

// begin finds the start of the text. Reasoning before the object may hold a
// draft, so it is waited out.
func (s *answerStream) begin() bool {
	if i := strings.Index(s.held, "<think"); i >= 0 {
		end := strings.LastIndex(s.held, "</think")
		if end < i {
			return false
		}
		s.held = s.held[end:]
	}
	_, after, ok := strings.Cut(s.held, answerField)
	if !ok {
		return false
	}
	after = strings.TrimLeft(after, " \t\r\n:")
	if !strings.HasPrefix(after, `"`) {
		return false
	}
	s.held, s.inside = after[1:], true
	return true
}

// text decodes as much of a JSON string as has arrived whole.
func (s *answerStream) text(in string) (out, rest string) {
	var b strings.Builder
	for i := 0; i < len(in); {
		switch c := in[i]; {
		case c == '"':
			s.done = true
			return b.String(), ""
		case c != '\\':
			b.WriteByte(c)
			i++
		default:
			r, n := escape(in[i:])
			if n == 0 {
				return b.String(), in[i:]
			}
			i += n
			switch {
			case utf16.IsSurrogate(r) && s.high == 0:
				s.high = r
			case s.high != 0:
				b.WriteRune(utf16.DecodeRune(s.high, r))
				s.high = 0
			default:
				b.WriteRune(r)
			}
		}
	}
	return b.String(), ""
}

// escape reads the escape at the start of s; n is 0 while it is not whole.
func escape(s string) (r rune, n int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r', 'b', 'f':
		return ' ', 2
	case 'u':
		if len(s) < 6 {
			return 0, 0
		}
		for _, c := range []byte(s[2:6]) {
			r <<= 4
			switch {
			case '0' <= c && c <= '9':
				r |= rune(c - '0')
			case 'a' <= c|0x20 && c|0x20 <= 'f':
				r |= rune(c|0x20-'a') + 10
			}
		}
		return r, 6
	}
	return rune(s[1]), 2
}
