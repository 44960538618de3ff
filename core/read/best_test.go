package read

import (
	"math"
	"slices"
	"testing"
)

// Keys are sorted as numbers are, however their scores are spread.
func TestKeysAreSorted(t *testing.T) {
	var s scratch
	state := uint64(1)
	next := func() uint64 { state = state*6364136223846793005 + 1442695040888963407; return state >> 11 }
	for _, n := range []int{0, 1, 2, 3, 63, 500, 3000} {
		for _, span := range []uint64{1, 2, 1000, 2047, 2048, 2049, 1 << 21, 1 << 31, 1<<32 - 1} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = next()%span<<32 | next()%(1<<31)
			}
			want := slices.Sorted(slices.Values(keys))
			if s.sort(keys); !slices.Equal(keys, want) {
				t.Fatalf("%d keys, scores over %d steps: not sorted", n, span)
			}
		}
	}
	scores := []float64{0.5, -0.07, 1.23, 0, 1.23, -2, 0.5000004}
	var keys []uint64
	for i, x := range scores {
		keys = append(keys, keyOf(int32(i), x))
	}
	s.sort(keys)
	var order []int32
	for _, k := range keys {
		order = append(order, scoredOf(k).at)
	}
	if want := []int32{2, 4, 0, 6, 3, 1, 5}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if math.Abs(scoredOf(keyOf(3, 0.123456)).Score-0.123456) > 1e-9 {
		t.Error("a key loses its score")
	}
}
