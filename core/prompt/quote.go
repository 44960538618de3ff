package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Evidence stands between these two lines wherever a model reads it. A stored
// text can hold neither (Quote), and a turn that brings a block back is
// stripped of it before it is stored (StripEvidence).
const (
	EvidenceOpen  = "[leanmem evidence]"
	EvidenceClose = "[/leanmem evidence]"
)

// fold joins the lines of a quoted text.
const fold = " / "

// Quote writes a text of a dialogue as one line of data. Line breaks are
// folded, a leading '#' is escaped, the evidence delimiters and the control
// tokens of chat templates are broken, and invisible controls are left out. A
// plain line comes back as it is.
func Quote(s string) string {
	if plain(s) {
		return s
	}
	return quote(s, nil)
}

// Block writes a text of a dialogue as data that keeps its lines, for code,
// lists and tables: each but the first begins with a tab, so that none can pose
// as a line of the evidence itself, and what would look like one (poses) is
// folded onto the line before. Indentation stays, and of empty lines one.
// Otherwise it does what Quote does.
func Block(s string, poses func(line string) bool) string {
	if plain(s) {
		return s
	}
	return quote(s, poses)
}

// visibleLines gives every line break one form, too.
func visibleLines(r rune) rune {
	if lineBreak(r) {
		return '\n'
	}
	return visible(r)
}

// quote folds a text, all lines where poses is nil.
func quote(s string, poses func(line string) bool) string {
	var b strings.Builder
	gap := ""
	for _, whole := range strings.Split(strings.Map(visibleLines, strings.ReplaceAll(s, "\r\n", "\n")), "\n") {
		line := strings.TrimSpace(whole)
		if line == "" {
			gap = "\n"
			continue
		}
		switch first := b.Len() == 0; {
		case !first && poses != nil && !poses(line):
			b.WriteString(gap + "\n\t" + whole[:strings.Index(whole, line)])
		case !first:
			b.WriteString(fold)
			fallthrough
		default:
			if line[0] == '#' {
				b.WriteByte('\\')
			}
		}
		quoteLine(&b, line)
		gap = ""
	}
	return b.String()
}

// plain reports that Quote has nothing to do, which holds for most turns.
func plain(s string) bool {
	if strings.HasPrefix(s, "#") || len(strings.TrimSpace(s)) != len(s) || !utf8.ValidString(s) {
		return false
	}
	for i, r := range s {
		if r < 0x20 && r != '\t' || r == '[' && delimiterAt(s[i:]) > 0 || r == '<' && strings.HasPrefix(s[i:], "<|") || r >= 0x7f && hidden(r) {
			return false
		}
	}
	return true
}

func quoteLine(b *strings.Builder, line string) {
	for i, r := range line {
		switch {
		case r == '[' && delimiterAt(line[i:]) > 0:
			b.WriteByte('(')
		case r == '<' && strings.HasPrefix(line[i:], "<|"):
			b.WriteString("< ")
		default:
			b.WriteRune(r)
		}
	}
}

func lineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// hidden reports runes that a reader does not see but a model reads: controls,
// and marks that change the direction of what follows.
func hidden(r rune) bool {
	if r == '\t' {
		return false
	}
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 ||
		r == 0x2028 || r == 0x2029 || r >= 0xe0000 && r <= 0xe007f
}

// visible drops hidden runes in strings.Map; a broken byte becomes U+FFFD.
func visible(r rune) rune {
	if hidden(r) {
		return -1
	}
	return r
}

// delimiterAt gives the length of an evidence delimiter at the start of s, in
// any case of letters; 0 when there is none.
func delimiterAt(s string) int {
	for _, d := range []string{EvidenceOpen, EvidenceClose} {
		if len(s) >= len(d) && strings.EqualFold(s[:len(d)], d) {
			return len(d)
		}
	}
	return 0
}

// Evidence encloses composed evidence in its delimiters.
func Evidence(body string) string {
	return EvidenceOpen + "\n" + strings.TrimRight(body, "\n") + "\n" + EvidenceClose
}

// StripEvidence removes every evidence block from a text, so that what memory
// said is not remembered again. A block that was never closed runs to the end.
// It reports whether there was one.
func StripEvidence(s string) (string, bool) {
	var b strings.Builder
	found := false
	for {
		start := indexFold(s, EvidenceOpen)
		if start < 0 {
			break
		}
		found = true
		b.WriteString(s[:start])
		s = s[start+len(EvidenceOpen):]
		end := indexFold(s, EvidenceClose)
		if end < 0 && !strings.HasPrefix(s, "\n") {
			continue // no block of ours, which begins a line: the words go, not what follows
		}
		if end < 0 {
			s = ""
			break
		}
		s = s[end+len(EvidenceClose):]
	}
	if !found {
		return s, false
	}
	b.WriteString(s)
	return strings.TrimSpace(b.String()), true
}

// indexFold finds a delimiter in any case of letters.
func indexFold(s, delimiter string) int {
	for i := 0; ; {
		j := strings.IndexByte(s[i:], delimiter[0])
		if j < 0 || len(s)-i-j < len(delimiter) {
			return -1
		}
		i += j
		if strings.EqualFold(s[i:i+len(delimiter)], delimiter) {
			return i
		}
		i++
	}
}
