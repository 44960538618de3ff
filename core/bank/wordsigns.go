package bank

import (
	"encoding/binary"

	"github.com/leanmem/leanmem/core/rank"
)

// wordTable gives words vectors. Finding the words of a bank that are like one
// of a question takes the signs of all their vectors; to make them anew at each
// load costs more than the rest of it, so blocks keep them, with the name of the
// table, and signs of another one are made anew.
type wordTable struct {
	name string
	of   func(word string) ([]int8, bool)
}

const (
	// Unsigned stands where the signs of a word are not known.
	Unsigned = uint64(0)

	// NoSigns stands for a word that the table lacks.
	NoSigns = ^uint64(0)
)

// sign gives the signs of a word.
func (t wordTable) sign(word string) uint64 {
	if t.of == nil {
		return Unsigned
	}
	v, ok := t.of(word)
	if !ok || len(v) > 64 {
		return NoSigns
	}
	var signs [1]uint64
	rank.PutSignature(signs[:], v)
	return signs[0]
}

// sign gives the signs of a word of the block, by the table or as stored.
func (b *block) sign(term int, t wordTable) uint64 {
	if b.signName != t.name || len(b.signs) == 0 {
		return Unsigned
	}
	return binary.LittleEndian.Uint64(b.signs[8*term:])
}

// signed takes the signs of a word from a block in which it stands.
func (b *builder) signed(word string, signs uint64) {
	if signs != Unsigned {
		b.signs[word] = signs
	}
}

func (l *layout) putSigns(terms []string) {
	if l.table.of == nil {
		return
	}
	out := make([]byte, 0, 8*len(terms))
	for _, w := range terms {
		signs, known := l.signs[w]
		if !known {
			signs = l.table.sign(w)
		}
		out = binary.LittleEndian.AppendUint64(out, signs)
	}
	l.out[secSignName], l.out[secTermSigns] = []byte(l.table.name), out
}
