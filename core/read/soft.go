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

// weighted is what a word is worth at a position or row.
type weighted struct {
	at     int32
	weight float32
}

// soft scores every position by Σ idf(w)·best match of w over the words w of
// the question. It lists the positions that score at all.
func (ix *index) soft(q *Question, score []float64) (scored []int32) {
	clear(score)
	for i := range q.terms {
		addWeighted(score, q.terms[i].soft)
	}
	ix.scratch.scored = above(score, 0, sized(&ix.scratch.scored, len(score)))
	return ix.scratch.scored
}

// softOf gives the positions where a word is worth anything in soft term match:
// its own match there or, at less, that of a neighbour.
func (ix *index) softOf(turns []meeting, idf float64) []weighted {
	best, start, touched := ix.cleared(), ix.start, ix.scratch.seen[:0]
	for _, m := range turns {
		p, c := m.at, m.cosine
		if best[p] == 0 {
			touched = append(touched, p)
		}
		if c > best[p] {
			best[p] = c
		}
		if next := int(p) + 1; next < len(start) && !start[next] {
			if best[next] == 0 {
				touched = append(touched, p+1)
			}
			if c := float64(softBefore * c); c > best[next] {
				best[next] = c
			}
		}
		if !start[p] {
			if best[p-1] == 0 {
				touched = append(touched, p-1)
			}
			if c := float64(softAfter * c); c > best[p-1] {
				best[p-1] = c
			}
		}
	}
	out := make([]weighted, len(touched))
	for i, p := range touched {
		out[i] = weighted{p, float32(best[p] * idf)}
		best[p] = 0
	}
	ix.scratch.seen = touched
	return out
}
