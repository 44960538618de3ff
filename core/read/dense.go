package read

import (
	"math"

	"github.com/leanmem/leanmem/core/rank"
)

// vectors are those of some rows, ready to be compared with a query's.
type vectors struct {
	packed []uint64  // rank.PackedWords each; zeros without one
	sums   []int32   // of the components
	per    []float32 // 1 / length of each; 0 without one
}

// pack makes the vectors of rows ready.
func (ix *index) pack(rows []int32) vectors {
	words := rank.PackedWords(ix.dims)
	v := vectors{packed: make([]uint64, 0, len(rows)*words), sums: make([]int32, len(rows)), per: make([]float32, len(rows))}
	for i, row := range rows {
		own := ix.s.Vector(int(row))
		if len(own) != ix.dims {
			v.packed = v.packed[:(i+1)*words]
			continue
		}
		v.packed, v.sums[i] = rank.Pack(v.packed, own)
		if length := length8(own); length > 0 {
			v.per[i] = float32(1 / length)
		}
	}
	return v
}

// dense scores every position by the cosine of the query's vector and its own;
// opposite is no less alike than unrelated.
func (ix *index) dense(q *Question, out []float64) {
	for i := range ix.sessions {
		s := &ix.sessions[i]
		ix.cosines(q, &s.vectors, out[s.from:s.to])
	}
}

// cosines compares the query's vector with others; below 0 counts as 0.
func (ix *index) cosines(q *Question, with *vectors, out []float64) {
	if q.length == 0 && len(q.Vector) == ix.dims {
		q.length, q.packed = length8(q.Vector), rank.PackQuery(q.Vector)
	}
	if q.length == 0 {
		clear(out)
		return
	}
	dots := sized(&ix.scratch.dots, len(out))
	q.packed.Dots(dots, with.packed, with.sums)
	per := 1 / q.length
	for i, of := range with.per[:len(out)] {
		c := float64(float64(dots[i])*float64(of)) * per
		if c < 0 {
			c = 0
		}
		out[i] = c
	}
}

// length8 is the Euclidean length of a vector.
func length8(v []int8) float64 { return math.Sqrt(float64(rank.DotInt8(v, v))) }
