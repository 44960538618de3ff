package rank

import "math"

// ValleyDepths is eq. 1: for each position of s, the similarities of adjacent
// utterances, whose windows of w on both sides are complete,
//
//	d_i = (1/w) Σ s_{i−j} + (1/w) Σ s_{i+j} − 2 s_i,  j = 1…w.
//
// depths[0] belongs to position w of s. There are none where s is shorter than
// 2w+1.
func ValleyDepths(s []float64, w int) (depths []float64) {
	if w < 1 || len(s) < 2*w+1 {
		return nil
	}
	depths = make([]float64, 0, len(s)-2*w)
	for i := w; i+w < len(s); i++ {
		var left, right float64
		for j := 1; j <= w; j++ {
			left += s[i-j]
			right += s[i+j]
		}
		depths = append(depths, left/float64(w)+right/float64(w)-float64(2*s[i]))
	}
	return depths
}

// Valleys sets how Boundaries chooses.
type Valleys struct {
	W      int     // w of eq. 1; 0 means 3
	Lambda float64 // λ of eq. 2: τ = μ + λσ
	Floor  float64 // a boundary's depth must exceed it
	Strict bool    // the paper's way: w never shrinks, a depth need not exceed Floor
}

// PaperValleys has the settings of eq. 1 and 2 with shrinking windows.
var PaperValleys = Valleys{W: 3, Lambda: 0.05}

// Boundaries selects the positions of s after which a new segment begins: i
// parts utterances i and i+1. They are the local maxima of the valley depth
// that reach τ (eq. 2); of a plateau the leftmost.
//
// Unless Strict is set, a session too short for w gets the window
// min(w, ⌊(|s|−1)/2⌋), one of fewer than four utterances is one segment, and a
// depth must exceed Floor: a "valley" that is none parts nothing.
func Boundaries(s []float64, v Valleys) []int {
	w := v.W
	if w <= 0 {
		w = 3
	}
	if !v.Strict {
		if len(s)+1 < 4 {
			return nil
		}
		w = min(w, (len(s)-1)/2)
	}
	d := ValleyDepths(s, w)
	for i := range d {
		d[i] = Round(d[i])
	}
	tau := threshold(d, v.Lambda)
	var out []int
	for i := range d {
		if d[i] >= tau && (v.Strict || d[i] > v.Floor) && peak(d, i) {
			out = append(out, i+w)
		}
	}
	return out
}

// threshold is eq. 2, rounded down by what rounding may have added, so that
// depths which are all equal reach it.
func threshold(d []float64, lambda float64) float64 {
	if len(d) == 0 {
		return 0
	}
	var sum float64
	for _, x := range d {
		sum += x
	}
	mean := sum / float64(len(d))
	var square float64
	for _, x := range d {
		square += float64((x - mean) * (x - mean))
	}
	return mean + float64(lambda*math.Sqrt(square/float64(len(d)))) - 1e-9
}

// peak reports whether d[i] opens a plateau from which d falls on both sides,
// or ends.
func peak(d []float64, i int) bool {
	if i > 0 && d[i-1] >= d[i] {
		return false
	}
	j := i
	for j+1 < len(d) && d[j+1] == d[i] {
		j++
	}
	return j+1 == len(d) || d[j+1] < d[i]
}
