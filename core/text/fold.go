package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold gives the form in which words are compared: compatibility forms
// unified (NFKC), small letters, without the accents of Latin, Greek and
// Cyrillic letters and the vowel points of Arabic and Hebrew, digits of every
// script as ASCII.
func Fold(s string) string {
	if lowerASCII(s) {
		return s
	}
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return foldRunes(s)
		}
	}
	return strings.ToLower(s)
}

// Small gives s with the letters A–Z small and every byte in its place: of a
// text whose words are all to be folded, once for all of them. Fold(s) =
// Fold(Small(s)).
func Small(s string) string {
	i := 0
	for i < len(s) && (s[i] < 'A' || s[i] > 'Z') {
		i++
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	last := 0
	for ; i < len(s); i++ {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			b.WriteString(s[last:i])
			b.WriteByte(c + 'a' - 'A')
			last = i + 1
		}
	}
	b.WriteString(s[last:])
	return b.String()
}

// fold is Fold for one index term: at most maxTerm bytes, thousands unparted.
func fold(s string) string {
	if len(s) > maxTerm {
		s = s[:runeStart(s, maxTerm)]
	}
	if '0' <= s[0] && s[0] <= '9' && strings.IndexByte(s, ',') > 0 {
		s = strings.ReplaceAll(s, ",", "")
	}
	return Fold(s)
}

// foldWhole folds words with the marks that join them.
func foldWhole(s string) string {
	if len(s) > 4*maxTerm {
		s = s[:runeStart(s, 4*maxTerm)]
	}
	return Fold(s)
}

// runeStart returns the start of the rune that holds byte i of s.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

func lowerASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

func foldRunes(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	var last rune
	composed := true
	for _, r := range norm.NFKD.String(s) {
		if dropped(r, last) {
			continue
		}
		r = foldRune(r)
		last = r
		switch r {
		case 'ß':
			b.WriteString("ss")
			continue
		case 'æ':
			b.WriteString("ae")
			continue
		case 'œ':
			b.WriteString("oe")
			continue
		}
		if unicode.IsMark(r) || 0x1100 <= r && r < 0x1200 {
			composed = false
		}
		b.WriteRune(r)
	}
	if composed {
		return b.String()
	}
	return norm.NFC.String(b.String())
}

// plain reports whether s is of common CJK characters or small basic Cyrillic
// letters alone, which fold to themselves.
func plain(s string) bool {
	for _, r := range s {
		switch {
		case 0x4E00 <= r && r < 0xA000, 0x3041 <= r && r < 0x3097, 0x30A1 <= r && r < 0x30FB, r == 0x30FC:
		case 0x0430 <= r && r < 0x0450, 0xAC00 <= r && r < 0xD7A4:
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
		default:
			return false
		}
	}
	return true
}

// dropped reports marks that do not tell words apart: accents (but not the
// breve of й), Arabic vowel points and the stroke that stretches, Hebrew
// points, the soft hyphen.
func dropped(r, last rune) bool {
	switch {
	case r < 0xAD:
		return false
	case 0x0300 <= r && r <= 0x036F:
		return !(r == 0x0306 && last == 'и')
	case 0x064B <= r && r <= 0x0652, r == 0x0640, r == 0x0670:
		return true
	case 0x0591 <= r && r <= 0x05C7:
		return unicode.IsMark(r)
	}
	return r == 0xAD || r == 0x200B || r == 0x200D || r == 0xFEFF
}

func foldRune(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	case r == '’' || r == '‘' || r == 'ʼ':
		return '\''
	case r == 'ς':
		return 'σ'
	case r == 'ı':
		return 'i'
	case r == 'ł' || r == 'Ł':
		return 'l'
	case r == 'ø' || r == 'Ø':
		return 'o'
	case r == 'đ' || r == 'Đ':
		return 'd'
	case unicode.IsDigit(r):
		return asciiDigitOf(r)
	}
	return unicode.ToLower(r)
}

// asciiDigitOf maps a decimal digit of any script: their blocks of ten begin
// at a multiple of sixteen or six above one.
func asciiDigitOf(r rune) rune {
	low := r & 0xF
	if low <= 9 && unicode.IsDigit(r-low) {
		return '0' + low
	}
	if low >= 6 && unicode.IsDigit(r-low+6) {
		return '0' + low - 6
	}
	return r
}

// possessive returns the length of a final 's.
func possessive(s string) int {
	n := len(s)
	if n < 3 || s[n-1]|0x20 != 's' {
		return 0
	}
	if r, w := utf8.DecodeLastRuneInString(s[:n-1]); apostrophe(r) && n-1-w > 0 {
		return 1 + w
	}
	return 0
}

// elision returns the length of an elided French or Italian article before a
// vowel: l'eau, qu'il, dell'arte.
func elision(s string) int {
	i := 0
	for i < len(s) && s[i] < utf8.RuneSelf && asciiClass[s[i]] >= asciiLower {
		i++
	}
	if i == 0 || i > 4 || i == len(s) {
		return 0
	}
	r, w := utf8.DecodeRuneInString(s[i:])
	if !apostrophe(r) || len(s)-i-w < 2 {
		return 0
	}
	switch strings.ToLower(s[:i]) {
	case "l", "d", "j", "m", "t", "s", "n", "c", "qu", "un", "all", "dell", "nell", "dall", "sull":
	default:
		return 0
	}
	next, _ := utf8.DecodeRuneInString(s[i+w:])
	switch foldRune(next) {
	case 'a', 'e', 'i', 'o', 'u', 'y', 'h', 'é', 'è', 'ê', 'à', 'â', 'î', 'ô', 'œ':
		return i + w
	}
	return 0
}
