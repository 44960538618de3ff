package write

import (
	"cmp"
	"math"
	"slices"

	"github.com/leanmem/leanmem/core/text"
)

// term is a stem of an utterance with its weight.
type term struct {
	stem   string
	weight float64
}

// bag is an utterance as weighted stems in order of the stem.
type bag struct {
	terms []term
	norm  float64
}

// bagger makes the bags of texts, one after another in the same room.
type bagger struct {
	tokens []text.Token
	stems  []string
}

// bag counts the content words of a text; of one without any, all words.
func (g *bagger) bag(s string) bag {
	g.tokens = text.AppendTokens(g.tokens[:0], s)
	stems := g.stems[:0]
	for i := range g.tokens {
		if w := g.tokens[i].Text; !text.Stop(w) {
			stems = append(stems, text.Stem(w))
		}
	}
	if len(stems) == 0 {
		for i := range g.tokens {
			stems = append(stems, g.tokens[i].Text)
		}
	}
	slices.Sort(stems)
	g.stems = stems
	b := bag{terms: make([]term, 0, len(stems))}
	for i := 0; i < len(stems); {
		j := i
		for j < len(stems) && stems[j] == stems[i] {
			j++
		}
		b.terms = append(b.terms, term{stems[i], float64(j - i)})
		i = j
	}
	b.measure()
	return b
}

// content counts the content words of a text.
func (g *bagger) content(s string) int {
	g.tokens = text.AppendTokens(g.tokens[:0], s)
	n := 0
	for i := range g.tokens {
		if !text.Stop(g.tokens[i].Text) {
			n++
		}
	}
	return n
}

func (b *bag) measure() {
	sum := 0.0
	for _, t := range b.terms {
		sum += float64(t.weight * t.weight)
	}
	b.norm = math.Sqrt(sum)
}

// weigh multiplies each bag's counts by the inverse document frequency of the
// stem among the bags.
func weigh(bags []bag) {
	df := map[string]int{}
	for _, b := range bags {
		for _, t := range b.terms {
			df[t.stem]++
		}
	}
	for i := range bags {
		for j := range bags[i].terms {
			t := &bags[i].terms[j]
			t.weight *= math.Log(1 + float64(len(bags))/float64(df[t.stem]))
		}
		bags[i].measure()
	}
}

// cosine of two bags, in [0,1].
func cosine(a, b bag) float64 {
	if a.norm == 0 || b.norm == 0 {
		return 0
	}
	dot := 0.0
	for i, j := 0, 0; i < len(a.terms) && j < len(b.terms); {
		switch cmp.Compare(a.terms[i].stem, b.terms[j].stem) {
		case -1:
			i++
		case 1:
			j++
		default:
			dot += float64(a.terms[i].weight * b.terms[j].weight)
			i++
			j++
		}
	}
	return dot / float64(a.norm*b.norm)
}
