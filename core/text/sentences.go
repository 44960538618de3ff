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
	var spans [][2]int
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
	iter := sentences.FromString(s[at:end])
	for iter.Next() {
		stop := at + iter.End()
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
	switch word {
	case "dr", "mr", "mrs", "ms", "prof", "st", "mt", "sr", "jr", "gen", "col", "sgt", "capt", "lt", "rev", "hon", "gov", "sen", "rep", "pres",
		"e.g", "i.e", "cf", "vs", "viz", "approx", "esp", "fig", "vol", "ch", "pp", "ed", "eds", "dept", "est", "ft",
		"z.b", "d.h", "u.a", "bzw", "hr", "fr", "sra", "mme", "mlle":
		return true
	case "no", "nr", "art", "op", "p", "sec", "min", "max": // words of their own, unless a number follows
		r, _ := utf8.DecodeRuneInString(rest)
		return unicode.IsDigit(r)
	case "etc", "inc", "ltd", "co", "corp", "a.m", "p.m", "u.s", "u.k", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec":
		r, _ := utf8.DecodeRuneInString(rest)
		return !unicode.IsUpper(r)
	}
	return false
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
