package bank

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
)

// Lexicon lists the index words of a bank in byte order, without repeats. Words
// that no live row holds any more may be among them, so nothing that a reader
// shows may depend on a word being there; Frequency and Postings tell. The list
// is shared and must not be changed.
type Lexicon struct {
	Words []Lexeme
	seen  map[*block]bool // blocks whose words are in it
}

// Lexeme is one index word.
type Lexeme struct {
	Text  string
	Stem  string
	Signs uint64 // of its vector (rank.Signature); Unsigned or NoSigns without
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
	var fresh []Lexeme
	have := map[string]bool{}
	for i := range s.parts {
		b := s.parts[i].b
		x.seen[b] = true
		if known.seen[b] {
			continue
		}
		stems := b.stems()
		for t := range b.terms.len() {
			if w := b.terms.at(t); !have[w] && !known.has(w) {
				have[w] = true
				fresh = append(fresh, b.lexeme(t, stems, s.table))
			}
		}
	}
	mem.Sort(fresh, func(a, b *Lexeme) int { return strings.Compare(a.Text, b.Text) })
	x.Words = mergeWords(known.Words, fresh)
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
	x.seen[most], x.Words = true, make([]Lexeme, most.terms.len())
	stems := most.stems()
	for t := range x.Words {
		x.Words[t] = most.lexeme(t, stems, s.table)
	}
	return x
}

func (b *block) lexeme(term int, stems stems, t wordTable) Lexeme {
	return Lexeme{Text: b.terms.at(term), Stem: stems.stem(term), Signs: b.sign(term, t)}
}

func (x *Lexicon) covers(parts []part) bool {
	for i := range parts {
		if !x.seen[parts[i].b] {
			return false
		}
	}
	return true
}

func (x *Lexicon) has(word string) bool {
	_, ok := slices.BinarySearchFunc(x.Words, word, func(l Lexeme, w string) int { return strings.Compare(l.Text, w) })
	return ok
}

// mergeWords merges two lists that share no word.
func mergeWords(a, b []Lexeme) []Lexeme {
	if len(b) == 0 {
		return a
	}
	out := make([]Lexeme, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].Text < b[0].Text {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// Vocabulary calls yield for every distinct index word with the number of live
// rows that hold it, in byte order. It counts anew each time it is called;
// Lexicon does not.
func (s *Snapshot) Vocabulary(yield func(word string, rows int)) {
	next := make([]int, len(s.parts))
	for _, lexeme := range s.Lexicon().Words {
		w := lexeme.Text
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
