package text

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Keywords returns up to n terms that say most about s, folded, best first:
// names and titles as they stand, and words by how often they occur, how long
// they are and how early they come. Function words and words that any dialogue
// has are left out.
func Keywords(s string, n int) []string { return KeywordsAmong(s, Entities(s), n) }

// KeywordsAmong is Keywords where the entities of s are known.
func KeywordsAmong(s string, entities []Entity, n int) []string {
	if n <= 0 {
		return nil
	}
	var terms []term
	index := make(map[string]int) // of terms; read by key only
	covered := func(int) bool { return false }
	if len(entities) > 0 {
		covered = coverage(entities)
		for _, e := range entities {
			if e.Label != LabelQuantity {
				terms = count(terms, index, Fold(e.Text), 6)
			}
		}
	}
	last := -1
	for _, t := range Tokens(s) {
		if t.Start >= last && !covered(t.Start) && telling(t.Text) {
			terms = count(terms, index, t.Text, weight(t.Text))
			last = t.Start
		}
	}
	sort.SliceStable(terms, func(i, j int) bool { return terms[i].score > terms[j].score })
	out := make([]string, 0, n)
	for _, t := range terms {
		if len(out) == n {
			break
		}
		out = append(out, t.text)
	}
	return out
}

// term is a candidate with its score: integers, so that every engine agrees.
type term struct {
	text  string
	score int
}

// count adds an occurrence. The first counts whole, further ones half, and a
// term of the first hundred a little more than later ones.
func count(terms []term, index map[string]int, w string, weight int) []term {
	if i, ok := index[w]; ok {
		terms[i].score += weight * 5
		return terms
	}
	index[w] = len(terms)
	return append(terms, term{w, weight*10 + max(0, 10-len(terms)/10)})
}

// coverage reports whether an offset lies within one of the entities.
func coverage(entities []Entity) func(int) bool {
	return func(at int) bool {
		i := sort.Search(len(entities), func(i int) bool { return entities[i].End > at })
		return i < len(entities) && entities[i].Start <= at
	}
}

func weight(w string) int {
	r, size := utf8.DecodeRuneInString(w)
	switch n := utf8.RuneCountInString(w); {
	case dense(r):
		if size == len(w) {
			return 1
		}
		return 3
	case n >= 9:
		return 4
	case n >= 6:
		return 3
	case n >= 4:
		return 2
	}
	return 1
}

// telling reports whether a word may be a keyword.
func telling(w string) bool {
	if Stop(w) || lightWords.has(w) {
		return false
	}
	r, size := utf8.DecodeRuneInString(w)
	if dense(r) {
		for _, r := range w {
			if denseFunction(r) || 0x3041 <= r && r < 0x3097 {
				return false
			}
		}
		return size < len(w)
	}
	return len(w) > 2 || r >= '0' && r <= '9'
}

// starter reports a word that often opens an English sentence with a capital
// without being a name; function words aside.
func starter(w string) bool {
	if q := strings.IndexAny(w, "'-"); q > 0 {
		w = w[:q]
	}
	if Stop(w) || (lightWords | greetings | acknowledgements | fillers | starters).has(w) {
		return true
	}
	_, laughs := laughter(w)
	return laughs
}
