package embed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/leanmem/leanmem/core/text"
)

const (
	maxPieces = 16 // pieces of one word
	maxWord   = 64 // bytes of one word; a longer one is no word
	maxPiece  = 18 // bytes of the longest piece
)

// words yields the words of a text as BERT's uncased tokeniser splits them:
// lower case, accents stripped, at white space and around every mark and CJK
// character.
func words(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, small := -1, text.Small(s)
		for i := 0; i <= len(s); {
			r, w := rune(' '), 1
			if i < len(s) {
				r, w = utf8.DecodeRuneInString(s[i:])
			}
			inWord := i < len(s) && wordRune(r)
			if inWord && start < 0 {
				start = i
			}
			if !inWord && start >= 0 {
				if !yield(plain(small[start:i])) {
					return
				}
				start = -1
			}
			i += w
		}
	}
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r))
}

// plain lower-cases a word and strips its accents.
func plain(w string) string {
	ascii, lower := true, true
	for i := range len(w) {
		ascii = ascii && w[i] < utf8.RuneSelf
		lower = lower && (w[i] < 'A' || w[i] > 'Z')
	}
	if ascii {
		if lower {
			return w
		}
		return strings.ToLower(w)
	}
	if len(w) > 4*maxWord {
		return w
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToLower(w)))
}

// longest finds the longest known piece of w at a place and gives its end and
// row; row is -1 when there is none. The last piece that is not after the rest
// of w in byte order either begins it, and then no longer one does, or shares
// with it all that a piece that begins it can have.
func longest(w string, at int) (end, row int) {
	if len(w) > maxWord {
		return at, -1
	}
	rest := w[at:min(len(w), at+maxPiece)]
	for rest != "" {
		row = table.last(rest, at > 0)
		if row < 0 {
			break
		}
		piece := table.piece(row)
		n := shared(piece, rest)
		if n == len(piece) {
			return at + n, row
		}
		rest = rest[:n]
	}
	return at, -1
}

// shared counts the bytes that a and b begin with alike.
func shared(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
