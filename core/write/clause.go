package write

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is one token of a sentence for the extraction rules. Contractions are
// taken apart ("can't" is can, not); a mark of punctuation is a token too.
type word struct {
	fold       string // lower case, straight apostrophes
	start, end int    // bytes of the sentence
	punct      bool
	upper      bool // begins with a capital
	quoted     bool // stands between quotation marks: somebody else's words
}

// suffixes that a contraction ends in, with the word each stands for. "'s" is
// kept as it is: it may be "is" or a genitive.
var contractions = []struct{ suffix, word string }{
	{"n't", "not"}, {"'m", "am"}, {"'ve", "have"}, {"'re", "are"}, {"'ll", "will"}, {"'d", "would"}, {"'s", "'s"},
}

// words takes a sentence apart.
func words(s string) []word {
	var out []word
	quoted := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r):
			i += n
		case r == '"' || r == '“' || r == '”':
			quoted = r == '“' || r == '"' && !quoted && strings.ContainsAny(s[i+n:], `"”`)
			i += n
		case inWord(r):
			end := i + n
			for end < len(s) {
				r, n := utf8.DecodeRuneInString(s[end:])
				if !inWord(r) && !joins(s, end, r, n) {
					break
				}
				end += n
			}
			out = appendWord(out, s, i, end, quoted)
			i = end
		default:
			out = append(out, word{fold: string(r), start: i, end: i + n, punct: true})
			i += n
		}
	}
	return out
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '&' || r == '+' || r == '_' || r == '$'
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

func appendWord(out []word, s string, start, end int, quoted bool) []word {
	fold := strings.ReplaceAll(strings.ToLower(s[start:end]), "’", "'")
	first, _ := utf8.DecodeRuneInString(s[start:])
	w := word{fold: fold, start: start, end: end, upper: unicode.IsUpper(first), quoted: quoted}
	if fold == "cannot" {
		w.fold = "can"
		return append(out, w, word{fold: "not", start: end, end: end, quoted: quoted})
	}
	if !strings.Contains(fold, "'") {
		return append(out, w)
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
		w.fold, w.end = stem, cut
		return append(out, w, word{fold: c.word, start: cut, end: end, quoted: quoted})
	}
	return append(out, w)
}

// impersonal are the words after which "'s" is "is".
const impersonal list = " it that there here he she what who where how this one "

// list is a set of words, each between two spaces. It is searched in place: a
// plugin instance should not build tables when it starts.
type list string

func (l list) has(w string) bool {
	if w == "" {
		return false
	}
	s := string(l)
	for {
		i := strings.Index(s, w)
		if i < 0 {
			return false
		}
		if i > 0 && s[i-1] == ' ' && i+len(w) < len(s) && s[i+len(w)] == ' ' {
			return true
		}
		s = s[i+len(w):]
	}
}
