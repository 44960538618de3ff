package read

import "github.com/leanmem/leanmem/core/rank"

var bm25 = rank.BM25{K1: 1.5, B: 0.75}

// idf is the inverse document frequency of what so many positions hold.
func (ix *index) idf(positions int) float64 { return rank.IDF(len(ix.rows), positions) }

// lexical scores every position by BM25 over its window document: its own
// terms and, at lower weight, those of its neighbours, for an answer is often
// given in the words of the question before it.
func (ix *index) lexical(q *Question, out []float64) {
	clear(out)
	for i := range q.terms {
		t := &q.terms[i]
		if !t.first {
			continue
		}
		for _, m := range t.lexical {
			out[m.at] += m.weight
		}
	}
}

// lexicalOf gives the positions whose windows hold a word, with its part of
// BM25.
func (ix *index) lexicalOf(t *term) []weighted {
	tf, touched := ix.cleared(), ix.scratch.seen[:0]
	for _, m := range t.turns[:t.same] {
		touched = ix.spread(tf, m.at, float64(m.count), touched)
	}
	idf := ix.idf(len(touched))
	out := make([]weighted, len(touched))
	for i, p := range touched {
		out[i] = weighted{p, float64(idf * bm25.TF(tf[p], float64(ix.length[p]), ix.mean))}
		tf[p] = 0
	}
	ix.scratch.seen = touched
	return out
}

// spread adds a term's count to the windows that hold position p: its own, that
// of the turn after (p comes before it), of the turn before, and of the one
// after next.
func (ix *index) spread(tf []float64, p int32, count float64, touched []int32) []int32 {
	for i, d := range [4]int32{0, 1, -1, 2} {
		if d != 0 && !ix.near(p, d) {
			continue
		}
		at := p + d
		if tf[at] == 0 {
			touched = append(touched, at)
		}
		tf[at] += float64(lexicalWindow[i] * count)
	}
	return touched
}

// cleared gives an array of zeros, one for each position, that must be left as
// it was found.
func (ix *index) cleared() []float64 { return sized(&ix.scratch.sum, len(ix.rows)) }
