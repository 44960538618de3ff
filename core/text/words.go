package text

import (
	"unicode"
	"unicode/utf8"
)

// Token is one index term with the bytes of the text that it stands for.
type Token struct {
	Text       string // folded: see Fold
	Start, End int    // s[Start:End] is the term as it was written
}

// maxTerm bounds an index term in bytes; of a longer word its beginning is
// indexed.
const maxTerm = 64

// Words returns the texts of Tokens(s).
func Words(s string) []string {
	tokens := Tokens(s)
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.Text
	}
	return words
}

// Tokens returns the index terms of s, ordered by their start.
//
// A word is a run of letters, marks and digits of any script; a possessive 's
// and an elided article go, a decimal stays whole. Scripts that are written
// without spaces (and Korean, for its particles) give overlapping pairs of
// characters, or the character where it stands alone. Words joined by other
// marks (a/b, C:\tmp, jo@example.org, 2023-05-07, snake_case) give the whole
// first and then its words; so does an option (-x). Words joined by a hyphen
// give the words only.
func Tokens(s string) []Token {
	return AppendTokens(make([]Token, 0, len(s)/5+1), s)
}

// AppendTokens appends Tokens(s): who needs them for a moment only, text after
// text, keeps the room.
func AppendTokens(to []Token, s string) []Token {
	t := scanner{s: s, small: Small(s), out: to}
	for t.next() {
	}
	return t.out
}

// HasWord reports whether s has an index term.
func HasWord(s string) bool {
	t := scanner{s: s, small: s}
	for len(t.out) == 0 && t.next() {
	}
	return len(t.out) > 0
}

type scanner struct {
	s     string
	small string // Small(s)
	at    int
	out   []Token
}

// next emits the terms of what stands up to the next mark or space, none where
// a space or a mark stands.
func (t *scanner) next() bool {
	if t.at == len(t.s) {
		return false
	}
	r, w := utf8.DecodeRuneInString(t.s[t.at:])
	switch {
	case dense(r):
		t.denseRun()
	case wordRune(r):
		t.chunk(t.at)
	case r == '-' && t.option():
	default:
		t.at += w
	}
	return true
}

// wordRune reports whether r stands within a word of a script with spaces.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiClass[r] != 0
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)) &&
		!dense(r) && !invisible(r)
}

const (
	asciiDigit = 1 + iota
	asciiLower
	asciiUpper
)

var asciiClass = func() (c [utf8.RuneSelf]uint8) {
	for r := '0'; r <= '9'; r++ {
		c[r] = asciiDigit
	}
	for r := 'a'; r <= 'z'; r++ {
		c[r] = asciiLower
		c[r-'a'+'A'] = asciiUpper
	}
	return c
}()

// invisible reports variation selectors, which are marks but join nothing.
func invisible(r rune) bool { return 0xFE00 <= r && r <= 0xFE0F || 0xE0100 <= r && r <= 0xE01EF }

// dense reports whether r belongs to a script that is indexed by pairs of
// characters. Digits of these scripts are words.
func dense(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r < 0x0F00: // Thai, Lao
		return r&0xF0 != 0x50 && r&0xF0 != 0xD0 && unicode.In(r, unicode.L, unicode.M)
	case 0x1000 <= r && r < 0x10A0: // Myanmar
		return unicode.In(r, unicode.L, unicode.M)
	case 0x1100 <= r && r < 0x1200, 0x3130 <= r && r < 0x3190, 0xAC00 <= r && r < 0xD7B0: // Hangul
		return true
	case 0x1780 <= r && r < 0x1800: // Khmer
		return unicode.In(r, unicode.L, unicode.M)
	case 0x3040 <= r && r < 0x3100: // kana
		return r != 0x30FB && r != 0x30A0
	case 0x3005 <= r && r <= 0x3007, 0x31F0 <= r && r < 0x3200,
		0x3400 <= r && r < 0x4DC0, 0x4E00 <= r && r < 0xA000, 0xF900 <= r && r < 0xFB00,
		0xFF66 <= r && r < 0xFFA0, 0x20000 <= r && r < 0x40000:
		return true
	}
	return false
}

// Character reports whether a term is one character of a script that is indexed
// by pairs: in most texts it stands within pairs only.
func Character(term string) bool {
	r, w := utf8.DecodeRuneInString(term)
	return w == len(term) && dense(r)
}

func (t *scanner) emit(start, end int) {
	if w := fold(t.small[start:end]); w != "" {
		t.out = append(t.out, Token{Text: w, Start: start, End: end})
	}
}

// denseRun emits the pairs of characters of a run; a mark belongs to the
// character before it.
func (t *scanner) denseRun() {
	start, before, n := t.at, t.at, 0 // of the last character and the one before
	for t.at < len(t.s) {
		r, w := utf8.DecodeRuneInString(t.s[t.at:])
		if !dense(r) {
			break
		}
		if !unicode.IsMark(r) && t.at > start {
			if n > 0 {
				t.emit(before, t.at)
			}
			before, start = start, t.at
			n++
		}
		t.at += w
	}
	t.emit(before, t.at)
}

// option handles "-x" and "--flag" after white space.
func (t *scanner) option() bool {
	if t.at > 0 {
		if r, _ := utf8.DecodeLastRuneInString(t.s[:t.at]); !unicode.IsSpace(r) {
			return false
		}
	}
	i := t.at + 1
	if i < len(t.s) && t.s[i] == '-' {
		i++
	}
	if i >= len(t.s) || t.s[i] >= utf8.RuneSelf || asciiClass[t.s[i]] < asciiLower {
		return false
	}
	start := t.at
	t.at = i
	t.chunk(start)
	return true
}

// chunk emits the words from t.at that no space parts, preceded by the whole,
// which begins at start, where it is worth a term of its own.
func (t *scanner) chunk(start int) {
	first := len(t.out)
	whole := start < t.at
	t.word()
	for {
		n, joins := t.joint()
		if n == 0 {
			break
		}
		t.at += n
		t.word()
		whole = whole || joins
	}
	if !whole || t.at-start > 4*maxTerm {
		return
	}
	if w := foldWhole(t.small[start:t.at]); len(t.out) == first || w != t.out[first].Text {
		t.out = append(t.out, Token{})
		copy(t.out[first+1:], t.out[first:])
		t.out[first] = Token{Text: w, Start: start, End: t.at}
	}
}

// joint returns the length of the marks at t.at that join two words, 0 if the
// chunk ends here, and whether the whole is then a term.
func (t *scanner) joint() (n int, joins bool) {
	s := t.s[t.at:]
	for n < len(s) && n < 4 && joining(s[n]) {
		joins = joins || s[n] != '-' || isDigitByte(t.s, t.at-1) && isDigitByte(s, n+1)
		n++
	}
	if n == 0 || n == 4 || n >= len(s) {
		return 0, false
	}
	if n > 1 && s[0] == '.' && s[1] == '.' { // an ellipsis
		return 0, false
	}
	if r, _ := utf8.DecodeRuneInString(s[n:]); !wordRune(r) {
		return 0, false
	}
	return n, joins
}

func joining(c byte) bool {
	switch c {
	case '-', '.', '/', '\\', ':', '@', '_', '#', '&', '=', '?', '+', '~', '%':
		return true
	}
	return false
}

func isDigitByte(s string, i int) bool {
	return 0 <= i && i < len(s) && '0' <= s[i] && s[i] <= '9'
}

// word emits one word; t.at stands on its first rune.
func (t *scanner) word() {
	start, decimal := t.at, false
	for t.at < len(t.s) {
		if c := t.s[t.at]; c < utf8.RuneSelf && asciiClass[c] != 0 {
			t.at++
			continue
		}
		r, w := utf8.DecodeRuneInString(t.s[t.at:])
		switch {
		case wordRune(r):
			t.at += w
			continue
		case apostrophe(r) && t.at > start && t.letterAt(t.at+w):
			t.at += w
			continue
		case r == ',' && t.thousands():
			t.at++
			continue
		case r == '.' && !decimal && t.decimal():
			decimal = true
			t.at++
			continue
		}
		break
	}
	t.emitWord(start, t.at)
}

func apostrophe(r rune) bool { return r == '\'' || r == '’' || r == '‘' || r == 'ʼ' || r == '＇' }

func (t *scanner) letterAt(i int) bool {
	if i >= len(t.s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(t.s[i:])
	return unicode.IsLetter(r) && !dense(r)
}

// thousands reports whether the comma at t.at parts thousands.
func (t *scanner) thousands() bool {
	i := t.at
	return isDigitByte(t.s, i-1) && isDigitByte(t.s, i+1) && isDigitByte(t.s, i+2) && isDigitByte(t.s, i+3) && !isDigitByte(t.s, i+4)
}

// decimal reports whether the point at t.at is that of a decimal and not of a
// date or version.
func (t *scanner) decimal() bool {
	i := t.at
	if !isDigitByte(t.s, i-1) || !isDigitByte(t.s, i+1) {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		if t.s[j] == '.' {
			return false
		}
		if !isDigitByte(t.s, j) && t.s[j] != ',' {
			break
		}
	}
	for i++; isDigitByte(t.s, i); i++ {
	}
	return !(i < len(t.s) && t.s[i] == '.' && isDigitByte(t.s, i+1))
}

// emitWord emits s[start:end] without a possessive or an elided article.
func (t *scanner) emitWord(start, end int) {
	s := t.s[start:end]
	if n := possessive(s); n > 0 {
		end -= n
	} else if n := elision(s); n > 0 {
		start += n
	}
	t.emit(start, end)
}
