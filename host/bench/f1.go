package bench

import (
	"strings"
	"unicode"

	"github.com/leanmem/leanmem/core/text"
)

// LoCoMoF1 is the measure of the LoCoMo evaluation: words in lower case without
// punctuation and the words "a", "an", "the", "and", reduced to stems, compared
// as bags. Of a multi-hop answer each part between commas takes the best part
// of the prediction; of an open-domain one only what stands before a semicolon
// counts.
func LoCoMoF1(predicted, gold, category string) float64 {
	switch category {
	case "multi-hop":
		var sum float64
		golds := strings.Split(gold, ",")
		for _, g := range golds {
			best := 0.0
			for _, p := range strings.Split(predicted, ",") {
				best = max(best, bagF1(p, g))
			}
			sum += best
		}
		return sum / float64(len(golds))
	case "open-domain":
		gold, _, _ = strings.Cut(gold, ";")
	}
	return bagF1(predicted, gold)
}

func bagF1(predicted, gold string) float64 {
	p, g := f1Words(predicted), f1Words(gold)
	left := map[string]int{}
	for _, w := range g {
		left[w]++
	}
	common := 0
	for _, w := range p {
		if left[w] > 0 {
			left[w]--
			common++
		}
	}
	return harmonic(common, len(p), len(g))
}

// SetF1 compares the sets of words, so that repeating one wins nothing.
func SetF1(predicted, gold string) float64 {
	p, g := map[string]bool{}, map[string]bool{}
	for _, w := range f1Words(predicted) {
		p[w] = true
	}
	for _, w := range f1Words(gold) {
		g[w] = true
	}
	common := 0
	for w := range p { // a count: order does not matter
		if g[w] {
			common++
		}
	}
	return harmonic(common, len(p), len(g))
}

func harmonic(common, predicted, gold int) float64 {
	if common == 0 {
		return 0
	}
	precision, recall := float64(common)/float64(predicted), float64(common)/float64(gold)
	return 2 * precision * recall / (precision + recall)
}

// f1Words are the words as LoCoMo's evaluation normalises them; a script
// without spaces gives one a character.
func f1Words(s string) []string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case unspaced(r):
			b.WriteString(" " + string(r) + " ")
		case unicode.IsPunct(r) || unicode.IsSymbol(r):
		default:
			b.WriteRune(r)
		}
	}
	var out []string
	for _, w := range strings.Fields(b.String()) {
		switch w {
		case "a", "an", "the", "and":
			continue
		}
		out = append(out, text.Stem(w))
	}
	return out
}
