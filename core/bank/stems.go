package bank

import (
	"slices"

	"github.com/leanmem/leanmem/core/text"
)

// stemVersion names what text.Stem does. Blocks store the stems of their
// words; those of another version are made anew when first asked for, so that
// the stemmer may improve without a rewrite of old blocks. A test fails when
// text.Stem changes and this does not.
const stemVersion = 1

// stems leads from the words of a block to their stems.
type stems struct {
	table table  // sorted
	of    []byte // uint32 a word
}

// stemIndex leads the other way, too.
type stemIndex struct {
	stems
	from []int32 // stem → its words in byTerm begin here, +1
	list []int32
}

// makeStems stems words.
func makeStems(words func(i int) string, n int) (offs, blob, of []byte) {
	list := make([]string, n)
	for i := range list {
		list[i] = text.Stem(words(i))
	}
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	putTable(&offs, &blob, sorted)
	of = make([]byte, 0, 4*n)
	for _, s := range list {
		at, _ := slices.BinarySearch(sorted, s)
		of = put32(of, at)
	}
	return offs, blob, of
}

func (l *layout) putStems(terms []string) {
	l.out[secStemVersion] = []byte{stemVersion}
	l.out[secStemOffs], l.out[secStems], l.out[secTermStem] = makeStems(func(i int) string { return terms[i] }, len(terms))
}

func (b *block) readStems(p *[sections][]byte) (err error) {
	if len(p[secStemVersion]) != 1 || p[secStemVersion][0] != stemVersion {
		return nil
	}
	if b.stemmed.table, err = readTable(p[secStemOffs], string(p[secStems]), false, "stems"); err != nil {
		return err
	}
	of := p[secTermStem]
	if len(of) != 4*b.terms.len() {
		return corrupt("stems are not as many as words")
	}
	for i := range b.terms.len() {
		if le32(of, i) >= uint32(b.stemmed.table.len()) {
			return corrupt("a word has no stem")
		}
	}
	b.stemmed.of = of
	return nil
}

// stems gives the stems of the words, made anew where another version stored
// them.
func (b *block) stems() stems {
	if b.stemmed.of == nil {
		offs, blob, of := makeStems(b.terms.at, b.terms.len())
		b.stemmed = stems{table{offs, string(blob)}, of}
	}
	return b.stemmed
}

// stemIndex is built when first asked for.
func (b *block) stemIndex() *stemIndex {
	if b.lazyStems != nil {
		return b.lazyStems
	}
	x := &stemIndex{stems: b.stems()}
	n := b.terms.len()
	x.from, x.list = make([]int32, x.table.len()+2), make([]int32, n)
	for t := range n {
		x.from[le32(x.of, t)+2]++
	}
	for i := 2; i < len(x.from); i++ {
		x.from[i] += x.from[i-1]
	}
	for t := range n { // from[s+1] is where the next word of s goes
		s := le32(x.of, t) + 1
		x.list[x.from[s]] = int32(t)
		x.from[s]++
	}
	b.lazyStems = x
	return x
}

// terms lists the words of a stem.
func (x *stemIndex) terms(stem string) []int32 {
	s, ok := x.table.find(stem)
	if !ok {
		return nil
	}
	return x.list[x.from[s]:x.from[s+1]]
}

// stem gives the stem of a word.
func (x stems) stem(term int) string { return x.table.at(int(le32(x.of, term))) }
