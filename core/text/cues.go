package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsGreeting reports whether s only greets, asks after the other's health, or
// takes leave: every sentence does or acknowledges, and at least one greets.
func IsGreeting(s string) bool { return phatic(s)&greets != 0 }

// IsAcknowledgement reports whether s says nothing but that it was heard, was
// liked, or is meant politely: "Wow, that's great, Ana!", "Thanks!", "👍". A
// text with one word that the rules do not know says something.
func IsAcknowledgement(s string) bool { return phatic(s)&acknowledges != 0 }

// IsPhatic reports whether s greets or acknowledges and says nothing else.
func IsPhatic(s string) bool { return phatic(s) != 0 }

// phase is what the words of a text with no content do; 0 is content.
type phase uint8

const (
	acknowledges phase = 1 << iota
	greets
)

// phatic returns what s does if it has no content. A text that greets and
// acknowledges greets.
func phatic(s string) phase {
	if len(s) > 400 || HasDigit(s) || strings.TrimSpace(s) == "" || saysSomething(s) {
		return 0
	}
	total := phase(0)
	for _, sentence := range Sentences(s) {
		p := phaticSentence(sentence)
		if p == 0 {
			return 0
		}
		total |= p
	}
	if total&greets != 0 {
		return greets
	}
	return total
}

// saysSomething finds a word of content among those that stand alone in small
// letters, of which no reading of the sentence makes anything else. Most texts
// have one near their beginning and are so spared to be taken apart.
func saysSomething(s string) bool {
	for at := 0; at < len(s); {
		end := at
		for end < len(s) && 'a' <= s[end] && s[end] <= 'z' {
			end++
		}
		next := end
		if next < len(s) && (s[next] == ',' || s[next] == '.' || s[next] == '!' || s[next] == '?') {
			next++
		}
		if end > at && (next == len(s) || s[next] == ' ') {
			if _, fits := phaticWord(s[at:end]); !fits {
				return true
			}
		}
		for next < len(s) && s[next] != ' ' {
			next++
		}
		at = next + 1
	}
	return false
}

func phaticSentence(s string) phase {
	bare := strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	if bare == "" {
		return acknowledges // marks and emoji
	}
	if r, _ := utf8.DecodeRuneInString(bare); dense(r) {
		return densePhatic(bare)
	}
	total, last, end := phase(0), "", 0
	for _, t := range Tokens(s) {
		if t.Start < end {
			continue // a part of the whole before it, which fitted
		}
		if (last == "i" || last == "we") && !politeVerb(t.Text) {
			return 0
		}
		p, fits := phaticWord(t.Text)
		if !fits {
			if !addressed(s, t, last, end) {
				return 0
			}
			p = 0
		}
		total |= p
		last, end = t.Text, t.End
	}
	if total&greets != 0 {
		return greets
	}
	return total & acknowledges
}

// politeVerb reports whether "I" may stand before w in a sentence without
// content. Other verbs make a statement of it.
func politeVerb(w string) bool { return politeVerbs.has(w) }

// addressed reports whether token t, which follows the word last that ended at
// end, is the name of the one spoken to: a capitalised word after a comma or a
// word of address, or one that opens the sentence and has a comma after it.
func addressed(s string, t Token, last string, end int) bool {
	first, _ := utf8.DecodeRuneInString(s[t.Start:])
	if !unicode.IsUpper(first) || t.End-t.Start > 24 {
		return false
	}
	if last == "" {
		return strings.HasPrefix(s[t.End:], ",")
	}
	if strings.Contains(s[end:t.Start], ",") {
		return true
	}
	return addressings.has(last)
}

// phaticWord reports whether a folded word may stand in a sentence without
// content, and what it does there.
func phaticWord(w string) (p phase, fits bool) {
	if q := strings.IndexByte(w, '\''); q > 0 {
		w = w[:q]
	}
	switch {
	case greetings.has(w):
		return greets, true
	case acknowledgements.has(w):
		return acknowledges, true
	case fillers.has(w):
		return 0, true
	}
	return laughter(w)
}

// laughter accepts haha, hehe, hmmm, awww and yesss.
func laughter(w string) (phase, bool) {
	if len(w) < 3 || len(w) > 30 {
		return 0, false
	}
	var b [30]byte
	switch string(collapse(b[:0], w)) {
	case "ha", "he", "hm", "aw", "ah", "oh", "so", "yes", "wow", "yay", "lol", "hey":
		return acknowledges, true
	}
	return 0, false
}

// collapse appends a word without repeated letters and repeated "ha" to b;
// nothing where it is not ASCII.
func collapse(b []byte, w string) []byte {
	for i := 0; i < len(w); i++ {
		n := len(b)
		if n > 0 && b[n-1] == w[i] || n >= 2 && w[i] == b[n-2] && (w[i] == 'h' || w[i] == 'a' || w[i] == 'e') {
			continue
		}
		if w[i] >= utf8.RuneSelf {
			return nil
		}
		b = append(b, w[i])
	}
	if n := len(b); n > 2 && b[n-1] == 'h' && b[0] == 'h' && b[1] == 'a' {
		b = b[:n-1]
	}
	return b
}

// densePhatic knows whole sentences of scripts without spaces; their marks at
// both ends are gone.
func densePhatic(s string) phase {
	switch l := listed[s]; {
	case l&denseGreetings != 0:
		return greets
	case l&denseAnswers != 0:
		return acknowledges
	}
	return 0
}

// HasDigit reports whether s holds a digit of any script.
func HasDigit(s string) bool {
	for _, r := range s {
		if r < utf8.RuneSelf {
			if '0' <= r && r <= '9' {
				return true
			}
		} else if unicode.IsDigit(r) {
			return true
		}
	}
	return false
}
