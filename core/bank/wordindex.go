package bank

// A search asks every block for a hundred words. Finding each by bisection is a
// dozen comparisons of strings a block; by hash it is one.

// wordHash is FNV-1a, 32 bits.
func wordHash(word string) uint32 {
	h := uint32(2166136261)
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return h
}

// term finds an index word of the block by its hash.
func (b *block) term(word string, hash uint32) (int, bool) {
	if b.lazyWords == nil {
		b.lazyWords = hashTable(b.terms)
	}
	mask := uint32(len(b.lazyWords) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		t := b.lazyWords[i] - 1
		if t < 0 {
			return 0, false
		}
		if b.terms.at(int(t)) == word {
			return int(t), true
		}
	}
}

// hashTable places each entry of a table, plus one, at its hash or the next free
// slot behind it; at most half of the slots are taken.
func hashTable(t table) []int32 {
	size := 2
	for size < 2*t.len() {
		size *= 2
	}
	out, mask := make([]int32, size), uint32(size-1)
	for n := range t.len() {
		i := wordHash(t.at(n)) & mask
		for out[i] != 0 {
			i = (i + 1) & mask
		}
		out[i] = int32(n + 1)
	}
	return out
}
