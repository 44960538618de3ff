package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// Sentences returns substrings of s that concatenate to s: sentences by
// Unicode's rules (UAX 29), lines, items of a list, and whole code blocks.
// White space belongs to the sentence before it. An abbreviation ("Dr.",
// "e.g.") or the number of a list item ends none.
func Sentences(s string) []string {
	spans := SentenceSpans(s)
	out := make([]string, len(spans))
	for i, p := range spans {
		out[i] = s[p[0]:p[1]]
	}
	return out
}

// SentenceSpans returns the byte offsets of Sentences(s).
func SentenceSpans(s string) [][2]int {
	spans := make([][2]int, 0, min(len(s), 8))
	for at := 0; at < len(s); {
		end := at + blockEnd(s[at:])
		if fenced(s[at:end]) {
			spans = append(spans, [2]int{at, end})
		} else {
			spans = appendSentences(spans, s, at, end)
		}
		at = end
	}
	return joinBlank(spans, s)
}

// blockEnd returns the end of the line at the start of s with the blank lines
// after it or, where the line opens a fence, of the code block.
func blockEnd(s string) int {
	if fenced(s) {
		if i := strings.Index(s[3:], "\n```"); i >= 0 {
			return lineEnd(s, 3+i+1)
		}
	}
	return lineEnd(s, 0)
}

func fenced(s string) bool { return strings.HasPrefix(s, "```") }

func lineEnd(s string, from int) int {
	i := strings.IndexByte(s[from:], '\n')
	if i < 0 {
		return len(s)
	}
	i += from + 1
	for i < len(s) && (s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// appendSentences appends the sentences of the line s[at:end].
func appendSentences(spans [][2]int, s string, at, end int) [][2]int {
	start := at
	piece, said := at, at // the piece begins, and what is no white space ends, here
	for stop := at; stop < end; {
		stop += firstSentence(s[stop:end])
		// Only the piece is looked at for its white space: a turn may be a
		// million line breaks.
		if n := len(strings.TrimRightFunc(s[piece:stop], unicode.IsSpace)); n > 0 {
			said = piece + n
		}
		piece = stop
		if stop < end && open(s[start:max(said, start)], s[stop:end]) {
			continue
		}
		spans = append(spans, [2]int{start, stop})
		start = stop
	}
	if start < end {
		spans = append(spans, [2]int{start, end})
	}
	return spans
}

// firstSentence is the length of the first sentence of a line by Unicode's
// rules.
func firstSentence(s string) int {
	if n := plainSentence(s); n > 0 {
		return n
	}
	iter := sentences.FromString(s)
	iter.Next()
	return iter.End()
}

// plainSentence is firstSentence for the usual case, a sentence in ASCII of
// whose full stops none stands before a small letter; 0 for any other.
func plainSentence(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= utf8.RuneSelf || c == '\r':
			return 0
		case c == '\n':
			n, _ := lineStart(s, i+1)
			return n
		case c != '.' && c != '!' && c != '?':
		default:
			n, ends := afterStop(s, i)
			if ends || n == 0 {
				return n
			}
			i = n - 1
		}
	}
	return len(s)
}

// afterStop looks behind the full stop, exclamation or question mark at i: a
// sentence ends at n, or goes on there; 0 where other than plain text follows.
func afterStop(s string, i int) (n int, ends bool) {
	n = i + 1
	if s[i] == '.' {
		next := n
		for next < len(s) && !stopsSearch(s[next]) {
			next++
		}
		switch {
		case next < len(s) && (s[next] >= utf8.RuneSelf || s[next] == '\r' || 'a' <= s[next] && s[next] <= 'z'):
			return 0, false
		case n < len(s) && (isDigitByte(s, n) || 'A' <= s[n] && s[n] <= 'Z' && i > 0 && asciiClass[s[i-1]] >= asciiLower):
			return n, false
		}
	}
	for n < len(s) && strings.IndexByte("()[]{}\"'", s[n]) >= 0 {
		n++
	}
	for n < len(s) && (s[n] == ' ' || '\t' <= s[n] && s[n] <= '\f' && s[n] != '\n') {
		n++
	}
	if n == len(s) {
		return n, true
	}
	switch c := s[n]; {
	case c >= utf8.RuneSelf || c == '\r' || c == ';':
		return 0, false
	case c == '\n':
		return lineStart(s, n+1)
	case c == ',' || c == '-' || c == ':' || c == '.' || c == '!' || c == '?':
		return n, false
	}
	return n, true
}

// lineStart ends a sentence at n, behind the end of a line, where plain text or
// nothing follows: half a character there would belong to it.
func lineStart(s string, n int) (int, bool) {
	if n < len(s) && s[n] >= utf8.RuneSelf {
		return 0, false
	}
	return n, true
}

// stopsSearch reports what ends the search for a small letter behind a stop.
func stopsSearch(c byte) bool {
	return c >= utf8.RuneSelf || asciiClass[c] >= asciiLower || c == '\n' || c == '\r' || c == '.' || c == '!' || c == '?'
}

// open reports whether a sentence goes on after what the segmenter took for
// its end: an abbreviation, an initial, or the number of a list item. body is the
// sentence without white space at its end.
func open(body, rest string) bool {
	if !strings.HasSuffix(body, ".") {
		return body == ""
	}
	body = body[:len(body)-1]
	i := strings.LastIndexFunc(body, func(r rune) bool { return unicode.IsSpace(r) || r == '(' || r == '"' || r == '[' })
	word := body[i+1:]
	before := strings.TrimRightFunc(body[:i+1], unicode.IsSpace)
	switch {
	case word == "":
		return false
	case before == "" && len(word) <= 3 && allDigits(word): // "1. Plan ahead"
		return true
	case len(word) == 1 && 'A' <= word[0] && word[0] <= 'Z' && word != "I":
		return true // an initial
	}
	return abbreviation(strings.ToLower(word), rest)
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// abbreviation reports whether a word and the point after it end no sentence.
func abbreviation(word, rest string) bool {
	l := listed[word]
	if l&titleAbbreviations != 0 {
		return true
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return l&numberAbbreviations != 0 && unicode.IsDigit(r) || l&endAbbreviations != 0 && !unicode.IsUpper(r)
}

// joinBlank gives spans of nothing but white space to the one before.
func joinBlank(spans [][2]int, s string) [][2]int {
	out := spans[:0]
	for _, p := range spans {
		if len(out) > 0 && strings.TrimSpace(s[p[0]:p[1]]) == "" {
			out[len(out)-1][1] = p[1]
			continue
		}
		out = append(out, p)
	}
	return out
}
