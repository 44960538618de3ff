package bank

import (
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
	c := codeOf(kind)
	if c == kinds {
		return
	}
	var near []int32
	for i := range s.parts {
		p := &s.parts[i]
		from, to := p.b.kindRange(c)
		if from == to {
			continue
		}
		table := s.signsOf(p)
		if len(table) != len(signs)*len(p.b.rows) {
			continue
		}
		near = rank.Near(near[:0], table[from*len(signs):to*len(signs)], signs, most)
		for _, j := range near {
			if j := from + int(j); !p.dead.has(j) && p.b.rows[j].Passage == 0 {
				if v := s.Vector(p.base + j); len(v) > 0 {
					yield(p.base+j, v, p.b.squareOf(j, v, s.patches > 0))
				}
			}
		}
	}
}

// signsOf gives the signatures of a part's rows, zeros where there is no
// vector.
func (s *Snapshot) signsOf(p *part) []uint64 {
	n := (s.man.Embedder.Dims + 63) / 64
	if s.patches > 0 { // vectors stand apart from their rows while a reindex is under way
		table := make([]uint64, n*len(p.b.rows))
		for j := range p.b.rows {
			if v := s.Vector(p.base + j); len(v) > 0 {
				rank.PutSignature(table[j*n:(j+1)*n], v)
			}
		}
		return table
	}
	if p.b.vecDims == 0 || p.b.vecName != s.man.Embedder.Name || p.b.vecDims != s.man.Embedder.Dims {
		return nil
	}
	if p.b.lazySigns == nil {
		p.b.lazySigns, p.b.squares = make([]uint64, n*len(p.b.rows)), make([]int32, len(p.b.rows))
		for j := range p.b.rows {
			if v := p.b.vector(j); v != nil {
				rank.PutSignature(p.b.lazySigns[j*n:(j+1)*n], v)
				p.b.squares[j] = rank.DotInt8(v, v)
			}
		}
	}
	return p.b.lazySigns
}

// squareOf is the inner product of a row's vector with itself.
func (b *block) squareOf(row int, v []int8, apart bool) int32 {
	if apart || b.squares == nil {
		return rank.DotInt8(v, v)
	}
	return b.squares[row]
}
