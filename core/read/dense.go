package read

import (
	"math"

	"github.com/leanmem/leanmem/core/rank"
)

// pack makes the vectors of a session ready for dense.
func (ix *index) pack(s *session) {
	n := int(s.to - s.from)
	words := rank.PackedWords(ix.dims)
	s.packed = make([]uint64, 0, n*words)
	s.sums, s.norm = make([]int32, n), make([]float32, n)
	for i := range n {
		v := ix.s.Vector(int(ix.rows[int(s.from)+i]))
		if len(v) != ix.dims {
			s.packed = s.packed[:(i+1)*words]
			continue
		}
		s.packed, s.sums[i] = rank.Pack(s.packed, v)
		s.norm[i] = float32(length8(v))
	}
}

// dense scores every position by the cosine of the query's vector and its own.
func (ix *index) dense(q *Question, out []float64) {
	qn := length8(q.Vector)
	if qn == 0 || len(q.Vector) != ix.dims {
		clear(out)
		return
	}
	query := rank.PackQuery(q.Vector)
	words := query.Words()
	for i := range ix.sessions {
		s := &ix.sessions[i]
		packed, sums, x := s.packed, s.sums, out[s.from:s.to]
		for j, norm := range s.norm {
			if norm == 0 {
				x[j] = 0
				continue
			}
			x[j] = float64(query.Dot(packed[j*words:(j+1)*words], sums[j])) / float64(float64(norm)*qn)
		}
	}
}

// length8 is the Euclidean length of a vector.
func length8(v []int8) float64 { return math.Sqrt(float64(rank.DotInt8(v, v))) }
