package read

import (
	"math"

	"github.com/leanmem/leanmem/core/rank"
)

// vectors are those of some rows, ready to be compared with a query's.
type vectors struct {
	packed []uint64  // rank.PackedWords each; zeros without one
	sums   []int32   // of the components
	norms  []float32 // length of each; 0 without one
}

// pack makes the vectors of rows ready.
func (ix *index) pack(rows []int32) vectors {
	words := rank.PackedWords(ix.dims)
	v := vectors{packed: make([]uint64, 0, len(rows)*words), sums: make([]int32, len(rows)), norms: make([]float32, len(rows))}
	for i, row := range rows {
		own := ix.s.Vector(int(row))
		if len(own) != ix.dims {
			v.packed = v.packed[:(i+1)*words]
			continue
		}
		v.packed, v.sums[i] = rank.Pack(v.packed, own)
		v.norms[i] = float32(length8(own))
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
	for i, norm := range with.norms {
		if out[i] = 0; norm > 0 && dots[i] > 0 {
			out[i] = float64(dots[i]) / float64(float64(norm)*q.length)
		}
	}
}

// length8 is the Euclidean length of a vector.
func length8(v []int8) float64 { return math.Sqrt(float64(rank.DotInt8(v, v))) }
