package rank

import "math"

// Round keeps six decimals. Scores are rounded before they are compared or
// shown, so that a last bit which differs between engines changes no order.
// NaN becomes 0.
func Round(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	if math.Abs(x) > 1e9 { // beyond what six decimals can express
		return x
	}
	r := math.Round(x*1e6) / 1e6
	return r + 0 // −0 becomes 0
}

// MinMax scales scores to [0,1] in place; equal scores all become 0, as they
// tell nothing apart.
func MinMax(s []float64) {
	if len(s) == 0 {
		return
	}
	lo, hi := s[0], s[0]
	for _, x := range s {
		lo, hi = math.Min(lo, x), math.Max(hi, x)
	}
	width := hi - lo
	for i, x := range s {
		if width > 0 {
			s[i] = (x - lo) / width
		} else {
			s[i] = 0
		}
	}
}

// Fuse is the weighted sum of lists of scores of the same length, list by list
// in the order given, rounded. A list that is nil counts as zeros.
func Fuse(weights []float64, lists ...[]float64) []float64 {
	n := 0
	for _, l := range lists {
		n = max(n, len(l))
	}
	out := make([]float64, n)
	for i, l := range lists {
		for j, x := range l {
			out[j] = Add(out[j], weights[i], x)
		}
	}
	for j := range out {
		out[j] = Round(out[j])
	}
	return out
}

// RRFDamping is the usual constant of reciprocal rank fusion.
const RRFDamping = 60

// RRF fuses rankings of n items, each a list of item indices, best first:
// score(i) = Σ 1 / (damping + place), places from 1. An item that a ranking
// lacks gets nothing from it.
func RRF(n int, damping float64, rankings ...[]int) []float64 {
	out := make([]float64, n)
	for _, r := range rankings {
		for place, i := range r {
			out[i] += 1 / (damping + float64(place+1))
		}
	}
	for i := range out {
		out[i] = Round(out[i])
	}
	return out
}
