package read

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
// the question.
func (ix *index) soft(q *Question) []float64 {
	score := make([]float64, len(ix.rows))
	best := ix.cleared()
	for i := range q.terms {
		t := &q.terms[i]
		touched := ix.scratch.seen[:0]
		for _, m := range t.met {
			if p := ix.pos[m.row]; p >= 0 {
				best[p] = m.cosine
				touched = append(touched, p)
			}
		}
		for _, p := range ix.around(touched) {
			score[p] += float64(ix.gain(best, p) * t.idf)
		}
		for _, p := range touched {
			best[p] = 0
		}
		ix.scratch.seen = touched
	}
	return score
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
