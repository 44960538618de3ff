package bank

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
)

// builder lays entries out as a block. Rows stand in canonical order (kind,
// session, place, time, id), so that a session's turns are one range and equal
// content gives equal bytes.
type builder struct {
	rows     []entry
	specials []entry
	words    map[string][]Posting // rows as numbered by add
	embedder Embedder             // of the vectors
	table    wordTable
	signs    map[string]uint64 // of words that were signed before
	size     int
	once     []Posting // room for the first postings of words, most of which have no second
}

func newBuilder(e Embedder, t wordTable) *builder {
	return &builder{words: map[string][]Posting{}, embedder: e, table: t, signs: map[string]uint64{}}
}

func (b *builder) len() int { return len(b.rows) + len(b.specials) }

// add takes an entry and gives its number among the rows.
func (b *builder) add(e entry) int {
	b.size += e.size()
	if e.special != 0 {
		b.specials = append(b.specials, e)
		return -1
	}
	b.rows = append(b.rows, e)
	return len(b.rows) - 1
}

// index counts the words of a row just added, which it sorts.
func (b *builder) index(row int, words []string) {
	b.rows[row].row.Length = len(words)
	slices.Sort(words)
	for i := 0; i < len(words); {
		j := i + 1
		for j < len(words) && words[j] == words[i] {
			j++
		}
		b.post(words[i], row, j-i)
		i = j
	}
}

// post adds one posting.
func (b *builder) post(word string, row, count int) {
	list, known := b.words[word]
	if !known {
		b.size += len(word) + 10
	}
	b.size += 3
	p := Posting{Row: int32(row), Count: int32(count)}
	if known {
		b.words[word] = append(list, p)
		return
	}
	if len(b.once) == cap(b.once) {
		b.once = make([]Posting, 0, 256)
	}
	n := len(b.once)
	b.once = append(b.once, p)
	b.words[word] = b.once[n : n+1 : n+1]
}

// compareRows is the canonical order of rows.
func compareRows(a, b *Row) int {
	if c := cmp.Compare(codeOf(a.Kind), codeOf(b.Kind)); c != 0 {
		return c
	}
	if c := strings.Compare(a.Session, b.Session); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Seq, b.Seq); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Time, b.Time); c != 0 {
		return c
	}
	if a.ID != b.ID {
		return strings.Compare(a.ID, b.ID)
	}
	return cmp.Compare(a.Passage, b.Passage)
}

// layout is the state of one encoding.
type layout struct {
	*builder
	out   [sections][]byte
	order []int // place in the block → number in rows
	place []int // the inverse
	names map[string]int
	keyAt map[string]int
}

// encode gives the bytes of the block.
func (b *builder) encode() []byte {
	l := &layout{builder: b}
	l.sort()
	l.putKeys()
	l.putNames()
	l.putRows()
	l.putBodies()
	l.putTerms()
	l.putVectors()
	return joinSections(&l.out)
}

func (l *layout) sort() {
	mem.Sort(l.specials, func(a, b *entry) int { return strings.Compare(a.row.ID, b.row.ID) })
	l.order, l.place = make([]int, len(l.rows)), make([]int, len(l.rows))
	for i := range l.order {
		l.order[i] = i
	}
	mem.Sort(l.order, func(i, j *int) int { return compareRows(&l.rows[*i].row, &l.rows[*j].row) })
	for at, i := range l.order {
		l.place[i] = at
	}
}

// at gives the entry that stands at a place, specials after rows.
func (l *layout) at(place int) *entry {
	if place < len(l.rows) {
		return &l.rows[l.order[place]]
	}
	return &l.specials[place-len(l.rows)]
}

// putTable stores strings as a table.
func putTable(offs, blob *[]byte, items []string) {
	*offs = put32(make([]byte, 0, 4*len(items)+4), 0)
	for _, s := range items {
		*blob = append(*blob, s...)
		*offs = put32(*offs, len(*blob))
	}
}

func (l *layout) putKeys() {
	places := make([]int, 0, l.len())
	for i := range l.len() {
		if l.at(i).row.Passage == 0 {
			places = append(places, i)
		}
	}
	mem.Sort(places, func(i, j *int) int { return strings.Compare(l.at(*i).row.ID, l.at(*j).row.ID) })
	keys := make([]string, len(places))
	l.keyAt = make(map[string]int, len(places))
	for i, p := range places {
		keys[i] = l.at(p).row.ID
		l.keyAt[keys[i]] = i
		l.out[secKeyEntry] = put32(l.out[secKeyEntry], p)
	}
	putTable(&l.out[secKeyOffs], &l.out[secKeys], keys)
}

func rowNames(r *Row) [8]string {
	return [8]string{r.Session, r.Speaker, string(r.Role), r.Subject, r.Day, r.From, r.To, r.Source}
}

func (l *layout) putNames() {
	l.names = map[string]int{}
	var list []string
	add := func(s string) {
		if _, known := l.names[s]; !known {
			l.names[s] = 0
			list = append(list, s)
		}
	}
	for i := range l.rows {
		for _, s := range rowNames(&l.rows[i].row) {
			add(s)
		}
		for _, s := range l.rows[i].sources {
			add(s)
		}
	}
	slices.Sort(list)
	for i, s := range list {
		l.names[s] = i
	}
	putTable(&l.out[secStrOffs], &l.out[secStrs], list)
}

func (l *layout) putRows() {
	sets := l.putLabels()
	out := make([]byte, 0, rowSize*len(l.rows))
	l.out[secSrcOffs] = put32(nil, 0)
	for i := range l.rows {
		e := l.at(i)
		r := &e.row
		out = put32(out, l.keyAt[r.ID])
		flags := byte(0)
		if r.Buffered {
			flags |= flagBuffered
		}
		out = append(out, byte(codeOf(r.Kind)), flags, byte(r.Signals), 0)
		for _, s := range rowNames(r) {
			out = put32(out, l.names[s])
		}
		out = put32(put32(put32(out, sets[e.labels]), r.Seq), r.Length)
		out = put32(put32(out, int(r.Passage)), int(r.Passages))
		out = put32(put32(out, int(r.Start)), int(r.End))
		out = binary.LittleEndian.AppendUint64(out, uint64(r.Time))
		out = binary.LittleEndian.AppendUint64(out, uint64(r.Expires))
		out = binary.LittleEndian.AppendUint64(out, r.Line)
		for _, s := range e.sources {
			l.out[secSrcs] = put32(l.out[secSrcs], l.names[s])
		}
		l.out[secSrcOffs] = put32(l.out[secSrcOffs], len(l.out[secSrcs])/4)
	}
	l.out[secRows] = out
	for i := range l.specials {
		l.out[secSpecials] = put32(put32(l.out[secSpecials], l.keyAt[l.specials[i].row.ID]), l.specials[i].special)
	}
}

// putLabels stores each label set once and numbers them from 1.
func (l *layout) putLabels() map[string]int {
	sets := map[string]int{"": 0}
	var list []json.RawMessage
	for i := range l.rows {
		key := l.at(i).labels
		if _, known := sets[key]; !known {
			list = append(list, json.RawMessage(key))
			sets[key] = len(list)
		}
	}
	if len(list) > 0 {
		l.out[secLabels], _ = json.Marshal(list) // valid JSON by construction
	}
	return sets
}

func (l *layout) putBodies() {
	texts, bodies := 0, 0
	for i := range l.len() {
		texts += len(l.at(i).text)
		bodies += len(l.at(i).body)
	}
	l.out[secTexts], l.out[secBodies] = make([]byte, 0, texts), make([]byte, 0, bodies)
	l.out[secTextOffs], l.out[secBodyOffs] = put32(make([]byte, 0, 4*len(l.rows)+4), 0), put32(make([]byte, 0, 4*l.len()+4), 0)
	for i := range l.len() {
		e := l.at(i)
		if e.special == 0 {
			l.out[secTexts] = append(l.out[secTexts], e.text...)
			l.out[secTextOffs] = put32(l.out[secTextOffs], len(l.out[secTexts]))
		}
		l.out[secBodies] = append(l.out[secBodies], e.body...)
		l.out[secBodyOffs] = put32(l.out[secBodyOffs], len(l.out[secBodies]))
	}
}

// putTerms stores the words with their postings: the number of rows, then for
// each row twice its distance to the one before, plus one and followed by the
// count when that is not 1.
func (l *layout) putTerms() {
	terms := make([]string, 0, len(l.words))
	for w := range l.words { // sorted next
		terms = append(terms, w)
	}
	slices.Sort(terms)
	putTable(&l.out[secTermOffs], &l.out[secTerms], terms)
	offs, posts := put32(nil, 0), []byte(nil)
	for _, w := range terms {
		list := l.words[w]
		for i := range list {
			list[i].Row = int32(l.place[list[i].Row])
		}
		sortPostings(list)
		posts = binary.AppendUvarint(posts, uint64(len(list)))
		last := int32(0)
		for _, p := range list {
			if p.Count == 1 {
				posts = binary.AppendUvarint(posts, uint64(p.Row-last)<<1)
			} else {
				posts = binary.AppendUvarint(posts, uint64(p.Row-last)<<1|1)
				posts = binary.AppendUvarint(posts, uint64(p.Count))
			}
			last = p.Row
		}
		offs = put32(offs, len(posts))
	}
	l.out[secPostOffs], l.out[secPosts] = offs, posts
	l.putStems(terms)
	l.putSigns(terms)
}

func (l *layout) putVectors() {
	dims, some := l.embedder.Dims, false
	for i := range l.rows {
		some = some || len(l.rows[i].vec) == dims && dims > 0
	}
	if !some {
		return
	}
	bits, vecs := make([]byte, (len(l.rows)+7)/8), make([]byte, dims*len(l.rows))
	for i := range l.rows {
		v := l.at(i).vec
		if len(v) != dims {
			continue
		}
		bits[i/8] |= 1 << (i % 8)
		for j, x := range v {
			vecs[i*dims+j] = byte(x)
		}
	}
	l.out[secVecName], l.out[secVecBits], l.out[secVecs] = []byte(l.embedder.Name), bits, vecs
}
