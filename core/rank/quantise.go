package rank

import "math"

// Quantise gives a vector as int8, its largest component scaled to ±127. The
// direction is kept to about half a percent; the length is not, so compare
// quantised vectors by CosineInt8. The zero vector stays zero.
func Quantise(v []float32) []int8 {
	var most float64
	for _, f := range v {
		most = math.Max(most, math.Abs(float64(f)))
	}
	out := make([]int8, len(v))
	if most == 0 {
		return out
	}
	for i, f := range v {
		out[i] = int8(math.Round(float64(f) / most * 127))
	}
	return out
}
