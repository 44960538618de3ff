package write

import (
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// restated is the similarity to a kept neighbour from which a turn only says
// again what was said; neighbours is how many kept turns back it is looked for.
const (
	restated   = 0.95
	neighbours = 2
)

// Filter is Key Utterance Filtering: it marks the turns that routing looks at.
// It drops greetings, acknowledgements and restatements, and turns whose role
// is no anchor. What decides is that nothing is said, not that little is said:
// a digit, a name, a predicate about the speaker, a caption or an answer to a
// question keeps a turn. Dropped turns stay in their span and can be found.
func Filter(turns []mem.Turn) []bool {
	key := make([]bool, len(turns))
	var kept []bag
	var g bagger
	for i, t := range turns {
		if !t.Role.Anchor() {
			continue
		}
		said := Said(t)
		if !captioned(t) && (strings.TrimSpace(said) == "" || hollow(said) && !answers(turns, i)) {
			continue
		}
		b := g.bag(Shown(t))
		if repeats(b, kept) {
			continue
		}
		key[i] = true
		kept = append(kept, b)
	}
	return key
}

// All marks every turn, for the ablation without filtering.
func All(turns []mem.Turn) []bool {
	key := make([]bool, len(turns))
	for i := range key {
		key[i] = true
	}
	return key
}

func captioned(t mem.Turn) bool {
	for _, p := range t.Parts {
		if p.Type == mem.PartImage && p.Caption != "" {
			return true
		}
	}
	return false
}

// hollow reports whether a text says nothing: every sentence greets,
// acknowledges, or has no word at all.
func hollow(said string) bool {
	if text.HasDigit(said) {
		return false
	}
	for _, s := range text.Sentences(said) {
		if !text.IsPhatic(s) && text.HasWord(s) {
			return false
		}
	}
	return true
}

// answers reports whether turn i follows another's question and is more than a
// greeting.
func answers(turns []mem.Turn, i int) bool {
	if i == 0 || turns[i-1].Speaker == turns[i].Speaker && turns[i-1].Role == turns[i].Role {
		return false
	}
	sentences := text.Sentences(Said(turns[i-1]))
	if len(sentences) == 0 {
		return false
	}
	last := sentences[len(sentences)-1]
	return text.IsQuestion(last) && !text.IsGreeting(last) && !text.IsGreeting(Said(turns[i]))
}

func repeats(b bag, kept []bag) bool {
	for n := 1; n <= neighbours && n <= len(kept); n++ {
		if cosine(b, kept[len(kept)-n]) >= restated {
			return true
		}
	}
	return false
}
