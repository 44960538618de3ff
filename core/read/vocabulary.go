package read

import (
	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/embed"
	"github.com/leanmem/leanmem/core/rank"
	"github.com/leanmem/leanmem/core/text"
)

// vocabulary holds the distinct words of the bank in byte order, with what it
// takes to find those that are like a word of a question.
type vocabulary struct {
	lexicon *bank.Lexicon // that words and stems are of
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

// fillVocabulary takes the bank's words, which are in byte order, and gives each
// its vector; those that an earlier index made are taken over. Words of the
// question alone are looked up in it, so words that no live row holds any more
// do no harm.
func (ix *index) fillVocabulary(before *index) {
	lexicon := ix.s.Lexicon()
	if before != nil && len(before.vocabulary.words) == len(lexicon.Words) && before.vocabulary.lexicon == lexicon {
		ix.vocabulary = before.vocabulary
		return
	}
	v := &ix.vocabulary
	*v = vocabulary{
		lexicon: lexicon, words: lexicon.Words, stems: lexicon.Stems,
		vectors: make([][]int8, len(lexicon.Words)), signs: make([]uint64, signWords*len(lexicon.Words)),
		byStem: make(map[string][]int32, len(lexicon.Words)), likes: map[string][]like{},
	}
	var old vocabulary
	if before != nil {
		old = before.vocabulary
	}
	at := 0
	for i, word := range v.words {
		v.byStem[v.stems[i]] = append(v.byStem[v.stems[i]], int32(i))
		for at < len(old.words) && old.words[at] < word {
			at++
		}
		if at < len(old.words) && old.words[at] == word {
			v.vectors[i] = old.vectors[at]
			copy(v.signs[i*signWords:], old.signs[at*signWords:(at+1)*signWords])
			continue
		}
		v.vectors[i], _ = embed.Word(word)
		copy(v.signs[i*signWords:(i+1)*signWords], rank.Signature(v.vectors[i]))
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
