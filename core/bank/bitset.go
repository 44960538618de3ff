package bank

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

// has reports membership; a nil set holds nothing.
func (s bitset) has(i int) bool { return s != nil && s[i>>6]&(1<<(i&63)) != 0 }

func (s bitset) set(i int) { s[i>>6] |= 1 << (i & 63) }
