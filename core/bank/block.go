package bank

import (
	"encoding/binary"
	"encoding/json"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// Codes of the row kinds, in the canonical order of kinds.
const (
	codeTurn = iota
	codeProfile
	codeEvent
	codeRecord
	kinds
)

var kindOf = [kinds]mem.Kind{mem.KindTurn, mem.KindProfile, mem.KindEvent, mem.KindRecord}

// codeOf gives the code of a kind, kinds for an unknown one.
func codeOf(k mem.Kind) int {
	for c, known := range kindOf {
		if k == known {
			return c
		}
	}
	return kinds
}

// Codes of the entries that are not rows. Their keys open with a zero byte and
// a letter, which no id does.
const (
	specialSession = iota + 1 // body: SessionState
	specialReply              // body: PaidReply
	specialMark               // body: salted hash of the session
	specialRemoval            // no body: an older entry of that key is gone
	specialVector             // body: embedder ‖ 0 ‖ vector, for a row elsewhere
	specialEnd
)

const (
	keySession = "\x00s"
	keyReply   = "\x00p"
	keyMark    = "\x00m"
	keyVector  = "\x00v"
)

const flagBuffered = 1

// totals sums the rows of one kind; of a turn in passages only the first is
// counted, but all their lengths.
type totals struct{ rows, length int }

type special struct {
	key  int // place among the keys
	kind int
}

// block is one decoded block. It is immutable but for indexes that are built
// when first asked for; those depend on nothing but the block.
type block struct {
	raw      []byte
	keys     table
	keyEntry []byte
	strs     table
	rows     []Row
	kindEnd  [kinds]int // rows of a kind end here; they begin where the kind before ends
	sums     [kinds]totals
	srcOffs  []byte
	srcs     []byte
	textOffs []byte
	texts    []byte
	bodyOffs []byte
	bodies   []byte
	specials []special
	terms    table
	postOffs []byte
	posts    []byte
	stemmed  stems // as stored; empty when made by another version
	signName string
	signs    []byte // uint64 a word, of the table signName
	vecName  string
	vecDims  int
	vecBits  []byte
	vecs     []int8

	lazySessions map[string][2]int // turns of a session: [first row, end)
	lazyStates   map[int]SessionState
	lazyOpen     []int // entries of sessions that owe turns
	isOpen       bool  // lazyOpen is made
	lazyStems    *stemIndex
	lazySigns    []uint64 // of the vectors, row after row
	squares      []int32  // inner products of the vectors with themselves
	lazyWords    []int32  // hash of a word → its place among terms, +1
	expires      bool     // a row has a time to live
}

func (b *block) entries() int { return len(b.rows) + len(b.specials) }

// kindRange gives the rows of a kind: [from, to).
func (b *block) kindRange(code int) (from, to int) {
	if code > 0 {
		from = b.kindEnd[code-1]
	}
	return from, b.kindEnd[code]
}

// rowMemory is about what a Row takes, in bytes.
const rowMemory = 256

// bytes is about what the block keeps in memory.
func (b *block) bytes() int {
	return len(b.raw) + len(b.keys.blob) + len(b.strs.blob) + len(b.terms.blob) + len(b.rows)*rowMemory + 16*b.terms.len() + 1024
}

// findKey gives the entry of a key.
func (b *block) findKey(key string) (entry int, ok bool) {
	p, ok := b.keys.find(key)
	if !ok {
		return 0, false
	}
	return int(le32(b.keyEntry, p)), true
}

// key gives the key of an entry.
func (b *block) key(entry int) string {
	if entry < len(b.rows) {
		return b.rows[entry].ID
	}
	return b.keys.at(b.specials[entry-len(b.rows)].key)
}

// kindAt gives the kind of an entry that is no row, 0 for a row.
func (b *block) kindAt(entry int) int {
	if entry < len(b.rows) {
		return 0
	}
	return b.specials[entry-len(b.rows)].kind
}

func (b *block) text(row int) []byte   { return cut(b.texts, b.textOffs, row) }
func (b *block) body(entry int) []byte { return cut(b.bodies, b.bodyOffs, entry) }

func cut(blob, offs []byte, i int) []byte { return blob[le32(offs, i):le32(offs, i+1)] }

// sources lists the source ids of a row.
func (b *block) sources(row int) []string {
	from, to := int(le32(b.srcOffs, row)), int(le32(b.srcOffs, row+1))
	if from == to {
		return nil
	}
	out := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, b.strs.at(int(le32(b.srcs, i))))
	}
	return out
}

// vector gives a row's own vector by the block's embedder.
func (b *block) vector(row int) []int8 {
	if b.vecDims == 0 || b.vecBits[row/8]&(1<<(row%8)) == 0 {
		return nil
	}
	return b.vecs[row*b.vecDims : (row+1)*b.vecDims : (row+1)*b.vecDims]
}

// decodeBlock reads a block. The raw bytes are kept and must not change. Any
// input gives a block or an error; what it allocates is a small multiple of
// the input.
func decodeBlock(raw []byte) (*block, error) {
	parts, err := splitSections(raw)
	if err != nil {
		return nil, err
	}
	b := &block{raw: raw}
	if raw[3] == 1 {
		parts[secRows] = widen(parts[secRows])
	}
	steps := []func(*[sections][]byte) error{b.readKeys, b.readRows, b.readBodies, b.readTerms, b.readVectors}
	for _, step := range steps {
		if err := step(&parts); err != nil {
			return nil, err
		}
	}
	for i := b.kindEnd[codeTurn]; raw[3] == 1 && i < len(b.rows); i++ {
		b.rows[i].Line = LineHash(mem.LineKey(b.decodeMemory(i)))
	}
	return b, nil
}

// widen makes rows of format 1 as long as today's.
func widen(rows []byte) []byte {
	if len(rows)%rowSizeOf1 != 0 {
		return make([]byte, 1) // refused by who reads it
	}
	out := make([]byte, 0, len(rows)/rowSizeOf1*rowSize)
	for ; len(rows) > 0; rows = rows[rowSizeOf1:] {
		out = append(append(out, rows[:rowSizeOf1]...), make([]byte, rowSize-rowSizeOf1)...)
	}
	return out
}

func (b *block) readKeys(p *[sections][]byte) (err error) {
	if b.keys, err = readTable(p[secKeyOffs], string(p[secKeys]), true, "keys"); err != nil {
		return err
	}
	if b.strs, err = readTable(p[secStrOffs], string(p[secStrs]), false, "names"); err != nil {
		return err
	}
	rows, extra := len(p[secRows])/rowSize, len(p[secSpecials])/8
	if len(p[secRows])%rowSize != 0 || len(p[secSpecials])%8 != 0 || rows+extra < b.keys.len() || len(p[secKeyEntry]) != 4*b.keys.len() {
		return corrupt("the number of entries is not that of keys")
	}
	b.keyEntry = p[secKeyEntry]
	seen := newBitset(rows + extra)
	for i := range b.keys.len() {
		e := le32(b.keyEntry, i)
		if e >= uint32(rows+extra) || seen.has(int(e)) {
			return corrupt("a key leads to no entry of its own")
		}
		seen.set(int(e))
	}
	b.specials = make([]special, extra)
	for i := range b.specials {
		k, kind := le32(p[secSpecials], 2*i), le32(p[secSpecials], 2*i+1)
		if k >= uint32(b.keys.len()) || le32(b.keyEntry, int(k)) != uint32(rows+i) || kind == 0 || kind >= specialEnd {
			return corrupt("an entry that is no row has no key or kind")
		}
		b.specials[i] = special{int(k), int(kind)}
	}
	return nil
}

func (b *block) readRows(p *[sections][]byte) error {
	var labels []map[string]string
	if len(p[secLabels]) > 0 {
		if err := json.Unmarshal(p[secLabels], &labels); err != nil {
			return corrupt("label sets are no JSON")
		}
	}
	b.rows = make([]Row, len(p[secRows])/rowSize)
	for i := range b.rows {
		rec := p[secRows][i*rowSize : (i+1)*rowSize]
		if err := b.readRow(i, rec, labels); err != nil {
			return err
		}
	}
	if n := len(b.rows); n > 0 && b.rows[n-1].Passage+1 != b.rows[n-1].Passages {
		return corrupt("the last turn lacks passages")
	}
	for c := 1; c < kinds; c++ {
		b.kindEnd[c] = max(b.kindEnd[c], b.kindEnd[c-1])
	}
	b.srcOffs, b.srcs = p[secSrcOffs], p[secSrcs]
	if len(b.srcs)%4 != 0 || len(b.srcOffs) != 4*(len(b.rows)+1) {
		return corrupt("sources have no whole entries")
	}
	if err := checkOffsets(b.srcOffs, len(b.srcs)/4, "sources"); err != nil {
		return err
	}
	for i := range len(b.srcs) / 4 {
		if le32(b.srcs, i) >= uint32(b.strs.len()) {
			return corrupt("a source has no name")
		}
	}
	return nil
}

// readRow reads one fixed-width record.
func (b *block) readRow(i int, rec []byte, labels []map[string]string) error {
	k, kind, set := le32(rec, 0), rec[4], le32(rec, 10)
	if k >= uint32(b.keys.len()) || kind >= kinds || set > uint32(len(labels)) {
		return corrupt("a row has no key, kind or labels")
	}
	var names [8]string
	for f := range names {
		n := le32(rec, 2+f)
		if n >= uint32(b.strs.len()) {
			return corrupt("a row refers to no name")
		}
		names[f] = b.strs.at(int(n))
	}
	r := &b.rows[i]
	*r = Row{
		ID: b.keys.at(int(k)), Kind: kindOf[kind], Session: names[0], Speaker: names[1], Role: mem.Role(names[2]),
		Subject: names[3], Day: names[4], From: names[5], To: names[6], Source: names[7],
		Buffered: rec[5]&flagBuffered != 0, Signals: text.Signals(rec[6]),
		Seq: int(le32(rec, 11)), Length: int(le32(rec, 12)),
		Passage: int32(le32(rec, 13)), Passages: int32(le32(rec, 14)), Start: int32(le32(rec, 15)), End: int32(le32(rec, 16)),
		Time: int64(binary.LittleEndian.Uint64(rec[68:])), Expires: int64(binary.LittleEndian.Uint64(rec[76:])),
		Line: binary.LittleEndian.Uint64(rec[84:]),
	}
	b.expires = b.expires || r.Expires != 0
	if set > 0 {
		r.Labels = labels[set-1]
	}
	if !b.inPlace(i, int(le32(b.keyEntry, int(k)))) {
		return corrupt("a row is not where its key or its passages want it")
	}
	if r.Passage == 0 {
		b.sums[kind].rows++
	}
	b.sums[kind].length += r.Length
	b.kindEnd[kind] = i + 1
	return nil
}

// inPlace checks a row against the one before: kinds in order, and the passages
// of a turn together, the first of which has the key.
func (b *block) inPlace(i, head int) bool {
	r := &b.rows[i]
	if r.Passage < 0 || r.Passage >= r.Passages || r.Start < 0 || r.End < r.Start || head != i-int(r.Passage) {
		return false
	}
	if i == 0 {
		return r.Passage == 0
	}
	q := &b.rows[i-1]
	if r.Passage > 0 {
		return q.Passage == r.Passage-1 && q.Passages == r.Passages && q.Kind == r.Kind
	}
	return q.Passage == q.Passages-1 && codeOf(q.Kind) <= codeOf(r.Kind)
}

func (b *block) readBodies(p *[sections][]byte) error {
	b.textOffs, b.texts, b.bodyOffs, b.bodies = p[secTextOffs], p[secTexts], p[secBodyOffs], p[secBodies]
	if len(b.textOffs) != 4*(len(b.rows)+1) || len(b.bodyOffs) != 4*(b.entries()+1) {
		return corrupt("bodies are not as many as entries")
	}
	if err := checkOffsets(b.textOffs, len(b.texts), "texts"); err != nil {
		return err
	}
	return checkOffsets(b.bodyOffs, len(b.bodies), "bodies")
}

func (b *block) readTerms(p *[sections][]byte) (err error) {
	if b.terms, err = readTable(p[secTermOffs], string(p[secTerms]), false, "words"); err != nil {
		return err
	}
	if err := b.readStems(p); err != nil {
		return err
	}
	b.signName, b.signs = string(p[secSignName]), p[secTermSigns]
	if len(b.signs) != 8*b.terms.len() && len(b.signs) > 0 {
		return corrupt("signs are not as many as words")
	}
	b.postOffs, b.posts = p[secPostOffs], p[secPosts]
	if len(b.postOffs) != len(p[secTermOffs]) {
		return corrupt("postings are not as many as words")
	}
	return checkOffsets(b.postOffs, len(b.posts), "postings")
}

func (b *block) readVectors(p *[sections][]byte) error {
	v, n := p[secVecs], len(b.rows)
	if len(v) == 0 {
		return nil
	}
	if n == 0 || len(v)%n != 0 || len(p[secVecBits]) != (n+7)/8 {
		return corrupt("vectors are not as many as rows")
	}
	b.vecName, b.vecDims, b.vecBits = string(p[secVecName]), len(v)/n, p[secVecBits]
	b.vecs = signed(v)
	return nil
}
