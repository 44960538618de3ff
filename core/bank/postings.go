package bank

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/leanmem/leanmem/core/text"
)

// Postings calls yield for the live rows that hold an index word (as
// text.Words gives it, unstemmed), each once, in order of row numbers.
func (s *Snapshot) Postings(word string, yield func(row, count int)) {
	for i := range s.parts {
		p := &s.parts[i]
		if t, ok := p.b.terms.find(word); ok {
			p.postings(t, yield)
		}
	}
}

// postings calls yield for the live rows that hold a word of the part.
func (p *part) postings(term int, yield func(row, count int)) {
	p.b.eachPosting(term, func(row, count int) {
		if !p.dead.has(row) {
			yield(p.base+row, count)
		}
	})
}

// frequency is the number of live rows that hold a word of the part.
func (p *part) frequency(term int) int {
	if p.dead == nil {
		n, _ := binary.Uvarint(cut(p.b.posts, p.b.postOffs, term))
		return int(min(n, uint64(len(p.b.rows))))
	}
	n := 0
	p.postings(term, func(int, int) { n++ })
	return n
}

// Frequency is the number of live rows that hold an index word.
func (s *Snapshot) Frequency(word string) int {
	n := 0
	for i := range s.parts {
		if t, ok := s.parts[i].b.terms.find(word); ok {
			n += s.parts[i].frequency(t)
		}
	}
	return n
}

// StemPostings calls yield for the live rows that hold any word of a stem,
// once a row, counts summed, in order of row numbers.
func (s *Snapshot) StemPostings(stem string, yield func(row, count int)) {
	var list []Posting
	for i := range s.parts {
		p := &s.parts[i]
		terms := p.b.stems().terms(stem)
		if len(terms) == 1 {
			p.postings(terms[0], yield)
			continue
		}
		list = list[:0]
		for _, t := range terms {
			p.postings(t, func(row, count int) { list = append(list, Posting{row, count}) })
		}
		slices.SortFunc(list, func(a, b Posting) int { return cmp.Compare(a.Row, b.Row) })
		for j := 0; j < len(list); {
			sum, k := 0, j
			for ; k < len(list) && list[k].Row == list[j].Row; k++ {
				sum += list[k].Count
			}
			yield(list[j].Row, sum)
			j = k
		}
	}
}

// stemIndex leads from a stem to the words of one block.
type stemIndex struct {
	first map[string]int32 // stem → its last word
	next  []int32          // word → the word of the same stem before it, -1
}

// stems is built when first asked for: stems are no part of the format, so
// that the stemmer may improve without a rewrite of old blocks.
func (b *block) stems() *stemIndex {
	if b.lazyStems != nil {
		return b.lazyStems
	}
	x := &stemIndex{first: make(map[string]int32, b.terms.len()), next: make([]int32, b.terms.len())}
	for t := range b.terms.len() {
		stem := text.Stem(b.terms.at(t))
		before, known := x.first[stem]
		if !known {
			before = -1
		}
		x.next[t], x.first[stem] = before, int32(t)
	}
	b.lazyStems = x
	return x
}

func (x *stemIndex) terms(stem string) []int {
	t, ok := x.first[stem]
	if !ok {
		return nil
	}
	var out []int
	for ; t >= 0; t = x.next[t] {
		out = append(out, int(t))
	}
	return out
}

// vocabulary is the merged list of a snapshot's words.
type vocabulary struct {
	words []string
	rows  []int
}

// Vocabulary calls yield for every distinct index word with the number of live
// rows that hold it, in byte order. It is merged once a snapshot.
func (s *Snapshot) Vocabulary(yield func(word string, rows int)) {
	if s.lazyVocab == nil {
		s.lazyVocab = s.mergeVocabulary()
	}
	for i, w := range s.lazyVocab.words {
		yield(w, s.lazyVocab.rows[i])
	}
}

func (s *Snapshot) mergeVocabulary() *vocabulary {
	v := &vocabulary{}
	tables := make([]table, len(s.parts))
	for i := range s.parts {
		tables[i] = s.parts[i].b.terms
	}
	walk(tables, func(word string, i, at int) {
		n := s.parts[i].frequency(at)
		if n == 0 {
			return
		}
		if last := len(v.words) - 1; last >= 0 && v.words[last] == word {
			v.rows[last] += n
			return
		}
		v.words, v.rows = append(v.words, word), append(v.rows, n)
	})
	return v
}
