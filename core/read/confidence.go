package read

import (
	"math"
	"slices"
)

// SufficientFrom is the confidence from which evidence counts as holding the
// answer.
const SufficientFrom = 0.35

// Confidence estimates, in [0,1], how likely the answer to a question is in
// what was ranked. With one speaker named it asks whether what that speaker
// said covers the question better than what the others said (a question about
// the wrong person is covered by the others), how well it covers it at all,
// and who the most alike turns belong to. Otherwise it is the best coverage.
func (r *Ranking) Confidence(q *Question) float64 {
	if len(r.ix.rows) == 0 || len(q.words) == 0 {
		return 0
	}
	if len(q.named) != 1 {
		return unit(slices.Max(r.coverage))
	}
	var own, others float64
	for p, c := range r.coverage {
		if r.ix.speaker[p] == q.named[0] {
			own = max(own, c)
		} else {
			others = max(others, c)
		}
	}
	top := r.mostAlike(5)
	share := 0.0
	for _, p := range top {
		if r.ix.speaker[p] == q.named[0] {
			share++
		}
	}
	z := own - others + float64(0.3*own) + float64(0.8*share/float64(len(top)))
	return unit((z - 0.2) / 1.1)
}

// mostAlike gives the n positions with the highest fused score.
func (r *Ranking) mostAlike(n int) []int32 {
	best := r.ix.best(r.fused, func(int) bool { return true }, n)
	out := make([]int32, len(best))
	for i, b := range best {
		out[i] = b.at
	}
	return out
}

func unit(x float64) float64 { return math.Round(math.Min(1, math.Max(0, x))*1e4) / 1e4 }
