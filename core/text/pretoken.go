package text

import (
	"unicode"
	"unicode/utf8"
)

// nextPiece returns the length of the piece at the start of s by o200k_base's
// pre-tokeniser; byte-pair merges never cross its end. s is valid UTF-8 and
// not empty. The published pattern is tried in its order: a word (with one
// leading mark and a contraction), up to three digits, a run of punctuation
// with the newlines after it, white space.
func nextPiece(s string) int {
	if n := plainPiece(s); n > 0 {
		return n
	}
	return patternPiece(s)
}

func patternPiece(s string) int {
	if n := wordPiece(s); n > 0 {
		return n
	}
	r, w := utf8.DecodeRuneInString(s)
	if isNumber(r) {
		return numberPiece(s)
	}
	if n := markPiece(s); n > 0 {
		return n
	}
	if unicode.IsSpace(r) {
		return spacePiece(s)
	}
	return w
}

// plainPiece is nextPiece for the usual case, an English word in small letters
// or with a capital first; 0 for any other.
func plainPiece(s string) int {
	i := 0
	if c := s[0]; c < utf8.RuneSelf && c|0x20 < 'a' && c != '\r' && c != '\n' && (c < '0' || c > '9') {
		i = 1 // a leading mark
	}
	if i < len(s) && 'A' <= s[i] && s[i] <= 'Z' {
		i++
	}
	first := i
	for i < len(s) && 'a' <= s[i] && s[i] <= 'z' {
		i++
	}
	if i == first || i < len(s) && s[i] >= utf8.RuneSelf {
		return 0
	}
	return i + contraction(s[i:])
}

// Classes of the pattern's two letter sets: upper {Lu Lt} and lower {Ll}
// belong to one, both {Lm Lo M} to either.
type letterClass uint8

const (
	notLetter letterClass = iota
	upperLetter
	lowerLetter
	bothLetter
)

func classOf(r rune) letterClass {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case 'a' <= r && r <= 'z':
			return lowerLetter
		case 'A' <= r && r <= 'Z':
			return upperLetter
		}
		return notLetter
	case unicode.IsLower(r) && unicode.Is(unicode.Ll, r):
		return lowerLetter
	case unicode.Is(unicode.Lu, r) || unicode.Is(unicode.Lt, r):
		return upperLetter
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return bothLetter
	}
	return notLetter
}

func isNumber(r rune) bool {
	if r < utf8.RuneSelf {
		return '0' <= r && r <= '9'
	}
	return unicode.IsNumber(r)
}

func wordPiece(s string) int {
	r, w := utf8.DecodeRuneInString(s)
	start := 0
	if mayLead(r) {
		start = w
	}
	// With the optional leading mark first, then without it.
	for _, alternative := range [2]func(string) int{mixedWord, upperWord} {
		if start < len(s) {
			if n := alternative(s[start:]); n > 0 {
				return start + n + contraction(s[start+n:])
			}
		}
		if start > 0 {
			if n := alternative(s); n > 0 {
				return n + contraction(s[n:])
			}
		}
	}
	return 0
}

// mayLead reports [^\r\n\p{L}\p{N}].
func mayLead(r rune) bool {
	if r < utf8.RuneSelf {
		return r != '\r' && r != '\n' && classOf(r) == notLetter && (r < '0' || r > '9')
	}
	return !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

// mixedWord matches upper* lower+ with the backtracking that letters of both
// sets need.
func mixedWord(s string) int {
	i, lastBoth := 0, -1 // lastBoth: end of the last letter of both sets
	for i < len(s) {
		r, w := utf8.DecodeRuneInString(s[i:])
		c := classOf(r)
		if c == lowerLetter {
			return lowerRun(s, i)
		}
		if c == notLetter {
			break
		}
		i += w
		if c == bothLetter {
			lastBoth = i
		}
	}
	return max(lastBoth, 0)
}

func lowerRun(s string, i int) int {
	for i < len(s) {
		r, w := utf8.DecodeRuneInString(s[i:])
		if c := classOf(r); c != lowerLetter && c != bothLetter {
			break
		}
		i += w
	}
	return i
}

// upperWord matches upper+ lower*; it is tried where mixedWord failed.
func upperWord(s string) int {
	i := 0
	for i < len(s) {
		r, w := utf8.DecodeRuneInString(s[i:])
		if c := classOf(r); c != upperLetter && c != bothLetter {
			break
		}
		i += w
	}
	if i == 0 {
		return 0
	}
	return lowerRun(s, i)
}

func contraction(s string) int {
	if len(s) < 2 || s[0] != '\'' {
		return 0
	}
	second := s[1] | 0x20
	if len(s) > 2 {
		third := s[2] | 0x20
		if second == 'r' && third == 'e' || second == 'v' && third == 'e' || second == 'l' && third == 'l' {
			return 3
		}
	}
	switch second {
	case 's', 't', 'm', 'd':
		return 2
	}
	return 0
}

func numberPiece(s string) int {
	i := 0
	for n := 0; n < 3 && i < len(s); n++ {
		r, w := utf8.DecodeRuneInString(s[i:])
		if !isNumber(r) {
			break
		}
		i += w
	}
	return i
}

// markPiece matches " ?[^\s\p{L}\p{N}]+[\r\n/]*".
func markPiece(s string) int {
	i := 0
	if s[0] == ' ' {
		i = 1
	}
	first := i
	for i < len(s) {
		r, w := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) || unicode.IsLetter(r) || isNumber(r) {
			break
		}
		i += w
	}
	if i == first {
		return 0
	}
	for i < len(s) && (s[i] == '\r' || s[i] == '\n' || s[i] == '/') {
		i++
	}
	return i
}

// spacePiece matches "\s*[\r\n]+|\s+(?!\S)|\s+".
func spacePiece(s string) int {
	i, newline, last := 0, 0, 0
	for i < len(s) {
		r, w := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) {
			break
		}
		last = i
		i += w
		if r == '\r' || r == '\n' {
			newline = i
		}
	}
	switch {
	case newline > 0:
		return newline
	case i < len(s) && last > 0:
		return last
	}
	return i
}
