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
// the question: the word's own match there or, at less, that of a neighbour. It
// lists the positions that score at all.
func (ix *index) soft(q *Question, score []float64) (scored []int32) {
	clear(score)
	best, start := ix.cleared(), ix.start
	touched := ix.scratch.seen
	for i := range q.terms {
		t := &q.terms[i]
		touched = touched[:0]
		for _, m := range t.turns {
			p := m.at
			if best[p] == 0 {
				touched = append(touched, p)
			}
			best[p] = max(best[p], m.cosine)
			if next := int(p) + 1; next < len(start) && !start[next] {
				if best[next] == 0 {
					touched = append(touched, p+1)
				}
				best[next] = max(best[next], float64(softBefore*m.cosine))
			}
			if !start[p] {
				if best[p-1] == 0 {
					touched = append(touched, p-1)
				}
				best[p-1] = max(best[p-1], float64(softAfter*m.cosine))
			}
		}
		for _, p := range touched {
			if score[p] == 0 {
				scored = append(scored, p)
			}
			score[p] += float64(best[p] * t.idf)
			best[p] = 0
		}
	}
	ix.scratch.seen = touched
	return scored
}
