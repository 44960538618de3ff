package rank

import "math/bits"

// Signature is the signs of a vector, a bit a dimension: set where the
// component is above zero. The Hamming distance of two signatures grows with
// the angle between their vectors, so it finds candidates at a fraction of the
// cost of a cosine.
func Signature(v []int8) []uint64 {
	sig := make([]uint64, (len(v)+63)/64)
	PutSignature(sig, v)
	return sig
}

// PutSignature writes the signature of a vector into sig, which is zero.
func PutSignature(sig []uint64, v []int8) {
	for i := range sig {
		bits := uint64(0)
		for j, x := range v[min(64*i, len(v)):min(64*i+64, len(v))] {
			bits |= uint64(uint8(-x)>>7&^(uint8(x)>>7)) << j
		}
		sig[i] = bits
	}
}

// Hamming counts the bits in which two signatures of the same length differ.
func Hamming(a, b []uint64) int {
	b = b[:len(a)]
	n := 0
	for i, x := range a {
		n += bits.OnesCount64(x ^ b[i])
	}
	return n
}
