package read

import (
	"cmp"
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/text"
)

// trimKeep is the share of a passage's content words that stays when filler
// sentences are left out.
const trimKeep = 0.82

// trim leaves out the sentences of a passage that say least, fewest content
// words first, the longest of equals first, while at least trimKeep of its
// content words and of its words other than the commonest remain. Two measures,
// because what counts as a content word differs from reader to reader. What
// stays is verbatim.
func trim(s string) string {
	spans := text.SentenceSpans(s)
	if len(spans) < 2 {
		return strings.TrimSpace(s)
	}
	sentences := make([]sentence, len(spans))
	var total weights
	for i, sp := range spans {
		said := strings.TrimSpace(s[sp[0]:sp[1]])
		end := sp[0] + strings.Index(s[sp[0]:], said) + len(said)
		sentences[i] = sentence{text: said, at: i, joined: end < len(s) && strings.HasPrefix(s[end:], strings.TrimSpace(s[end:]))}
		sentences[i].weights = weigh(sentences[i].text)
		total.add(sentences[i].weights, 1)
	}
	if total.content > 0 && total.uncommon > 0 {
		sentences = drop(sentences, total)
	}
	var b strings.Builder
	for i, x := range sentences {
		b.WriteString(x.text)
		if x.text != "" && !x.joined && i+1 < len(sentences) {
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

type sentence struct {
	text   string
	at     int
	joined bool // the next one follows without a blank, as in Chinese
	weights
}

// weights counts words: those that are no stop words, and those that are not
// among the very commonest.
type weights struct{ content, uncommon int }

func (w *weights) add(x weights, sign int) {
	w.content += sign * x.content
	w.uncommon += sign * x.uncommon
}

func (w weights) keeps(of weights) bool {
	return float64(w.content) >= trimKeep*float64(of.content) && float64(w.uncommon) >= trimKeep*float64(of.uncommon)
}

func weigh(s string) weights {
	var w weights
	for _, t := range text.Words(s) {
		if !text.Stop(t) {
			w.content++
		}
		if !common(t) {
			w.uncommon++
		}
	}
	return w
}

func drop(sentences []sentence, total weights) []sentence {
	order := slices.Clone(sentences)
	slices.SortFunc(order, func(a, b sentence) int {
		return cmp.Or(cmp.Compare(a.content, b.content), cmp.Compare(len(b.text), len(a.text)), cmp.Compare(a.at, b.at))
	})
	gone := make([]bool, len(sentences))
	left, count := total, len(sentences)
	for _, x := range order {
		if count == 1 {
			break
		}
		rest := left
		rest.add(x.weights, -1)
		if rest.keeps(total) {
			gone[x.at], left = true, rest
			count--
		}
	}
	return slices.DeleteFunc(sentences, func(x sentence) bool { return gone[x.at] })
}

// common reports the words that every list of stop words has.
func common(w string) bool {
	switch w {
	case "a", "an", "the", "and", "or", "but", "of", "to", "in", "on", "at", "by", "for", "from", "with", "is", "are",
		"was", "were", "be", "been", "i", "you", "he", "she", "it", "we", "they", "me", "my", "your", "his", "her",
		"its", "our", "their", "this", "that":
		return true
	}
	return false
}
