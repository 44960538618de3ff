package read

import (
	"github.com/leanmem/leanmem/core/embed"
	"github.com/leanmem/leanmem/core/rank"
	"github.com/leanmem/leanmem/core/text"
)

// Soft term match: a word of the question meets the best word of a turn.
const (
	softThreshold = 0.45 // cosines below count as no match
	softBefore    = 0.4  // a match in the turn before counts so much
	softAfter     = 0.3  // in the turn after

	// signsApart is how many signs of two word vectors, in a hundred, may differ
	// before their cosine is not worth computing: one word in eight passes, and
	// 97 of 100 matches do.
	signsApart = 42
)

// soft scores every position by Σ idf(w)·best match of w over the words w of
// the question. coverage is the same as a share of Σ idf: how much of the
// question the turn and its neighbours speak of.
func (ix *index) soft(q *Question) (score, coverage []float64) {
	score, coverage = make([]float64, len(ix.rows)), make([]float64, len(ix.rows))
	best := ix.cleared()
	total := 0.0
	for i, idf := range q.idf {
		total += idf
		touched := ix.matches(q.likes[i], best)
		for _, p := range ix.around(touched) {
			score[p] += float64(ix.gain(best, p) * idf)
		}
		for _, p := range touched {
			best[p] = 0
		}
		ix.scratch.seen = touched
	}
	if total > 0 {
		for p := range coverage {
			coverage[p] = score[p] / total
		}
	}
	return score, coverage
}

// around lists the positions with a match and their neighbours, each once.
func (ix *index) around(touched []int32) []int32 {
	if len(ix.scratch.mark) < len(ix.rows) {
		ix.scratch.mark = make([]bool, len(ix.rows))
	}
	mark, out := ix.scratch.mark, ix.scratch.near[:0]
	for _, p := range touched {
		for d := int32(-1); d <= 1; d++ {
			if at := p + d; (d == 0 || ix.near(p, d)) && !mark[at] {
				mark[at] = true
				out = append(out, at)
			}
		}
	}
	for _, p := range out {
		mark[p] = false
	}
	ix.scratch.near = out
	return out
}

// gain is what the match of a word is worth at p: its own, or a neighbour's at
// less.
func (ix *index) gain(best []float64, p int32) float64 {
	most := best[p]
	if ix.near(p, -1) {
		most = max(most, float64(softBefore*best[p-1]))
	}
	if ix.near(p, 1) {
		most = max(most, float64(softAfter*best[p+1]))
	}
	return most
}

// matches fills best with the match of a word of the question at each position
// that has one and lists those positions.
func (ix *index) matches(likes []like, best []float64) []int32 {
	touched := ix.scratch.seen[:0]
	for _, l := range likes {
		ix.s.Postings(ix.words[l.word].word, func(row, _ int) {
			p := ix.pos[row]
			if p < 0 {
				return
			}
			if best[p] == 0 {
				touched = append(touched, p)
			}
			best[p] = max(best[p], l.cosine)
		})
	}
	return touched
}

// like is a word of the bank's vocabulary that a word of the question meets.
type like struct {
	word   int32
	cosine float64 // 1 for the same stem
}

// likesOf finds the words of the bank that are like w: those of the same stem,
// and those whose vectors are near.
func (ix *index) likesOf(w string) []like {
	var out []like
	stem := text.Stem(w)
	v, known := embed.Word(w)
	signs := rank.Signature(v)
	for i := range ix.words {
		x := &ix.words[i]
		switch {
		case x.stem == stem:
			out = append(out, like{word: int32(i), cosine: 1})
		case known && x.vector != nil && rank.Hamming(signs, x.signs)*100 <= signsApart*len(v):
			if c := embed.Cosine(v, x.vector); c >= softThreshold {
				out = append(out, like{word: int32(i), cosine: c})
			}
		}
	}
	return out
}

// fillWords gathers the distinct words of the bank with their stems and
// vectors; known words are taken from the index before.
func (ix *index) fillWords(before *index) {
	var old []vocabulary
	if before != nil {
		old = before.words
	}
	ix.s.Vocabulary(func(word string, _ int) {
		for len(old) > 0 && old[0].word < word {
			old = old[1:]
		}
		if len(old) > 0 && old[0].word == word {
			ix.words = append(ix.words, old[0])
			return
		}
		x := vocabulary{word: word, stem: text.Stem(word)}
		if v, ok := embed.Word(word); ok {
			x.vector, x.signs = v, rank.Signature(v)
		}
		ix.words = append(ix.words, x)
	})
}
