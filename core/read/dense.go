package read

import (
	"math"

	"github.com/leanmem/leanmem/core/rank"
)

// dense scores every position by the cosine of the query's vector and the
// window vector v(i) + ½v(i−1) + ½v(i+1) of unit vectors.
func (ix *index) dense(q *Question) []float64 {
	out := make([]float64, len(ix.rows))
	if len(q.Vector) == 0 {
		return out
	}
	qn := length8(q.Vector)
	if qn == 0 {
		return out
	}
	own := make([]float64, len(ix.rows))
	for p, row := range ix.rows {
		v := ix.s.Vector(int(row))
		if len(v) != len(q.Vector) {
			continue
		}
		if n := ix.own[p]; n > 0 {
			own[p] = float64(rank.DotInt8(q.Vector, v)) / float64(float64(n)*qn)
		}
	}
	for i := range own {
		p := int32(i)
		if ix.norm[p] == 0 {
			continue
		}
		sum := own[p]
		if ix.near(p, -1) {
			sum += float64(denseNeighbour * own[p-1])
		}
		if ix.near(p, 1) {
			sum += float64(denseNeighbour * own[p+1])
		}
		out[p] = sum / float64(ix.norm[p])
	}
	return out
}

// windowNorm is the length of the window vector of p, whose parts are scaled to
// unit length first.
func (ix *index) windowNorm(p int32) float32 {
	parts := [3][]int8{ix.vectorAt(p, 0), ix.vectorAt(p, -1), ix.vectorAt(p, 1)}
	weights := [3]float64{1, denseNeighbour, denseNeighbour}
	sum := 0.0
	for i, a := range parts {
		for j, b := range parts {
			if a == nil || b == nil || len(a) != len(b) {
				continue
			}
			la, lb := length8(a), length8(b)
			if la == 0 || lb == 0 {
				continue
			}
			sum += float64(float64(weights[i]*weights[j]) * float64(rank.DotInt8(a, b)) / float64(la*lb))
		}
	}
	if sum <= 0 {
		return 0
	}
	return float32(math.Sqrt(sum))
}

func (ix *index) vectorAt(p, d int32) []int8 {
	if d != 0 && !ix.near(p, d) {
		return nil
	}
	return ix.s.Vector(int(ix.rows[p+d]))
}

// length8 is the Euclidean length of a vector.
func length8(v []int8) float64 { return math.Sqrt(float64(rank.DotInt8(v, v))) }
