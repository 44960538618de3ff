package read

import (
	"math"
	"slices"
)

// SufficientFrom is the confidence from which evidence counts as holding the
// answer. On dialogues between two people it abstains falsely for about one
// answerable question in eight.
const SufficientFrom = 0.25

const topCovers = 8 // positions whose speakers are counted

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
	if len(q.named) != 1 {
		z := float64(0.5*r.verbatim(q, anybody)) + float64(0.5*math.Min(1, r.coverage(r.mostCovered())))
		return unit((z - 0.05) / 0.9)
	}
	who := q.named[0]
	own, others := bestCovers(r.soft, r.ix.speaker, r.covered, who)
	spoken := r.ix.spoken[who]
	z := r.coverage(own.mean(spoken)-others.mean(len(r.ix.rows)-spoken)) + float64(0.75*r.shareOf(who)) + float64(0.3*r.verbatim(q, who))
	return unit((z - 0.2) / 0.9)
}

// coverage is the share of the question's words (by idf) that a soft score
// covers.
func (r *Ranking) coverage(soft float64) float64 {
	if r.total == 0 {
		return 0
	}
	return soft / r.total
}

// mostCovered is the greatest soft score.
func (r *Ranking) mostCovered() float64 {
	most := 0.0
	for _, p := range r.covered {
		if c := r.soft[p]; c > most {
			most = c
		}
	}
	return most
}

// three are the greatest scores, the greatest first; 0 where there are fewer.
type three struct{ first, second, third float64 }

// mean is that of the greatest of n scores.
func (t three) mean(n int) float64 {
	if n == 0 {
		return 0
	}
	return (t.first + t.second + t.third) / float64(min(n, 3))
}

// bestCovers finds the greatest soft scores of a speaker's positions and of the
// others'.
//
//go:noinline
func bestCovers(soft []float64, speaker, at []int32, who int32) (own, others three) {
	ownLeast, othersLeast := 0.0, 0.0
	for _, p := range at {
		c := soft[p]
		if speaker[p] == who {
			if c > ownLeast {
				own = own.with(c)
				ownLeast = own.third
			}
		} else if c > othersLeast {
			others = others.with(c)
			othersLeast = others.third
		}
	}
	return own, others
}

//go:noinline
func (t three) with(x float64) three {
	switch {
	case x > t.first:
		return three{x, t.first, t.second}
	case x > t.second:
		return three{t.first, x, t.second}
	}
	return three{t.first, t.second, x}
}

// anybody stands for no speaker in particular.
const anybody = int32(-1)

// verbatim is the greatest share of the question's words (by idf) whose stems
// stand in one position, of one speaker or of any.
func (r *Ranking) verbatim(q *Question, who int32) float64 {
	share := r.ix.cleared()
	for i := range q.terms {
		addAt(share, q.terms[i].same, q.terms[i].idf/r.total)
	}
	most := 0.0
	for i := range q.terms {
		same := q.terms[i].same
		if r.keep != nil {
			same = r.visibleOf(slices.Clone(same))
		}
		most = greatestAt(share, same, r.ix.speaker, who, most)
	}
	clear(share)
	return most
}

//go:noinline
func addAt(x []float64, at []int32, v float64) {
	for _, p := range at {
		x[p] += v
	}
}

// greatestAt is the greatest of most and the scores at positions of a speaker.
//
//go:noinline
func greatestAt(x []float64, at, speaker []int32, who int32, most float64) float64 {
	for _, p := range at {
		if c := x[p]; c > most && (who == anybody || speaker[p] == who) {
			most = c
		}
	}
	return most
}

// shareOf is the speaker's share of the positions that cover the question best.
func (r *Ranking) shareOf(speaker int32) float64 {
	best := r.topCovers()
	if len(best) == 0 {
		return 0
	}
	n := 0.0
	for _, k := range best {
		if r.ix.speaker[scoredOf(k).at] == speaker {
			n++
		}
	}
	return n / float64(len(best))
}

// topCovers lists the keys of the positions that cover the question best; where
// too few cover any of it, the first of the bank stand in.
func (r *Ranking) topCovers() []uint64 {
	var top []uint64
	see := func(p int32) {
		k := keyOf(p, r.coverage(r.soft[p]))
		if (len(top) == topCovers && k > top[topCovers-1]) || !r.visible(p) {
			return
		}
		at, _ := slices.BinarySearch(top, k)
		top = slices.Insert(top, at, k)
		top = top[:min(len(top), topCovers)]
	}
	// Scores are compared in steps, and among equal ones the earlier position
	// is before; a key is made only where it may be.
	least, nearly, last := -1.0, 0.0, int32(0) // soft score of the last of top, a step below, its position
	for _, p := range r.covered {
		if c := r.soft[p]; c > least || c >= nearly && p < last {
			if see(p); len(top) == topCovers {
				last = scoredOf(top[topCovers-1]).at
				least = r.soft[last]
				nearly = least - r.total/scoreSteps
			}
		}
	}
	for p := int32(0); len(top) < topCovers && int(p) < len(r.ix.rows); p++ {
		if r.soft[p] == 0 {
			see(p)
		}
	}
	return top
}

func unit(x float64) float64 { return math.Round(math.Min(1, math.Max(0, x))*1e4) / 1e4 }
