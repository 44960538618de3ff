package write

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/rank"
	"github.com/leanmem/leanmem/core/text"
)

// The measures of a record made by rules.
const (
	gistSentences = 3
	gistWords     = 48
	gistTokens    = 120
	keywords      = 8
	mostKeywords  = 12
)

type sentence struct {
	turn  int
	text  string
	bag   bag
	words int
	score float64
}

// Gist is an extractive retrieval gist g of eq. 5: the sentences that share
// most with the rest of the span, in their order, under their speakers' names.
// It costs no tokens and holds the dialogue's own words.
func Gist(turns []mem.Turn) string {
	all := sentencesOf(turns)
	if len(all) == 0 {
		return ""
	}
	score(all)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	mem.Sort(order, func(a, b *int) int { return cmp.Compare(all[*b].score, all[*a].score) })
	var picked []int
	n := 0
	for _, i := range order {
		if len(picked) == gistSentences || len(picked) > 0 && n+all[i].words > gistWords {
			break
		}
		picked = append(picked, i)
		n += all[i].words
	}
	mem.Sort(picked, func(a, b *int) int { return *a - *b })
	return joinGist(turns, all, picked)
}

func joinGist(turns []mem.Turn, all []sentence, picked []int) string {
	var b strings.Builder
	last := ""
	for _, i := range picked {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if who := Speaker(turns[all[i].turn]); who != last {
			b.WriteString(who + ": ")
			last = who
		}
		b.WriteString(all[i].text)
	}
	return text.Cut(b.String(), gistTokens)
}

// sentencesOf lists what the anchors say, and what others say only where no
// anchor says anything.
func sentencesOf(turns []mem.Turn) []sentence {
	var anchors, others []sentence
	var g bagger
	for i, t := range turns {
		for _, s := range text.Sentences(Shown(t)) {
			s, words := spaced(s)
			if s == "" || text.IsPhatic(s) {
				continue
			}
			x := sentence{turn: i, text: s, bag: g.bag(s), words: words}
			if t.Role.Anchor() {
				anchors = append(anchors, x)
			} else {
				others = append(others, x)
			}
		}
	}
	if len(anchors) == 0 {
		return others
	}
	return anchors
}

// spaced is a text with single spaces between its words, and how many those
// are.
func spaced(s string) (string, int) {
	s = strings.TrimSpace(s)
	words := 1
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ' && s[i-1] != ' ':
			words++
		case c >= utf8.RuneSelf || c <= ' ':
			fields := strings.Fields(s)
			return strings.Join(fields, " "), len(fields)
		}
	}
	return s, words
}

// score rates each sentence by the frequency of its words in the span, per
// root of its length, so that neither a word nor a speech wins; a question or a
// compliment says less than a statement.
func score(all []sentence) {
	frequency := map[string]float64{}
	for _, s := range all {
		for _, t := range s.bag.terms {
			frequency[t.stem]++
		}
	}
	for i := range all {
		s := &all[i]
		sum := 0.0
		for _, t := range s.bag.terms {
			sum += frequency[t.stem]
		}
		s.score = sum / float64(2+len(s.bag.terms))
		s.score += float64(0.05 * float64(min(len(s.bag.terms), 12)))
		if text.HasDigit(s.text) {
			s.score += 0.2
		}
		if text.IsQuestion(s.text) || cheers(s.text, words(s.text)) {
			s.score *= 0.5
		}
		s.score = rank.Round(s.score)
	}
}

// taggedTokens is the most text of a span that entities are looked for in.
const taggedTokens = 4000

// Keywords is κ of eq. 5 by rules: the telling terms of the span and the names
// in it.
func Keywords(turns []mem.Turn) []string {
	all := Tagged(turns)
	entities := text.Entities(all)
	var names []string
	for _, e := range entities {
		if e.Label != "quantity" {
			names = append(names, e.Text)
		}
	}
	return withNames(text.KeywordsAmong(all, entities, keywords), names)
}

// KeywordsWith is κ with the names that a tagger found.
func KeywordsWith(turns []mem.Turn, names []string) []string {
	return withNames(text.Keywords(Tagged(turns), keywords), names)
}

func withNames(out, names []string) []string {
	for _, n := range names {
		if len(out) == mostKeywords {
			break
		}
		if n != "" && !slices.ContainsFunc(out, func(k string) bool { return strings.EqualFold(k, n) }) {
			out = append(out, n)
		}
	}
	return out
}

// Tagged is the text of a span in which entities are looked for.
func Tagged(turns []mem.Turn) string {
	var b strings.Builder
	for _, t := range turns {
		b.WriteString(Shown(t))
		b.WriteByte('\n')
	}
	return text.Cut(b.String(), taggedTokens)
}
