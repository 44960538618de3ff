// Package embed is the built-in embedder: a static table of vectors of word
// pieces, fitted so that the mean of a text's rows points where a sentence
// encoder would (fit/README.md). It gives every host semantic search with
// nothing installed.
//
// It covers the languages that the table was fitted on (English); of a text
// that it does not cover it says so, and other terms carry the search. It asks
// nobody, keeps no state, builds nothing at start-up, and computes in integers,
// so that every engine gives the same bytes.
package embed

import "unicode"

// Vector is a direction as int8, its largest component ±127. Compare vectors
// by rank.CosineInt8: their lengths mean nothing.
type Vector = []int8

// maxText bounds the work on one text, in bytes; of a longer one the beginning
// speaks for all.
const maxText = 64 << 10

// longPiece is the mean length, in letters, from which the pieces of a word
// tell a word that English has from one that it has not (RATIONALE.md).
const longPiece = 5

// Text embeds a text. ok is false where the table does not cover it: fewer than
// half of its letters stand in words of long pieces. English does; words of
// other languages fall apart into short pieces, whose sum would be noise.
func Text(text string) (v Vector, ok bool) {
	if len(text) > maxText {
		text = text[:maxText]
	}
	var s sum
	letters := 0
	for w := range words(text) {
		letters += letterCount(w)
		s.addWord(w)
	}
	if s.long == 0 || 2*s.long < letters {
		return nil, false
	}
	return s.vector()
}

// Word embeds one word for soft term match. ok is false where the table cannot
// make up all of it, and for numbers: near ones would match as near words do.
func Word(word string) (v Vector, ok bool) {
	var s sum
	letters := 0
	for w := range words(word) {
		letters += letterCount(w)
		s.addWord(w)
	}
	if letters == 0 || s.letters < letters {
		return nil, false
	}
	return s.vector()
}

func letterCount(w string) int {
	n := 0
	for _, r := range w {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') || r >= 0x80 && unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// sum adds up the rows of pieces.
type sum struct {
	at      [Dims]int64
	letters int // of the words that its rows make up
	long    int // of those of one piece, or of longPiece letters a piece
}

// addWord adds the rows of a word's pieces: the longest known beginning, then
// the longest known continuation, and so on. A word that cannot be made up
// whole adds nothing.
func (s *sum) addWord(w string) {
	var rows [maxPieces]int
	n := 0
	for at := 0; at < len(w); {
		end, row := longest(w, at)
		if row < 0 || n == maxPieces {
			return
		}
		rows[n] = row
		n++
		at = end
	}
	for _, row := range rows[:n] {
		table.add(&s.at, row)
	}
	letters := letterCount(w)
	s.letters += letters
	if n == 1 || letters >= longPiece*n {
		s.long += letters
	}
}

// vector gives the direction of the sum.
func (s *sum) vector() (Vector, bool) {
	most := int64(0)
	for _, x := range s.at {
		most = max(most, x, -x)
	}
	if most == 0 {
		return nil, false
	}
	v := make(Vector, Dims)
	for i, x := range s.at {
		if x >= 0 {
			v[i] = int8((x*254 + most) / (2 * most))
		} else {
			v[i] = -int8((-x*254 + most) / (2 * most))
		}
	}
	return v, true
}
