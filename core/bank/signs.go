package bank

import (
	"math/bits"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/rank"
)

// Among calls yield for every live row of a kind, in an order that depends on
// how the bank was written: for counting and for picking by a score whose ties
// are broken by id. It costs less than ByKind.
func (s *Snapshot) Among(kind mem.Kind, yield func(row int, r *Row)) {
	c := codeOf(kind)
	if c == kinds {
		return
	}
	for i := range s.parts {
		p := &s.parts[i]
		from, to := p.b.kindRange(c)
		for j := from; j < to; j++ {
			if !p.dead.has(j) && p.b.rows[j].Passage == 0 {
				yield(p.base+j, &p.b.rows[j])
			}
		}
	}
}

// Alike calls yield for every live row of a kind whose vector differs from a
// signature in at most so many signs, with the vector and the inner product of
// it with itself, in an order that depends on how the bank was written.
func (s *Snapshot) Alike(kind mem.Kind, signs []uint64, most int, yield func(row int, v []int8, square int32)) {
	s.Among(kind, func(row int, _ *Row) {
		other := s.Signs(row)
		if len(other) != len(signs) {
			return
		}
		apart := 0
		for i, x := range signs {
			apart += bits.OnesCount64(x ^ other[i])
		}
		if apart > most {
			return
		}
		if s.patches > 0 {
			v := s.Vector(row)
			yield(row, v, rank.DotInt8(v, v))
			return
		}
		p, i := s.at(row)
		yield(row, p.b.vector(i), p.b.squares[i])
	})
}

// Signs gives the sign signature of a row's vector (rank.Signature), nil when
// it has none. They are computed once a block.
func (s *Snapshot) Signs(row int) []uint64 {
	if s.patches > 0 {
		if v := s.Vector(row); v != nil {
			return rank.Signature(v)
		}
		return nil
	}
	p, i := s.at(row)
	if p.b.vecDims == 0 || p.b.vecName != s.man.Embedder.Name || p.b.vecDims != s.man.Embedder.Dims {
		return nil
	}
	n := (p.b.vecDims + 63) / 64
	if p.b.lazySigns == nil {
		p.b.lazySigns = make([]uint64, n*len(p.b.rows))
		p.b.signed, p.b.squares = make([]bool, len(p.b.rows)), make([]int32, len(p.b.rows))
		for j := range p.b.rows {
			if v := p.b.vector(j); v != nil {
				rank.PutSignature(p.b.lazySigns[j*n:(j+1)*n], v)
				p.b.signed[j], p.b.squares[j] = true, rank.DotInt8(v, v)
			}
		}
	}
	if !p.b.signed[i] {
		return nil
	}
	return p.b.lazySigns[i*n : (i+1)*n]
}
