package rank

import "math"

// Cosine32 is the cosine of two vectors, 0 when either is zero or their
// lengths differ. It sums in order in float64.
func Cosine32(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot, la, lb float64
	for i, x := range a {
		y := float64(b[i])
		dot += float64(float64(x) * y)
		la += float64(float64(x) * float64(x))
		lb += float64(y * y)
	}
	if la == 0 || lb == 0 {
		return 0
	}
	return dot / float64(math.Sqrt(la)*math.Sqrt(lb))
}
