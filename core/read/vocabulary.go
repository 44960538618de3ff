package read

import (
	"strings"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/embed"
	"github.com/leanmem/leanmem/core/rank"
	"github.com/leanmem/leanmem/core/text"
)

// vocabulary holds the distinct words of the bank in byte order, with what it
// takes to find those that are like a word of a question.
type vocabulary struct {
	lexicon *bank.Lexicon
	words   []bank.Lexeme        // of the lexicon
	signs   []uint64             // of the words' vectors
	vectors map[int32]wordVector // of words, those compared so far
	byStem  map[string]int32     // the first word of a stem
	next    []int32              // word → the next of its stem; 0: none
	likes   map[string][]like    // of words asked for before, a few
}

// wordVector is the vector of a word, nil where the table lacks it.
type wordVector struct {
	of     []int8
	length float64
}

const likesKept = 512 // words whose likes are kept

const _ = uint(64 - embed.Dims) // the signs of a word's vector are one number

// fillVocabulary takes the bank's words. Words of the question alone are looked
// up in it, so words that no live row holds any more do no harm.
func (ix *index) fillVocabulary(before *index) {
	lexicon := ix.s.Lexicon()
	if before != nil && len(before.vocabulary.words) == len(lexicon.Words) && before.vocabulary.lexicon == lexicon {
		ix.vocabulary = before.vocabulary
		return
	}
	n := len(lexicon.Words)
	ix.vocabulary = vocabulary{
		lexicon: lexicon, words: lexicon.Words, signs: make([]uint64, n), vectors: map[int32]wordVector{},
		byStem: make(map[string]int32, n), next: make([]int32, n), likes: map[string][]like{},
	}
	v := &ix.vocabulary
	for i := n - 1; i >= 0; i-- {
		w := &v.words[i]
		if v.signs[i] = w.Signs; w.Signs == bank.Unsigned {
			v.signs[i] = bank.NoSigns
			if vector := v.vector(int32(i)); vector.of != nil {
				v.signs[i] = rank.Signature(vector.of)[0]
			}
		}
		v.next[i] = v.byStem[w.Stem] // 0 is no later word than any
		v.byStem[w.Stem] = int32(i)
	}
}

// vector gives the vector of a word.
func (v *vocabulary) vector(word int32) wordVector {
	if known, ok := v.vectors[word]; ok {
		return known
	}
	var out wordVector
	if vector, ok := embed.Word(v.words[word].Text); ok {
		out = wordVector{vector, length8(vector)}
	}
	v.vectors[word] = out
	return out
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
	if i, ok := v.byStem[stem]; ok {
		out = append(out, like{word: i, same: true, cosine: 1})
		for i = v.next[i]; i != 0; i = v.next[i] {
			out = append(out, like{word: i, same: true, cosine: 1})
		}
	}
	if text.Character(w) {
		out = v.holding(w, out)
	}
	if vector, ok := embed.Word(w); ok {
		out = v.near(vector, stem, out)
	}
	if len(v.likes) >= likesKept {
		clear(v.likes)
	}
	v.likes[w] = out
	return out
}

// holding appends the pairs of characters that hold one: where it stands in a
// text among others, the text is indexed by nothing else.
func (v *vocabulary) holding(character string, out []like) []like {
	for i := range v.words {
		if w := v.words[i].Text; len(w) > len(character) && strings.Contains(w, character) {
			out = append(out, like{word: int32(i), same: true, cosine: 1})
		}
	}
	return out
}

// near appends the words of other stems whose vectors are like one.
func (v *vocabulary) near(vector []int8, stem string, out []like) []like {
	length := length8(vector)
	near := rank.Near(nil, v.signs, rank.Signature(vector), signsApart*len(vector)/100)
	for _, i := range near {
		other := v.vector(i)
		if other.of == nil || v.words[i].Stem == stem {
			continue
		}
		if c := float64(rank.DotInt8(vector, other.of)) / float64(length*other.length); c >= softThreshold {
			out = append(out, like{word: i, cosine: c})
		}
	}
	return out
}

// term is one content word of a question with what it meets in the bank: by
// words of the same stem, counted, or by the word that is most like it.
type term struct {
	stem     string
	first    bool // no earlier word of the question has the stem
	idf      float64
	same     []int32    // positions that hold a word of the same stem
	memories []weighted // rows that are not ranked, with the cosine of their best word

	lexical, soft []weighted // positions, with what the word is worth there
}

// meeting is a position or row that a word meets.
type meeting struct {
	at     int32
	count  int32   // of words of the same stem
	cosine float64 // 1 where there are any
}

// kept are the words that an index remembers, in two generations: when the
// younger one is full the older one is forgotten, so a word that is asked for
// again in time stays.
type kept struct {
	young, old map[string]term
	size       int // of what young holds, in places of 8 bytes
}

// A generation holds so many places for each position of the bank, and a few
// more.
const (
	keptPlaces = 50
	keptMore   = 8192
)

func (k *kept) keep(w string, t term, positions int) {
	size := len(t.same)/2 + len(t.memories) + len(t.lexical) + len(t.soft)
	if k.young == nil || k.size+size > keptMore+keptPlaces*positions {
		k.old, k.young, k.size = k.young, map[string]term{}, 0
	}
	k.young[w] = t
	k.size += size
}

// meet finds the rows of a word.
func (ix *index) meet(w string) term {
	if t, young := ix.terms.young[w]; young {
		return t
	}
	t, old := ix.terms.old[w]
	if !old {
		t = ix.meetNew(w)
	}
	ix.terms.keep(w, t, len(ix.rows))
	return t
}

func (ix *index) meetNew(w string) term {
	t := term{stem: text.Stem(w)}
	met := ix.meetings(ix.vocabulary.of(w))
	turns := met[:0]
	for _, m := range met {
		p := ix.pos[m.at]
		if p < 0 {
			t.memories = append(t.memories, weighted{m.at, float32(m.cosine)})
			continue
		}
		m.at = p
		turns = append(turns, m)
		if m.count > 0 {
			t.same = append(t.same, p)
		}
	}
	t.idf = ix.idf(len(t.same))
	t.lexical, t.soft = ix.lexicalOf(turns), ix.softOf(turns, t.idf)
	return t
}

// meetings lists the rows that hold any of the likes, which begin with those of
// the same stem. The list holds until the next call.
func (ix *index) meetings(likes []like) []meeting {
	if len(ix.scratch.slot) < ix.s.Rows() {
		ix.scratch.slot = make([]int32, ix.s.Rows())
	}
	slot := ix.scratch.slot // row → place in met, plus one
	met := ix.scratch.met[:0]
	for _, l := range likes {
		ix.scratch.postings = ix.s.AppendPostings(ix.scratch.postings[:0], ix.vocabulary.words[l.word].Text)
		for _, p := range ix.scratch.postings {
			at := slot[p.Row]
			if at == 0 {
				met = append(met, meeting{at: p.Row})
				at = int32(len(met))
				slot[p.Row] = at
			}
			m := &met[at-1]
			if l.cosine > m.cosine {
				m.cosine = l.cosine
			}
			if l.same {
				m.count += p.Count
			}
		}
	}
	for _, m := range met {
		slot[m.at] = 0
	}
	ix.scratch.met = met
	return met
}
