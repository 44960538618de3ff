package bench

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// stopWords carry no content of their own. The list is the scorer's, not the
// core's.
var stopWords = set(`a about above after again all also am an and any are as at be because been before being below
between both but by can could did do does doing down during each few for from further had has have having he her here
hers herself him himself his how i if in into is it its itself just like me more most my myself no nor not now of off
on once only or other our ours out over own same she should so some such than that the their theirs them then there
these they this those through to too under until up us very was we were what when where which while who whom why will
with would you your yours yourself oh hey hi yeah yes ok okay well really got get im ive id ill youre youve its thats
dont didnt doesnt isnt wasnt cant wont lets`)

func set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// fold brings text to the form in which words are compared: compatibility
// forms joined, lower case, typographic quotes plain.
func fold(s string) string {
	return strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`).Replace(strings.ToLower(norm.NFKC.String(s)))
}

// words splits folded text into words: runs of letters and digits, each
// character of a script that writes no spaces by itself. Apostrophes vanish
// ("don't" is dont, "Ana's" is ana), numbers keep their point and lose their
// grouping commas ("1,400.50" is 1400.50).
func words(s string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if w := strings.TrimRight(b.String(), "."); w != "" {
			out = append(out, strings.TrimSuffix(w, "'s"))
		}
		b.Reset()
	}
	runes := []rune(fold(s))
	for i, r := range runes {
		switch {
		case unspaced(r):
			flush()
			out = append(out, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			b.WriteRune(r)
		case r == '\'' && b.Len() > 0 && i+1 < len(runes) && unicode.IsLetter(runes[i+1]):
			if runes[i+1] == 's' && (i+2 == len(runes) || !unicode.IsLetter(runes[i+2])) {
				b.WriteRune(r)
			}
		case (r == '.' || r == ',') && i > 0 && i+1 < len(runes) && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1]):
			if r == '.' {
				b.WriteRune(r)
			}
		default:
			flush()
		}
	}
	flush()
	return out
}

func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// content gives the words of s that are no stop words; all of them where there
// is nothing else.
func content(s string) []string {
	all := words(s)
	var out []string
	for _, w := range all {
		if !stopWords[w] {
			out = append(out, w)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// plain joins text to single spaces, for comparing verbatim passages that may
// have been wrapped.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }

// sentences splits a turn where its sentences and lines end.
func sentences(s string) []string {
	var out []string
	start := 0
	runes := []rune(s)
	emit := func(end int) {
		if t := strings.TrimSpace(string(runes[start:end])); t != "" {
			out = append(out, t)
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case r == '\n', strings.ContainsRune("。！？", r):
			emit(i + 1)
		case strings.ContainsRune(".!?…", r) && i+1 < len(runes) && unicode.IsSpace(runes[i+1]):
			emit(i + 1)
		}
	}
	emit(len(runes))
	return out
}
