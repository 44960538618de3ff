package rank

import "math"

// DotInt8 is the inner product of two vectors of the same length. It fits an
// int32 up to 133,000 dimensions.
func DotInt8(a, b []int8) int32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 int32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += int32(x[0]) * int32(y[0])
		s1 += int32(x[1]) * int32(y[1])
		s2 += int32(x[2]) * int32(y[2])
		s3 += int32(x[3]) * int32(y[3])
	}
	for ; i < len(a); i++ {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}

// CosineInt8 is the cosine of two vectors, 0 when either is zero or their
// lengths differ.
func CosineInt8(a, b []int8) float64 {
	if len(a) != len(b) {
		return 0
	}
	la, lb := DotInt8(a, a), DotInt8(b, b)
	if la == 0 || lb == 0 {
		return 0
	}
	return float64(DotInt8(a, b)) / math.Sqrt(float64(float64(la)*float64(lb)))
}
