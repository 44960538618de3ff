package bank

import (
	"slices"
)

// Lexicon lists the index words of a bank with their stems, in byte order of
// the words, without repeats. Words that no live row holds any more may be
// among them, so nothing that a reader shows may depend on a word being there;
// Frequency and Postings tell. The slices are shared and must not be changed.
type Lexicon struct {
	Words []string
	Stems []string
	seen  map[*block]bool // blocks whose words are in it
}

// Lexicon gives the words of the snapshot. It is made from that of the snapshot
// before, so that after a commit only the words of new blocks are looked at;
// where they are all known, it is the very same one.
func (s *Snapshot) Lexicon() *Lexicon {
	if s.lexicon != nil && s.lexicon.covers(s.parts) {
		return s.lexicon
	}
	var lists []Lexicon
	x := &Lexicon{seen: make(map[*block]bool, len(s.parts))}
	for i := range s.parts {
		b := s.parts[i].b
		x.seen[b] = true
		if s.lexicon == nil || !s.lexicon.seen[b] {
			lists = append(lists, b.lexicon(s.lexicon))
		}
	}
	if s.lexicon != nil {
		lists = append(lists, *s.lexicon)
	}
	merged := mergeLexicons(lists)
	x.Words, x.Stems = merged.Words, merged.Stems
	s.lexicon = x
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

// lexicon lists those words of a block that are not known.
func (b *block) lexicon(known *Lexicon) Lexicon {
	var out Lexicon
	x := b.stemIndex()
	for t := range b.terms.len() {
		w := b.terms.at(t)
		if known != nil {
			if _, ok := slices.BinarySearch(known.Words, w); ok {
				continue
			}
		}
		out.Words, out.Stems = append(out.Words, w), append(out.Stems, x.stem(t))
	}
	return out
}

// mergeLexicons merges the two shortest lists until one is left.
func mergeLexicons(lists []Lexicon) Lexicon {
	if len(lists) == 0 {
		return Lexicon{}
	}
	for len(lists) > 1 {
		slices.SortFunc(lists, func(a, b Lexicon) int { return len(b.Words) - len(a.Words) })
		n := len(lists)
		lists[n-2] = mergeTwo(lists[n-2], lists[n-1])
		lists = lists[:n-1]
	}
	return lists[0]
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
