package write

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core/text"
)

// word is one token of a sentence for the extraction rules. Contractions are
// taken apart ("can't" is can, not); a mark of punctuation is a token too.
type word struct {
	fold       string // lower case, straight apostrophes
	start, end int    // bytes of the sentence
	punct      bool
	upper      bool // begins with a capital
	quoted     bool // stands between quotation marks: somebody else's words
	lists      list // on which fold stands
}

// suffixes that a contraction ends in, with the word each stands for. "'s" is
// kept as it is: it may be "is" or a genitive.
var contractions = []struct{ suffix, word string }{
	{"n't", "not"}, {"'m", "am"}, {"'ve", "have"}, {"'re", "are"}, {"'ll", "will"}, {"'d", "would"}, {"'s", "'s"},
}

// words takes a sentence apart.
func words(s string) []word {
	out, small := make([]word, 0, len(s)/5+4), text.Small(s)
	quoted := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == ' ' || unicode.IsSpace(r):
			i += n
		case r == '"' || r == '“' || r == '”':
			quoted = r == '“' || r == '"' && !quoted && strings.ContainsAny(s[i+n:], `"”`)
			i += n
		case inWord(r):
			end := wordEnd(s, i+n)
			out = appendWord(out, s, small, i, end, quoted)
			i = end
		default:
			mark := string(r)
			out = append(out, word{fold: mark, start: i, end: i + n, punct: true, lists: listed[mark]})
			i += n
		}
	}
	return out
}

// wordEnd is where the word ends that holds the byte before at.
func wordEnd(s string, at int) int {
	for at < len(s) {
		r, n := utf8.DecodeRuneInString(s[at:])
		if !inWord(r) && !joins(s, at, r, n) {
			break
		}
		at += n
	}
	return at
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '&' || r == '+' || r == '_' || r == '$'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// joins reports whether a mark stands inside a word: an apostrophe, a hyphen,
// a point or comma between digits.
func joins(s string, at int, r rune, n int) bool {
	if r != '\'' && r != '’' && r != '-' && r != '.' && r != ',' && r != '@' && r != '/' && r != ':' {
		return false
	}
	next, _ := utf8.DecodeRuneInString(s[at+n:])
	if r == '\'' || r == '’' || r == '-' || r == '@' {
		return unicode.IsLetter(next) || unicode.IsDigit(next)
	}
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	if r == '.' && unicode.IsLetter(before) && unicode.IsLower(next) {
		return true // a host name, a file
	}
	if r == ':' && unicode.IsUpper(before) && unicode.IsUpper(next) {
		return true // CS:GO
	}
	return unicode.IsDigit(before) && unicode.IsDigit(next)
}

// folded is a word, of ASCII letters only small ones, in lower case with
// straight apostrophes, and whether it has one.
func folded(s string) (fold string, apostrophe bool) {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			fold = strings.ReplaceAll(strings.ToLower(s), "’", "'")
			return fold, strings.IndexByte(fold, '\'') >= 0
		case c == '\'':
			apostrophe = true
		}
	}
	return s, apostrophe
}

func appendWord(out []word, s, small string, start, end int, quoted bool) []word {
	fold, apostrophe := folded(small[start:end])
	first, _ := utf8.DecodeRuneInString(s[start:])
	w := word{start: start, end: end, upper: unicode.IsUpper(first), quoted: quoted}
	if fold == "cannot" {
		return append(out, w.as("can"), word{start: end, end: end, quoted: quoted}.as("not"))
	}
	if !apostrophe {
		return append(out, w.as(fold))
	}
	for _, c := range contractions {
		stem, ok := strings.CutSuffix(fold, c.suffix)
		if !ok || stem == "" {
			continue
		}
		switch {
		case stem == "ca":
			stem = "can"
		case stem == "wo":
			stem = "will"
		case c.suffix == "'s" && impersonal.has(stem):
			c.word = "is"
		}
		// The suffix is written in the sentence with as many runes as here,
		// though perhaps with a curly apostrophe of more bytes.
		cut := end
		for range c.suffix {
			_, n := utf8.DecodeLastRuneInString(s[start:cut])
			cut -= n
		}
		w.end = cut
		return append(out, w.as(stem), word{start: cut, end: end, quoted: quoted}.as(c.word))
	}
	return append(out, w.as(fold))
}

// as is the word with the form and the lists of fold.
func (w word) as(fold string) word {
	w.fold, w.lists = fold, listed[fold]
	return w
}
