package text

import (
	"time"
	"unicode"
	"unicode/utf8"
)

// lexeme is a word, a number with what is written onto it ("7th", "90s"), or
// a mark.
type lexeme struct {
	text       string // folded; of a number its ending
	start, end int
	num        int // -1 unless a number
	digits     int
}

// matcher resolves the temporal expressions of one text.
type matcher struct {
	s     string
	small string // Small(s)
	at    time.Time
	today time.Time // the calendar date of at
	open  bool      // years that are not said stay open
	dated bool      // at is known
	dense bool      // the text has CJK
	lang  language
	lx    []lexeme
}

// lex splits s into lexemes. Spaces are dropped; a run of CJK is one mark.
func (m *matcher) lex() {
	m.lx, m.small = make([]lexeme, 0, len(m.s)/4+4), Small(m.s)
	var votes [languages]int
	for i := 0; i < len(m.s); {
		r, w := utf8.DecodeRuneInString(m.s[i:])
		switch {
		case unicode.IsSpace(r) && r != '\n':
			i += w
		case '0' <= r && r <= '9':
			i = m.lexNumber(i)
		case dense(r):
			m.dense = true
			m.lx = append(m.lx, lexeme{text: "", start: i, end: i + w, num: -1})
			i += w
		case unicode.IsLetter(r):
			i = m.lexWord(i)
			if l := languageOf(m.lx[len(m.lx)-1].text); l != english {
				votes[l]++
			}
		case apostrophe(r) && len(m.lx) > 0 && m.lx[len(m.lx)-1].end == i && m.lx[len(m.lx)-1].num < 0:
			i = m.lexContraction(i, w)
		default:
			m.lx = append(m.lx, lexeme{text: m.s[i : i+w], start: i, end: i + w, num: -1})
			i += w
		}
	}
	for l := english + 1; l < languages; l++ {
		if votes[l] > votes[m.lang] {
			m.lang = l
		}
	}
}

func (m *matcher) letters(i int) int {
	for i < len(m.s) {
		r, w := utf8.DecodeRuneInString(m.s[i:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) || dense(r) {
			break
		}
		i += w
	}
	return i
}

func (m *matcher) lexWord(i int) int {
	end := m.letters(i)
	if end == i { // a lone mark
		_, w := utf8.DecodeRuneInString(m.s[i:])
		end = i + w
	}
	text := m.s[i:end]
	if len(text) <= maxTerm {
		text = Fold(m.small[i:end])
	}
	m.lx = append(m.lx, lexeme{text: text, start: i, end: end, num: -1})
	return end
}

// lexContraction makes "'s", "'ll" and "'t" lexemes of their own.
func (m *matcher) lexContraction(i, w int) int {
	end := m.letters(i + w)
	m.lx = append(m.lx, lexeme{text: "'" + Fold(m.s[i+w:min(end, i+w+maxTerm)]), start: i, end: end, num: -1})
	return end
}

func (m *matcher) lexNumber(i int) int {
	end, n := i, 0
	for end < len(m.s) && isDigitByte(m.s, end) {
		if end-i < 9 {
			n = 10*n + int(m.s[end]-'0')
		}
		end++
	}
	digits := end - i
	tail := m.letters(end)
	if tail-end > 9 {
		tail = end
	}
	ending := Fold(m.s[end:tail])
	if monthName(ending) > 0 { // "23January" is two lexemes
		ending, tail = "", end
	}
	m.lx = append(m.lx, lexeme{text: ending, start: i, end: tail, num: n, digits: digits})
	return tail
}

// word returns the folded text of lexeme i, "" beyond the ends and for
// numbers.
func (m *matcher) word(i int) string {
	if i < 0 || i >= len(m.lx) || m.lx[i].num >= 0 {
		return ""
	}
	return m.lx[i].text
}

// is reports whether the lexemes from i on are the given words.
func (m *matcher) is(i int, words ...string) bool {
	for j, w := range words {
		if m.word(i+j) != w {
			return false
		}
	}
	return true
}

// number returns the value of lexeme i where it is a number with one of the
// given endings ("" for none).
func (m *matcher) number(i int, endings ...string) (int, bool) {
	if i < 0 || i >= len(m.lx) || m.lx[i].num < 0 || m.lx[i].digits > 9 {
		return 0, false
	}
	for _, e := range endings {
		if m.lx[i].text == e {
			return m.lx[i].num, true
		}
	}
	return 0, false
}

// tight reports whether lexeme i+1 follows lexeme i without a space.
func (m *matcher) tight(i int) bool {
	return i >= 0 && i+1 < len(m.lx) && m.lx[i].end == m.lx[i+1].start
}

func (m *matcher) capital(i int) bool {
	r, _ := utf8.DecodeRuneInString(m.s[m.lx[i].start:])
	return unicode.IsUpper(r)
}

// tense is what the words around an expression say of its direction.
type tense int8

const (
	unknown tense = iota
	past
	future
)

// tense looks for the nearest cue before lexeme i within its clause, then
// after it within its sentence. What was done before "I" or "we" begins the
// next clause ("I signed the lease: I'm moving on the 14th of March") says
// nothing of its time.
func (m *matcher) tense(i int) tense {
	for j := i - 1; j >= 0; j-- {
		w := m.word(j)
		if next := m.word(j + 1); sentenceMark(w) || (next == "i" || next == "we") && (w == "," || w == ":" || w == "and" || w == "but") {
			break
		}
		if t := m.cue(j); t != unknown {
			return t
		}
	}
	for j := i + 1; j < len(m.lx) && !sentenceMark(m.word(j)); j++ {
		if t := m.cue(j); t != unknown {
			return t
		}
	}
	return unknown
}

func sentenceMark(w string) bool { return w == "." || w == "!" || w == "?" || w == "\n" || w == ";" }

func (m *matcher) cue(i int) tense {
	w := m.word(i)
	switch l := listed[w]; {
	case l&futureCues != 0:
		return future
	case l&pastCues != 0:
		return past
	}
	if n := len(w); n > 4 && w[n-2:] == "ed" && w != "interested" && w != "tired" && w != "supposed" && w != "booked" {
		return past
	}
	return unknown
}
