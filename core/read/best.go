package read

import (
	"math"

	"github.com/leanmem/leanmem/core/mem"
)

// Scores are compared in steps of one in a million, the place in the bank
// breaking ties: sessions by name, turns as they stand. As one number, the
// higher score and then the earlier position is the smaller key, and sorting
// keys costs a third of sorting structs by a function.
const scoreSteps = 1e6

func keyOf(at int32, score float64) uint64 {
	return uint64(uint32(math.MaxInt32-int32(math.Round(score*scoreSteps))))<<32 | uint64(uint32(at))
}

func scoredOf(key uint64) Scored {
	return Scored{at: int32(uint32(key)), Score: float64(math.MaxInt32-int32(uint32(key>>32))) / scoreSteps}
}

// bins are how finely best looks for the score from which on it sorts.
const bins = 1024

// best selects the depth highest positions that pass keep.
func (ix *index) best(x []float64, keep func(row int) bool, depth int) []Scored {
	floor := ix.floorOf(x, keep, depth)
	ix.scratch.seen = above(x, floor-1/scoreSteps, sized(&ix.scratch.seen, len(x)))
	keys := ix.scratch.keys[:0]
	for _, p := range ix.scratch.seen {
		if keep == nil || keep(int(ix.rows[p])) {
			keys = append(keys, keyOf(p, x[p]))
		}
	}
	ix.scratch.keys = keys
	ix.scratch.sort(keys)
	out := make([]Scored, min(depth, len(keys)))
	for i := range out {
		out[i] = scoredOf(keys[i])
	}
	return out
}

// Digits of scores by which sort goes.
const (
	digitBits = 11
	digits    = 1 << digitBits
)

// sort orders keys, by the digits of their scores from the last to the first
// and where scores are equal by place. It takes a third of slices.Sort, which
// compares.
func (s *scratch) sort(keys []uint64) {
	if len(keys) == 0 {
		return
	}
	least, most := keys[0], keys[0]
	for _, k := range keys {
		least, most = min(least, k), max(most, k)
	}
	least >>= 32
	span := most>>32 - least
	from, to := keys, sized(&s.other, len(keys))
	counts := sized(&s.bins, digits)
	for shift := 0; span>>shift > 0; shift += digitBits {
		clear(counts)
		for _, k := range from {
			counts[(k>>32-least)>>shift&(digits-1)]++
		}
		at := int32(0)
		for d, n := range counts {
			counts[d] = at
			at += n
		}
		for _, k := range from {
			d := (k>>32 - least) >> shift & (digits - 1)
			to[counts[d]] = k
			counts[d]++
		}
		from, to = to, from
	}
	copy(keys, from)
	for i := 1; i < len(keys); i++ {
		k, j := keys[i], i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
}

// floorOf finds a score that at least depth positions reach, and few more.
func (ix *index) floorOf(x []float64, keep func(row int) bool, depth int) float64 {
	if len(x) <= depth+depth/4 {
		return math.Inf(-1)
	}
	lo, span := rangeOf(x, 1e-9)
	scale := (bins - 1) / span
	counts := sized(&ix.scratch.bins, bins)
	clear(counts)
	if keep == nil {
		countBins((*[bins]int32)(counts), x, lo, scale)
	} else {
		for i, v := range x {
			if keep(int(ix.rows[i])) {
				counts[binOf(v, lo, scale)]++
			}
		}
	}
	bin, n := bins, 0
	for n < depth && bin > 0 {
		bin--
		n += int(counts[bin])
	}
	// What rounding could make equal to the last of them belongs to them.
	return lo + (float64(bin)-0.51)/scale - 2/scoreSteps
}

// binOf is (v - lo)·scale as an integer: the lowest bits of a number from 2⁵² on
// are its integer, rounded.
func binOf(v, lo, scale float64) uint64 {
	return math.Float64bits(float64((v-lo)*scale)+1<<52) & (bins - 1)
}

//go:noinline
func countBins(counts *[bins]int32, x []float64, lo, scale float64) {
	for _, v := range x {
		counts[binOf(v, lo, scale)]++
	}
}

// above lists the positions of scores above floor, in an array that has room for
// all.
//
//go:noinline
func above(x []float64, floor float64, to []int32) []int32 {
	n := 0
	for i, v := range x {
		if v > floor && n < len(to) {
			to[n] = int32(i)
			n++
		}
	}
	return to[:n]
}

// spreadSessions lets the n-th best turn of a session yield by n steps, so that
// a question that wants things from many sessions gets them. In an assistant's
// log, where one topic fills a session with long passages, the steps are
// longer.
func (ix *index) spreadSessions(turns []Scored) {
	count := sized(&ix.scratch.count, len(ix.sessions))
	keys := ix.scratch.keys[:0]
	for _, t := range turns {
		s, step := ix.of[t.at], spreadStep
		if r := ix.roles[ix.speaker[t.at]]; r == mem.RoleUser || r == mem.RoleAssistant {
			step = spreadStepLog
		}
		keys = append(keys, keyOf(t.at, t.Score-float64(step*float64(count[s]))))
		count[s]++
	}
	for _, t := range turns {
		count[ix.of[t.at]] = 0
	}
	ix.scratch.keys = keys
	ix.scratch.sort(keys)
	for i, k := range keys {
		turns[i] = scoredOf(k)
	}
}
