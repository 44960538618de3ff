package bank

import (
	"encoding/binary"
	"math"
	"slices"
)

// Postings calls yield for the live rows that hold an index word (as
// text.Words gives it, unstemmed), each once, in order of row numbers.
func (s *Snapshot) Postings(word string, yield func(row, count int)) {
	for _, p := range s.AppendPostings(nil, word) {
		yield(int(p.Row), int(p.Count))
	}
}

// AppendPostings appends the live rows that hold an index word, in order of row
// numbers.
func (s *Snapshot) AppendPostings(to []Posting, word string) []Posting {
	hash := wordHash(word)
	for i := range s.parts {
		p := &s.parts[i]
		if t, ok := p.b.term(word, hash); ok {
			to = p.postings(t, to)
		}
	}
	return to
}

// postings appends the live rows that hold a word of the part. Bytes that make
// no sense (the checksum matched, so they were written so) end it. It is the
// inner loop of a search, hence no call for the usual posting of one byte: calls
// are dear in wasm.
func (p *part) postings(term int, to []Posting) []Posting {
	list := cut(p.b.posts, p.b.postOffs, term)
	n, at := binary.Uvarint(list)
	if at <= 0 {
		return to
	}
	to = slices.Grow(to, int(min(n, uint64(len(list)))))
	row, end := uint64(0), uint64(len(p.b.rows))
	for ; n > 0 && at < len(list); n-- {
		v := uint64(list[at])
		at++
		if v >= 0x80 {
			var w int
			if v, w = binary.Uvarint(list[at-1:]); w <= 0 {
				return to
			}
			at += w - 1
		}
		count := uint64(1)
		if v&1 != 0 {
			var w int
			if count, w = binary.Uvarint(list[at:]); w <= 0 {
				return to
			}
			at += w
		}
		if v>>1 >= end-row {
			return to
		}
		row += v >> 1
		if p.dead != nil && p.dead[row>>6]&(1<<(row&63)) != 0 {
			continue
		}
		to = append(to, Posting{Row: int32(p.base) + int32(row), Count: int32(min(count, math.MaxInt32))})
	}
	return to
}

// frequency is the number of live rows that hold a word of the part.
func (p *part) frequency(term int) int {
	if p.dead == nil {
		n, _ := binary.Uvarint(cut(p.b.posts, p.b.postOffs, term))
		return int(min(n, uint64(len(p.b.rows))))
	}
	return len(p.postings(term, nil))
}

// Frequency is the number of live rows that hold an index word.
func (s *Snapshot) Frequency(word string) int {
	n, hash := 0, wordHash(word)
	for i := range s.parts {
		if t, ok := s.parts[i].b.term(word, hash); ok {
			n += s.parts[i].frequency(t)
		}
	}
	return n
}

// AppendStemPostings appends the live rows that hold any word of a stem, word by
// word: a row may be there several times.
func (s *Snapshot) AppendStemPostings(to []Posting, stem string) []Posting {
	for i := range s.parts {
		p := &s.parts[i]
		for _, t := range p.b.stemIndex().terms(stem) {
			to = p.postings(int(t), to)
		}
	}
	return to
}

// StemPostings calls yield for the live rows that hold any word of a stem,
// once a row, counts summed, in order of row numbers.
func (s *Snapshot) StemPostings(stem string, yield func(row, count int)) {
	var list []Posting
	for i := range s.parts {
		p := &s.parts[i]
		terms := p.b.stemIndex().terms(stem)
		list = list[:0]
		for _, t := range terms {
			list = p.postings(int(t), list)
		}
		sortPostings(list)
		for j := 0; j < len(list); {
			sum, k := 0, j
			for ; k < len(list) && list[k].Row == list[j].Row; k++ {
				sum += int(list[k].Count)
			}
			yield(int(list[j].Row), sum)
			j = k
		}
	}
}

// sortPostings orders postings by row, then count, each as one number.
func sortPostings(list []Posting) {
	if slices.IsSortedFunc(list, func(a, b Posting) int { return int(a.Row) - int(b.Row) }) {
		return
	}
	keys := make([]uint64, len(list))
	for i, p := range list {
		keys[i] = uint64(p.Row)<<32 | uint64(uint32(p.Count))
	}
	slices.Sort(keys)
	for i, k := range keys {
		list[i] = Posting{Row: int32(k >> 32), Count: int32(uint32(k))}
	}
}
