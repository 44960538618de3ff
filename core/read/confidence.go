package read

import (
	"cmp"
	"math"
	"slices"
)

// SufficientFrom is the confidence from which evidence counts as holding the
// answer. On dialogues between two people it abstains falsely for about one
// answerable question in eight.
const SufficientFrom = 0.25

const (
	bestCovers = 3 // coverages that are averaged
	topCovers  = 8 // positions whose speakers are counted
)

// Confidence estimates, in [0,1], how likely the answer to a question is in
// what was ranked. With one speaker named it asks whether what that speaker
// said covers the question better than what the others said (a question about
// the wrong person is covered by the others), who the best covers belong to,
// and how many of the very words stand in one turn. Otherwise it is how well
// the best turns cover it.
func (r *Ranking) Confidence(q *Question) float64 {
	if len(r.ix.rows) == 0 || len(q.words) == 0 {
		return 0
	}
	verbatim := r.ix.verbatim(q)
	if len(q.named) != 1 {
		z := float64(0.5*slices.Max(verbatim)) + float64(0.5*math.Min(1, slices.Max(r.coverage)))
		return unit((z - 0.05) / 0.9)
	}
	var own, others []float64
	mostOwn := 0.0
	for p, c := range r.coverage {
		if r.ix.speaker[p] == q.named[0] {
			own = append(own, c)
			mostOwn = max(mostOwn, verbatim[p])
		} else {
			others = append(others, c)
		}
	}
	z := meanOfBest(own) - meanOfBest(others) + float64(0.75*r.shareOf(q.named[0])) + float64(0.3*mostOwn)
	return unit((z - 0.2) / 0.9)
}

// verbatim gives, for each position, the share of the question's words (by idf)
// whose stems stand in it.
func (ix *index) verbatim(q *Question) []float64 {
	out := make([]float64, len(ix.rows))
	total := 0.0
	for _, f := range q.idf {
		total += f
	}
	if total == 0 {
		return out
	}
	for i, stem := range q.wordStems {
		ix.s.StemPostings(stem, func(row, _ int) {
			if p := ix.pos[row]; p >= 0 {
				out[p] += q.idf[i] / total
			}
		})
	}
	return out
}

func meanOfBest(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	slices.SortFunc(x, func(a, b float64) int { return cmp.Compare(b, a) })
	x = x[:min(bestCovers, len(x))]
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// shareOf is the speaker's share of the positions that cover the question best.
func (r *Ranking) shareOf(speaker int32) float64 {
	best := r.ix.best(r.coverage, func(int) bool { return true }, topCovers)
	n := 0.0
	for _, b := range best {
		if r.ix.speaker[b.at] == speaker {
			n++
		}
	}
	return n / float64(len(best))
}

func unit(x float64) float64 { return math.Round(math.Min(1, math.Max(0, x))*1e4) / 1e4 }
