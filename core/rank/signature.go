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

// Near appends the numbers of those signatures of a table, laid one behind
// another, that differ from a given one in at most so many bits. One call looks
// at a whole table because calls are dear in wasm.
func Near(to []int32, table, signs []uint64, most int) []int32 {
	if len(signs) == 1 {
		own := signs[0]
		for i, x := range table {
			if bits.OnesCount64(x^own) <= most {
				to = append(to, int32(i))
			}
		}
		return to
	}
	for i := 0; len(signs) > 0 && len(table) >= len(signs); i++ {
		apart := 0
		for j, own := range signs {
			apart += bits.OnesCount64(table[j] ^ own)
		}
		if apart <= most {
			to = append(to, int32(i))
		}
		table = table[len(signs):]
	}
	return to
}
