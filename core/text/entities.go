package text

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Entity is a name or other nominal that rules found.
type Entity struct {
	Text       string // as it was written, without a possessive
	Start, End int
	Label      string
}

// Labels of entities.
const (
	LabelName     = "name"     // a capitalised sequence, or a Chinese or Japanese name by its title
	LabelTitle    = "title"    // a quoted work
	LabelAcronym  = "acronym"  // GDPR
	LabelHandle   = "handle"   // @jo, #fun
	LabelQuantity = "quantity" // 5 km, $25
	LabelEmail    = "email"
	LabelURL      = "url"
	LabelPath     = "path"
)

// Entities finds names, quoted titles, acronyms, handles, addresses and
// quantities, in order and without overlap. It works where a script marks
// names, by capitals, quotes or titles; elsewhere it finds the rest.
func Entities(s string) []Entity {
	f := finder{s: s}
	f.lexemes()
	f.addresses()
	f.titles()
	for i := 0; i < len(f.lx); {
		i += max(1, f.name(i))
	}
	f.quantities()
	if f.dense {
		f.denseNames()
	}
	return f.disjoint()
}

// finder collects the entities of one text.
type finder struct {
	s     string
	lx    []piece
	out   []Entity
	dense bool
}

// piece is a word or number of the text as it was written, with the marks
// between it and the one before.
type piece struct {
	start, end int
	upper      bool   // begins with a capital
	caps       bool   // two letters or more, all capitals
	opens      bool   // opens a sentence, a quotation or a line
	apart      bool   // more than a space stands before it
	folded     string // small letters
}

func (f *finder) lexemes() {
	opens, small := true, Small(f.s)
	f.lx = make([]piece, 0, len(f.s)/5+2)
	for i := 0; i < len(f.s); {
		r, w := utf8.DecodeRuneInString(f.s[i:])
		if !wordRune(r) {
			f.dense = f.dense || dense(r) || r == '《' || r == '「' || r == '『'
			if dense(r) {
				opens = false
			}
			switch r {
			case '.':
				opens = opens || !f.shortened(i)
			case '!', '?', '\n', '"', '“', '(', ':', '*', '-', '•', '>', '。', '！', '？', '…', '—', '[', '|':
				opens = true
			}
			i += w
			continue
		}
		p := piece{start: i, opens: opens, upper: unicode.IsUpper(r) || unicode.IsTitle(r)}
		p.end = f.wordEnd(i)
		i = p.end
		word := f.s[p.start:p.end]
		p.end -= possessive(word)
		word = f.s[p.start:p.end]
		p.caps = allCaps(word)
		if n := len(f.lx); n > 0 {
			p.apart = f.s[f.lx[n-1].end:p.start] != " "
		}
		if len(word) <= maxTerm {
			p.folded = Fold(small[p.start:p.end])
		}
		f.lx = append(f.lx, p)
		opens = false
	}
}

// shortened reports whether the point at i ends an initial or an
// abbreviation.
func (f *finder) shortened(i int) bool {
	if len(f.lx) == 0 || f.lx[len(f.lx)-1].end != i {
		return false
	}
	p := f.lx[len(f.lx)-1]
	return p.upper && p.end-p.start == 1 || abbreviation(p.folded, "")
}

// wordEnd is the end of a word with its inner apostrophes, hyphens and &.
func (f *finder) wordEnd(i int) int {
	for i < len(f.s) {
		r, w := utf8.DecodeRuneInString(f.s[i:])
		if !wordRune(r) {
			next, _ := utf8.DecodeRuneInString(f.s[min(i+w, len(f.s)):])
			if !apostrophe(r) && r != '-' && r != '&' || !unicode.IsLetter(next) || dense(next) {
				break
			}
		}
		i += w
	}
	return i
}

func allCaps(w string) bool {
	n := 0
	for _, r := range w {
		if unicode.IsLower(r) {
			return false
		}
		if unicode.IsUpper(r) {
			n++
		}
	}
	return n >= 2
}

func (f *finder) add(start, end int, label string) {
	f.out = append(f.out, Entity{Text: f.s[start:end], Start: start, End: end, Label: label})
}

// name looks for a name that begins at piece i and returns the pieces that it
// takes.
func (f *finder) name(i int) int {
	if !f.nameWord(i) {
		return 0
	}
	n := 1
	for i+n < len(f.lx) {
		switch j := i + n; {
		case f.nameWord(j) && f.follows(j):
			n++
			continue
		case link(f.lx[j].folded) && !f.lx[j].apart && f.nameWord(j+1) && !f.lx[j+1].apart:
			n += 2
			continue
		case f.lx[j].folded == "the" && !f.lx[j].apart && link(f.lx[j-1].folded) && f.nameWord(j+1):
			n += 2
			continue
		case f.lx[j].folded == "of" && !f.lx[j].apart && j+2 < len(f.lx) && f.lx[j+1].folded == "the" && f.nameWord(j+2):
			n += 3
			continue
		}
		break
	}
	first := f.lx[i]
	if first.opens && n == 1 && !f.nameAtStart(i) {
		return 0
	}
	if first.opens && n > 1 && starter(first.folded) { // "Hey Caroline"
		return 1
	}
	if first.caps && n > 1 && f.shouts(i) {
		return n
	}
	label := LabelName
	if n == 1 && first.caps {
		if f.shouts(i) || len(first.folded) > 8 {
			return 0
		}
		label = LabelAcronym
	}
	f.add(first.start, f.lx[i+n-1].end, label)
	return n
}

// nameWord reports whether piece i is capitalised and neither a function word
// nor part of the calendar.
func (f *finder) nameWord(i int) bool {
	if i >= len(f.lx) || !f.lx[i].upper || f.lx[i].folded == "" {
		return false
	}
	w := f.lx[i].folded
	if q := strings.IndexByte(w, '\''); q == 1 && w[0] == 'i' { // I'm
		return false
	}
	if w == "i" || Stop(w) && !(w == "us" && f.lx[i].caps) || monthName(w) > 0 && len(w) > 3 || weekdayName(w) >= 0 {
		return false
	}
	if f.lx[i].caps && shout(w) {
		return false
	}
	return !f.lx[i].opens || !starter(w) || f.nameWordNext(i)
}

// nameWordNext lets a sentence's first word through where a name follows it;
// name then drops it if it only opens the sentence.
func (f *finder) nameWordNext(i int) bool {
	return i+1 < len(f.lx) && f.lx[i+1].upper && !f.lx[i+1].apart && !Stop(f.lx[i+1].folded) && f.lx[i+1].folded != "i"
}

// follows reports whether piece j continues the name before it: a space, or an
// initial's point, parts them.
func (f *finder) follows(j int) bool {
	if f.lx[j-1].end+1 == f.lx[j].start {
		return f.s[f.lx[j-1].end] == ' '
	}
	before := f.lx[j-1]
	return before.end-before.start <= 3 && f.s[before.end:f.lx[j].start] == ". " &&
		(before.end-before.start == 1 || abbreviation(before.folded, ""))
}

// nameAtStart decides on a single capitalised word that opens a sentence: it
// is a name if it recurs capitalised within a sentence, is addressed, owns
// something, or acts, and is no word that often stands there.
func (f *finder) nameAtStart(i int) bool {
	p := f.lx[i]
	if starter(p.folded) || suffixed(p.folded) {
		return false
	}
	for _, q := range f.lx {
		if q.upper && !q.opens && q.folded == p.folded {
			return true
		}
	}
	rest := f.s[p.end:]
	if strings.HasPrefix(rest, "'s ") || strings.HasPrefix(rest, "’s ") || p.caps {
		return true
	}
	if i+1 < len(f.lx) && !f.lx[i+1].apart {
		switch f.lx[i+1].folded {
		case "is", "was", "has", "had", "will", "said", "says", "told", "went", "loves", "likes", "lives", "works", "and", "wants", "hates", "got", "moved", "plays", "does", "did", "thinks":
			return true
		}
	}
	return false
}

// suffixed reports an ending of English adverbs, gerunds and abstract nouns.
func suffixed(w string) bool {
	for _, e := range [...]string{"ly", "ing", "ness", "tion", "ment", "ity"} {
		if len(w) > len(e)+2 && strings.HasSuffix(w, e) {
			return true
		}
	}
	return false
}

// shouts reports whether the words around an all-capital word are so too.
func (f *finder) shouts(i int) bool {
	n := 0
	for j := max(0, i-2); j < min(len(f.lx), i+3); j++ {
		if f.lx[j].caps {
			n++
		}
	}
	return n > 2
}

func shout(w string) bool {
	switch w {
	case "ok", "lol", "omg", "wow", "yes", "no", "am", "pm", "btw", "fyi", "asap", "so", "not", "all", "very", "haha", "tv", "id", "ps", "re":
		return true
	}
	return false
}

// link reports a word that may stand within a name.
func link(w string) bool {
	switch w {
	case "of", "de", "la", "del", "van", "von", "der", "den", "du", "da", "di", "al", "el", "bin", "&":
		return true
	}
	return false
}

// disjoint orders the entities; of two that overlap the one found first wins.
func (f *finder) disjoint() []Entity {
	sort.SliceStable(f.out, func(i, j int) bool { return f.out[i].Start < f.out[j].Start })
	out := f.out[:0]
	for _, e := range f.out {
		if n := len(out); n > 0 && e.Start < out[n-1].End {
			if e.End-e.Start > out[n-1].End-out[n-1].Start {
				out[n-1] = e
			}
			continue
		}
		out = append(out, e)
	}
	return out
}
