package read

import (
	"github.com/leanmem/leanmem/core/embed"
	"github.com/leanmem/leanmem/core/rank"
	"github.com/leanmem/leanmem/core/text"
)

// vocabulary holds the distinct words of the bank in byte order, with what it
// takes to find those that are like a word of a question.
type vocabulary struct {
	words   []string
	stems   []string
	vectors [][]int8 // nil: the table does not know the word
	signs   []uint64 // of the vectors, signWords each
	byStem  map[string][]int32
	likes   map[string][]like // of words asked for before, a few
}

const (
	signWords = (embed.Dims + 63) / 64
	likesKept = 512 // words whose likes are kept
)

// fillVocabulary gathers the words; what an earlier index knows of a word is taken over.
func (ix *index) fillVocabulary(before *index) {
	v := &ix.vocabulary
	v.byStem, v.likes = map[string][]int32{}, map[string][]like{}
	var old *vocabulary
	if before != nil {
		old = &before.vocabulary
	}
	at := 0
	ix.s.Vocabulary(func(word string, _ int) {
		for old != nil && at < len(old.words) && old.words[at] < word {
			at++
		}
		if old != nil && at < len(old.words) && old.words[at] == word {
			v.add(word, old.stems[at], old.vectors[at], old.signs[at*signWords:(at+1)*signWords])
			return
		}
		vector, _ := embed.Word(word)
		v.add(word, text.Stem(word), vector, rank.Signature(vector))
	})
}

func (v *vocabulary) add(word, stem string, vector []int8, signs []uint64) {
	v.byStem[stem] = append(v.byStem[stem], int32(len(v.words)))
	v.words, v.stems, v.vectors = append(v.words, word), append(v.stems, stem), append(v.vectors, vector)
	for i := range signWords {
		s := uint64(0)
		if i < len(signs) {
			s = signs[i]
		}
		v.signs = append(v.signs, s)
	}
}

// like is a word of the bank that a word of the question meets.
type like struct {
	word   int32
	same   bool    // of the same stem
	cosine float64 // 1 for the same stem
}

// of finds the words that are like w: those of the same stem, and those whose
// vectors are near.
func (v *vocabulary) of(w string) []like {
	if known, ok := v.likes[w]; ok {
		return known
	}
	var out []like
	stem := text.Stem(w)
	for _, i := range v.byStem[stem] {
		out = append(out, like{word: i, same: true, cosine: 1})
	}
	if vector, ok := embed.Word(w); ok {
		signs := rank.Signature(vector)
		for i := range v.words {
			if v.vectors[i] == nil || rank.Hamming(signs, v.signs[i*signWords:(i+1)*signWords])*100 > signsApart*len(vector) {
				continue
			}
			if c := embed.Cosine(vector, v.vectors[i]); c >= softThreshold && v.stems[i] != stem {
				out = append(out, like{word: int32(i), cosine: c})
			}
		}
	}
	if len(v.likes) >= likesKept {
		clear(v.likes)
	}
	v.likes[w] = out
	return out
}

// term is one content word of a question with what it meets in the bank.
type term struct {
	stem  string
	first bool // no earlier word of the question has the stem
	idf   float64
	met   []meeting // each row once
}

// meeting is a row that a word meets: by words of the same stem, counted, or by
// the word that is most like it.
type meeting struct {
	row    int32
	count  int32
	cosine float64
}

// meet finds the rows of a word.
func (ix *index) meet(w string) term {
	if len(ix.scratch.slot) < ix.s.Rows() {
		ix.scratch.slot = make([]int32, ix.s.Rows())
	}
	slot := ix.scratch.slot // row → place in met, plus one
	t := term{stem: text.Stem(w)}
	for _, l := range ix.vocabulary.of(w) {
		ix.s.Postings(ix.vocabulary.words[l.word], func(row, count int) {
			if slot[row] == 0 {
				t.met = append(t.met, meeting{row: int32(row)})
				slot[row] = int32(len(t.met))
			}
			m := &t.met[slot[row]-1]
			m.cosine = max(m.cosine, l.cosine)
			if l.same {
				m.count += int32(count)
			}
		})
	}
	holding := 0
	for i := range t.met {
		m := &t.met[i]
		slot[m.row] = 0
		if m.count > 0 && ix.pos[m.row] >= 0 {
			holding++
		}
	}
	t.idf = ix.idf(holding)
	return t
}
