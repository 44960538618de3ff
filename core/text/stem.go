package text

import "strings"

// longestStemmed is the most bytes of a word that is stemmed.
const longestStemmed = 40

// Stem returns the Porter2 stem of a folded English word ("painted" and
// "painting" give "paint"). A word that has anything but a–z and apostrophes
// is returned unchanged.
func Stem(w string) string {
	if len(w) < 3 || len(w) > longestStemmed || stemmed(w) {
		return w
	}
	for i := 0; i < len(w); i++ {
		if c := w[i]; (c < 'a' || c > 'z') && c != '\'' {
			return w
		}
	}
	if s, ok := unruly(w); ok {
		return s
	}
	p := porter{n: len(w)}
	copy(p.b[:], w)
	p.prelude()
	p.regions()
	p.plural()
	if !p.keeps() {
		p.participle()
		p.ending()
		p.replace(doubleEndings)
		p.replace(laterEndings)
		p.remove()
		p.last()
	}
	if p.n == 0 {
		return w
	}
	for i := range p.n {
		p.b[i] |= 0x20 * (p.b[i] >> 6) // Y
	}
	if s := p.b[:p.n]; string(s) != w[:min(p.n, len(w))] {
		return string(s)
	}
	return w[:p.n]
}

// stemmed reports a word whose ending no step of Porter2 takes away.
func stemmed(w string) bool {
	if w[0] == '\'' { // it drops leading apostrophes
		return false
	}
	switch w[len(w)-1] {
	case 'a', 'b', 'f', 'h', 'j', 'k', 'o', 'p', 'q', 'u', 'v', 'w', 'x', 'z':
		return true
	case 'c':
		return !strings.HasSuffix(w, "ic")
	case 'd':
		return !strings.HasSuffix(w, "ed")
	case 'g':
		return !strings.HasSuffix(w, "ing")
	case 'l':
		return !strings.HasSuffix(w, "al") && !strings.HasSuffix(w, "ul") && !strings.HasSuffix(w, "ll")
	case 'm':
		return !strings.HasSuffix(w, "ism")
	case 'n':
		return !strings.HasSuffix(w, "ion")
	case 'r':
		return !strings.HasSuffix(w, "er") && !strings.HasSuffix(w, "or")
	case 't':
		return !strings.HasSuffix(w, "nt")
	}
	return false
}

// unruly gives the stems of the words that have one of their own.
func unruly(w string) (string, bool) {
	switch w {
	case "skis":
		return "ski", true
	case "skies":
		return "sky", true
	case "dying":
		return "die", true
	case "lying":
		return "lie", true
	case "tying":
		return "tie", true
	case "idly":
		return "idl", true
	case "gently":
		return "gentl", true
	case "ugly":
		return "ugli", true
	case "early":
		return "earli", true
	case "only":
		return "onli", true
	case "singly":
		return "singl", true
	case "sky", "news", "howe", "atlas", "cosmos", "bias", "andes":
		return w, true
	}
	return "", false
}

// porter is a word at work: b[:n], with Y for a y that is a consonant. R1 and R2
// of the published algorithm begin at r1 and r2.
type porter struct {
	b      [longestStemmed + 2]byte
	n      int
	r1, r2 int
}

func vowel(c byte) bool {
	return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y'
}

func (p *porter) ends(suffix string) bool {
	return p.n >= len(suffix) && p.b[p.n-1] == suffix[len(suffix)-1] && string(p.b[p.n-len(suffix):p.n]) == suffix
}

func (p *porter) add(s string) { p.n += copy(p.b[p.n:], s) }

// vowelBefore reports a vowel among the first n letters.
func (p *porter) vowelBefore(n int) bool {
	for i := range n {
		if vowel(p.b[i]) {
			return true
		}
	}
	return false
}

// shortAt reports a short syllable that ends before letter n.
func (p *porter) shortAt(n int) bool {
	switch {
	case n >= 3:
		last := p.b[n-1]
		return !vowel(p.b[n-3]) && vowel(p.b[n-2]) && !vowel(last) && last != 'w' && last != 'x' && last != 'Y'
	case n == 2:
		return vowel(p.b[0]) && !vowel(p.b[1])
	}
	return false
}

func (p *porter) prelude() {
	if p.b[0] == '\'' {
		p.n--
		copy(p.b[:], p.b[1:p.n+1])
	}
	if p.n > 0 && p.b[0] == 'y' {
		p.b[0] = 'Y'
	}
	for i := 1; i < p.n; i++ {
		if p.b[i] == 'y' && vowel(p.b[i-1]) {
			p.b[i] = 'Y'
		}
	}
}

func (p *porter) regions() {
	p.r1 = 0
	for _, opening := range []string{"arsen", "commun", "gener"} {
		if p.n >= len(opening) && string(p.b[:len(opening)]) == opening {
			p.r1 = len(opening)
		}
	}
	if p.r1 == 0 {
		p.r1 = p.region(0)
	}
	p.r2 = p.region(p.r1)
}

// region begins behind the first consonant that follows a vowel from i on.
func (p *porter) region(i int) int {
	for i < p.n && !vowel(p.b[i]) {
		i++
	}
	for i < p.n && vowel(p.b[i]) {
		i++
	}
	return min(i+1, p.n)
}

// plural is step 1a, with the apostrophes before it.
func (p *porter) plural() {
	for _, suffix := range []string{"'s'", "'s", "'"} {
		if p.ends(suffix) {
			p.n -= len(suffix)
			break
		}
	}
	switch {
	case p.ends("sses"):
		p.n -= 2
	case p.ends("ied"), p.ends("ies"):
		if p.n -= 2; p.n < 3 {
			p.add("e")
		}
	case p.ends("us"), p.ends("ss"):
	case p.ends("s") && p.vowelBefore(p.n-2):
		p.n--
	}
}

// keeps reports the words that no later step changes.
func (p *porter) keeps() bool {
	switch string(p.b[:p.n]) {
	case "succeed", "proceed", "exceed", "canning", "inning", "earring", "herring", "outing":
		return true
	}
	return false
}

// participle is step 1b.
func (p *porter) participle() {
	stem := -1
	for _, suffix := range []string{"eedly", "eed", "ingly", "edly", "ing", "ed"} {
		if !p.ends(suffix) {
			continue
		}
		if stem = p.n - len(suffix); suffix[1] == 'e' {
			if stem >= p.r1 {
				p.n = stem + 2
			}
			return
		}
		break
	}
	if stem < 0 || !p.vowelBefore(stem) {
		return
	}
	p.n = stem
	switch {
	case p.ends("at"), p.ends("bl"), p.ends("iz"):
		p.add("e")
	case stem > 1 && p.b[stem-1] == p.b[stem-2] && strings.IndexByte("bdfgmnprt", p.b[stem-1]) >= 0:
		p.n--
	case stem == p.r1 && p.shortAt(stem):
		p.add("e")
	}
}

// ending is step 1c.
func (p *porter) ending() {
	if p.n > 2 && p.b[p.n-1]|0x20 == 'y' && !vowel(p.b[p.n-2]) {
		p.b[p.n-1] = 'i'
	}
}

// Endings and what takes their place, a longer one before those it ends in.
var (
	doubleEndings = [][2]string{
		{"ational", "ate"}, {"tional", "tion"}, {"ization", "ize"}, {"ation", "ate"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"},
		{"abli", "able"}, {"bli", "ble"}, {"alli", "al"}, {"fulli", "ful"}, {"lessli", "less"}, {"ousli", "ous"}, {"entli", "ent"}, {"li", ""},
		{"aliti", "al"}, {"biliti", "ble"}, {"iviti", "ive"}, {"anci", "ance"}, {"enci", "ence"}, {"ogi", "og"}, {"alism", "al"}, {"izer", "ize"},
		{"ator", "ate"},
	}
	laterEndings = [][2]string{
		{"ational", "ate"}, {"tional", "tion"}, {"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
)

// replace is steps 2 and 3: the longest of the endings gives way where it
// stands in R1; of three, something more is asked.
func (p *porter) replace(endings [][2]string) {
	for _, e := range endings {
		if !p.ends(e[0]) {
			continue
		}
		stem := p.n - len(e[0])
		before := byte(0)
		if stem > 0 {
			before = p.b[stem-1]
		}
		switch {
		case stem < p.r1,
			e[0] == "li" && strings.IndexByte("cdeghkmnrt", before) < 0,
			e[0] == "ogi" && before != 'l',
			e[0] == "ative" && stem < p.r2:
		default:
			p.n = stem
			p.add(e[1])
		}
		return
	}
}

// remove is step 4: an ending in R2 goes.
func (p *porter) remove() {
	for _, suffix := range []string{"ement", "ment", "ent", "ant", "ance", "ence", "able", "ible", "ate", "ive", "ize", "iti", "ic", "al", "ism", "ion", "er", "ous"} {
		if !p.ends(suffix) {
			continue
		}
		stem := p.n - len(suffix)
		if stem >= p.r2 && (suffix != "ion" || stem > 0 && (p.b[stem-1] == 's' || p.b[stem-1] == 't')) {
			p.n = stem
		}
		return
	}
}

// last is step 5.
func (p *porter) last() {
	if p.n == 0 {
		return
	}
	stem := p.n - 1
	switch p.b[stem] {
	case 'e':
		if stem >= p.r2 || stem >= p.r1 && !p.shortAt(stem) {
			p.n = stem
		}
	case 'l':
		if stem >= p.r2 && stem > 0 && p.b[stem-1] == 'l' {
			p.n = stem
		}
	}
}
