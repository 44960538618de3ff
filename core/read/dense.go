package read

import (
	"math"

	"github.com/leanmem/leanmem/core/rank"
)

// dense scores every position by the cosine of the query's vector and its own.
func (ix *index) dense(q *Question) []float64 {
	out := make([]float64, len(ix.rows))
	qn := length8(q.Vector)
	if qn == 0 {
		return out
	}
	for p, v := range ix.vectors {
		if n := ix.norm[p]; n > 0 && len(v) == len(q.Vector) {
			out[p] = float64(rank.DotInt8(q.Vector, v)) / float64(float64(n)*qn)
		}
	}
	return out
}

// length8 is the Euclidean length of a vector.
func length8(v []int8) float64 { return math.Sqrt(float64(rank.DotInt8(v, v))) }
