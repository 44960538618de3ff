package read

import (
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
	if len(r.ix.rows) == 0 || len(q.terms) == 0 {
		return 0
	}
	verbatim := r.ix.verbatim(q)
	for p, hidden := range r.hidden {
		if hidden {
			verbatim[p] = 0
		}
	}
	if len(q.named) != 1 {
		z := float64(0.5*slices.Max(verbatim)) + float64(0.5*math.Min(1, slices.Max(r.coverage)))
		return unit((z - 0.05) / 0.9)
	}
	var own, others bestThree
	mostOwn := 0.0
	for p, c := range r.coverage {
		if r.ix.speaker[p] == q.named[0] {
			own.see(c)
			mostOwn = max(mostOwn, verbatim[p])
		} else {
			others.see(c)
		}
	}
	z := own.mean() - others.mean() + float64(0.75*r.shareOf(q.named[0])) + float64(0.3*mostOwn)
	return unit((z - 0.2) / 0.9)
}

// verbatim gives, for each position, the share of the question's words (by idf)
// whose stems stand in it.
func (ix *index) verbatim(q *Question) []float64 {
	out := make([]float64, len(ix.rows))
	total := q.totalIDF()
	for i := range q.terms {
		t := &q.terms[i]
		for _, m := range t.met {
			if p := ix.pos[m.row]; p >= 0 && m.count > 0 && total > 0 {
				out[p] += t.idf / total
			}
		}
	}
	return out
}

// bestThree keeps the greatest of what it is shown.
type bestThree struct {
	top [bestCovers]float64
	n   int
}

func (b *bestThree) see(x float64) {
	b.n++
	for i, t := range b.top {
		if x > t {
			copy(b.top[i+1:], b.top[i:])
			b.top[i] = x
			return
		}
	}
}

func (b *bestThree) mean() float64 {
	n := min(b.n, bestCovers)
	if n == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range b.top[:n] {
		sum += x
	}
	return sum / float64(n)
}

// shareOf is the speaker's share of the positions that cover the question best.
func (r *Ranking) shareOf(speaker int32) float64 {
	best := r.ix.best(r.coverage, func(row int) bool { return !r.hidden[r.ix.pos[row]] }, topCovers)
	if len(best) == 0 {
		return 0
	}
	n := 0.0
	for _, b := range best {
		if r.ix.speaker[b.at] == speaker {
			n++
		}
	}
	return n / float64(len(best))
}

func unit(x float64) float64 { return math.Round(math.Min(1, math.Max(0, x))*1e4) / 1e4 }
