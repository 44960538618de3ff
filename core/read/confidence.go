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
	if len(q.named) != 1 {
		most := 0.0
		for _, p := range r.covered {
			if c := r.coverage(p); c > most && r.visible(p) {
				most = c
			}
		}
		z := float64(0.5*r.verbatim(q, nil)) + float64(0.5*math.Min(1, most))
		return unit((z - 0.05) / 0.9)
	}
	who := q.named[0]
	own, others := bestThree{n: r.ix.spoken[who]}, bestThree{n: len(r.ix.rows) - r.ix.spoken[who]}
	for _, p := range r.covered {
		to := &others
		if r.ix.speaker[p] == who {
			to = &own
		}
		if c := r.coverage(p); c > to.top[bestCovers-1] && r.visible(p) {
			to.see(c)
		}
	}
	z := own.mean() - others.mean() + float64(0.75*r.shareOf(who)) + float64(0.3*r.verbatim(q, &who))
	return unit((z - 0.2) / 0.9)
}

// coverage is the share of the question's words (by idf) that a position covers.
func (r *Ranking) coverage(p int32) float64 {
	if r.total == 0 {
		return 0
	}
	return r.soft[p] / r.total
}

// verbatim is the greatest share of the question's words (by idf) whose stems
// stand in one position, of one speaker or of any.
func (r *Ranking) verbatim(q *Question, speaker *int32) float64 {
	share := r.ix.cleared()
	most := 0.0
	for i := range q.terms {
		t := &q.terms[i]
		for _, p := range t.same {
			share[p] += t.idf / r.total
			if share[p] > most && (speaker == nil || r.ix.speaker[p] == *speaker) && r.visible(p) {
				most = share[p]
			}
		}
	}
	for i := range q.terms {
		for _, p := range q.terms[i].same {
			share[p] = 0
		}
	}
	return most
}

// bestThree keeps the greatest of n scores; those above 0 must be shown.
type bestThree struct {
	top [bestCovers]float64
	n   int
}

func (b *bestThree) see(x float64) {
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
	see := func(p int32, cover float64) {
		k := keyOf(p, cover)
		if (len(top) == topCovers && k > top[topCovers-1]) || !r.visible(p) {
			return
		}
		at, _ := slices.BinarySearch(top, k)
		top = slices.Insert(top, at, k)
		top = top[:min(len(top), topCovers)]
	}
	least := 0.0
	for _, p := range r.covered {
		if c := r.coverage(p); c >= least {
			see(p, c)
			if len(top) == topCovers {
				least = scoredOf(top[topCovers-1]).Score - 1/scoreSteps
			}
		}
	}
	for p := int32(0); len(top) < topCovers && int(p) < len(r.ix.rows); p++ {
		if r.soft[p] == 0 {
			see(p, 0)
		}
	}
	return top
}

func unit(x float64) float64 { return math.Round(math.Min(1, math.Max(0, x))*1e4) / 1e4 }
