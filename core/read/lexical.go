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
		addWeighted(out, t.lexical)
	}
}

//go:noinline
func addWeighted(out []float64, list []weighted) {
	for _, m := range list {
		out[m.at] += float64(m.weight)
	}
}

// lexicalOf gives the positions whose windows hold a word, with its part of
// BM25. A turn stands in its own window, in that of the turn after (it comes
// before it), of the turn before, and of the one after next.
func (ix *index) lexicalOf(turns []meeting) []weighted {
	tf, start, touched := ix.cleared(), ix.start, ix.scratch.seen[:0]
	for _, m := range turns {
		if m.count == 0 {
			continue
		}
		p, count := int(m.at), float64(m.count)
		at := [4]int{p, -1, -1, -1}
		if p+1 < len(start) && !start[p+1] {
			at[1] = p + 1
			if p+2 < len(start) && !start[p+2] {
				at[3] = p + 2
			}
		}
		if !start[p] {
			at[2] = p - 1
		}
		for i, p := range at {
			if p < 0 {
				continue
			}
			if tf[p] == 0 {
				touched = append(touched, int32(p))
			}
			tf[p] += float64(lexicalWindow[i] * count)
		}
	}
	idf := ix.idf(len(touched))
	out := make([]weighted, len(touched))
	for i, p := range touched {
		out[i] = weighted{p, float32(idf * bm25.TF(tf[p], float64(ix.length[p]), ix.mean))}
		tf[p] = 0
	}
	ix.scratch.seen = touched
	return out
}

// cleared gives an array of zeros, one for each position, that must be left as
// it was found.
func (ix *index) cleared() []float64 { return sized(&ix.scratch.sum, len(ix.rows)) }
