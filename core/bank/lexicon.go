package bank

import (
	"slices"
	"strings"
)

// Lexicon lists the index words of a bank with their stems, in byte order of
// the words, without repeats. Words that no live row holds any more may be
// among them, so nothing that a reader shows may depend on a word being there;
// Frequency and Postings tell. The slices are shared and must not be changed.
type Lexicon struct {
	Words []string
	Stems []string
	seen  map[*block]bool // blocks whose words are in it
	have  map[string]bool // its words, while it is gathered
}

// Lexicon gives the words of the snapshot. It is made from that of the snapshot
// before, so that after a commit only the words of new blocks are looked at;
// where they are all known, it is the very same one.
func (s *Snapshot) Lexicon() *Lexicon {
	if s.lexicon != nil && s.lexicon.covers(s.parts) {
		return s.lexicon
	}
	x := &Lexicon{seen: make(map[*block]bool, len(s.parts))}
	known := s.lexicon
	if known == nil {
		known = s.largest()
	}
	var fresh Lexicon
	for i := range s.parts {
		b := s.parts[i].b
		x.seen[b] = true
		if !known.seen[b] {
			b.unknown(known, &fresh)
		}
	}
	fresh.sort()
	merged := mergeTwo(*known, fresh)
	x.Words, x.Stems = merged.Words, merged.Stems
	s.lexicon = x
	return x
}

// largest is the lexicon of the block with the most words.
func (s *Snapshot) largest() *Lexicon {
	var most *block
	for i := range s.parts {
		if b := s.parts[i].b; most == nil || b.terms.len() > most.terms.len() {
			most = b
		}
	}
	x := &Lexicon{seen: map[*block]bool{}}
	if most == nil {
		return x
	}
	n := most.terms.len()
	x.seen[most], x.Words, x.Stems = true, make([]string, n), make([]string, n)
	stems := most.stems()
	for t := range n {
		x.Words[t], x.Stems[t] = most.terms.at(t), stems.stem(t)
	}
	return x
}

func (x *Lexicon) covers(parts []part) bool {
	for i := range parts {
		if !x.seen[parts[i].b] {
			return false
		}
	}
	return true
}

// unknown adds the words of a block that are neither known nor fresh.
func (b *block) unknown(known *Lexicon, fresh *Lexicon) {
	if fresh.have == nil {
		fresh.have = map[string]bool{}
	}
	stems := b.stems()
	for t := range b.terms.len() {
		w := b.terms.at(t)
		if fresh.have[w] {
			continue
		}
		if _, ok := slices.BinarySearch(known.Words, w); ok {
			continue
		}
		fresh.have[w] = true
		fresh.Words, fresh.Stems = append(fresh.Words, w), append(fresh.Stems, stems.stem(t))
	}
}

// sort brings the words into order.
func (x *Lexicon) sort() {
	order := make([]int, len(x.Words))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(x.Words[i], x.Words[j]) })
	words, stems := make([]string, len(order)), make([]string, len(order))
	for at, i := range order {
		words[at], stems[at] = x.Words[i], x.Stems[i]
	}
	x.Words, x.Stems = words, stems
}

func mergeTwo(a, b Lexicon) Lexicon {
	if len(b.Words) == 0 {
		return a
	}
	n := len(a.Words) + len(b.Words)
	words, stems := make([]string, 0, n), make([]string, 0, n)
	i, j := 0, 0
	for i < len(a.Words) && j < len(b.Words) {
		x, y := a.Words[i], b.Words[j]
		switch {
		case x < y:
			words, stems, i = append(words, x), append(stems, a.Stems[i]), i+1
		case y < x:
			words, stems, j = append(words, y), append(stems, b.Stems[j]), j+1
		default:
			words, stems, i, j = append(words, x), append(stems, a.Stems[i]), i+1, j+1
		}
	}
	words, stems = append(words, a.Words[i:]...), append(stems, a.Stems[i:]...)
	return Lexicon{Words: append(words, b.Words[j:]...), Stems: append(stems, b.Stems[j:]...)}
}

// Vocabulary calls yield for every distinct index word with the number of live
// rows that hold it, in byte order. It counts anew each time it is called;
// Lexicon does not.
func (s *Snapshot) Vocabulary(yield func(word string, rows int)) {
	next := make([]int, len(s.parts))
	for _, w := range s.Lexicon().Words {
		n := 0
		for i := range s.parts {
			p := &s.parts[i]
			if t := next[i]; t < p.b.terms.len() && p.b.terms.at(t) == w {
				n += p.frequency(t)
				next[i]++
			}
		}
		if n > 0 {
			yield(w, n)
		}
	}
}
