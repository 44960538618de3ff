package rank

import (
	"math/rand/v2"
	"testing"
)

func TestPackedVectorsGiveTheVeryInnerProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dims := range []int{0, 1, 2, 3, 47, 48, 49, 64, 65, 66, 67, 96, 384, 1024, 3072} {
		for _, draw := range []func() int8{
			func() int8 { return int8(r.IntN(256) - 128) },
			func() int8 { return 127 },
			func() int8 { return -128 },
		} {
			a, b := make([]int8, dims), make([]int8, dims)
			for i := range a {
				a[i], b[i] = draw(), draw()
			}
			packed, sum := Pack(nil, a)
			if len(packed) != PackedWords(dims) {
				t.Fatalf("%d dimensions take %d words, not %d", dims, len(packed), PackedWords(dims))
			}
			packed, other := Pack(packed, b) // a second one behind it
			var got [2]int32
			PackQuery(b).Dots(got[:], packed, []int32{sum, other})
			if want := [2]int32{DotInt8(a, b), DotInt8(b, b)}; got != want {
				t.Errorf("%d dimensions: %d, want %d", dims, got, want)
			}
		}
	}
}

func BenchmarkPackedDot(b *testing.B) {
	v := make([]int8, 64)
	for i := range v {
		v[i] = int8(i*37%251 - 120)
	}
	const many = 1000
	var packed []uint64
	sums, out := make([]int32, many), make([]int32, many)
	for i := range sums {
		packed, sums[i] = Pack(packed, v)
	}
	q := PackQuery(v)
	b.Run("packed", func(b *testing.B) {
		for b.Loop() {
			q.Dots(out, packed, sums)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*many), "ns/vector")
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			DotInt8(v, v)
		}
	})
}
