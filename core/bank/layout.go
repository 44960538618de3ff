package bank

import (
	"encoding/binary"
	"hash/crc32"
	"sort"

	"github.com/leanmem/leanmem/core/effect"
)

// A block is
//
//	"LMB" ‖ format byte ‖ CRC-32C of the rest ‖ length of each section ‖ sections
//
// with every integer little endian. A table is a section of n+1 offsets and a
// section of bytes: item i is bytes[offset i : offset i+1].

// Format is the newest format of blocks and manifests that is read and the one
// that is written.
const Format = 2

const (
	blockMagic = "LMB"
	rowSize    = 92
	rowSizeOf1 = 84 // of format 1, whose rows end before the hash of their line
)

// The sections of a block, in the order in which they are stored.
const (
	secKeyOffs     = iota // keys of all entries, sorted, each once
	secKeys               //
	secKeyEntry           // uint32 a key: the entry that has it, of several passages the first
	secStrOffs            // names that rows refer to, sorted
	secStrs               //
	secRows               // rowSize bytes a row, in canonical order
	secSrcOffs            // uint32 a row, +1: where its sources begin in secSrcs
	secSrcs               // uint32 a source: index of its name
	secLabels             // JSON array of label sets; row field labels is index + 1
	secTextOffs           // a row's own text, raw (turns only)
	secTexts              //
	secBodyOffs           // an entry's remaining fields
	secBodies             //
	secSpecials           // uint32 key, uint32 kind an entry that is no row
	secTermOffs           // index words, sorted
	secTerms              //
	secPostOffs           // postings of each word
	secPosts              //
	secStemVersion        // one byte: stemVersion when the stems were made
	secStemOffs           // stems of the words, sorted
	secStems              //
	secTermStem           // uint32 a word: its stem
	secVecName            // name of the embedder
	secVecBits            // one bit a row: has a vector
	secVecs               // dims bytes a row
	secSignName           // name of the table of word vectors that the signs are of; from format 2 on
	secTermSigns          // uint64 a word: the signs of its vector
	sections
	sectionsOf1 = secSignName
)

// headerSize is that of a block of so many sections.
func headerSize(sections int) int { return 8 + 4*sections }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// le32 reads the i-th uint32 of b.
func le32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }

func put32(b []byte, v int) []byte { return binary.LittleEndian.AppendUint32(b, uint32(v)) }

func corrupt(what string) error {
	return effect.Errorf(effect.StoreCorrupt, "decode block: %s", what)
}

// table is a validated list of strings inside a block.
type table struct {
	offs []byte
	blob string
}

func (t table) len() int { return len(t.offs)/4 - 1 }

func (t table) at(i int) string { return t.blob[le32(t.offs, i):le32(t.offs, i+1)] }

// find gives the place of s in a sorted table.
func (t table) find(s string) (int, bool) {
	i := sort.Search(t.len(), func(i int) bool { return t.at(i) >= s })
	return i, i < t.len() && t.at(i) == s
}

// readTable validates offsets once, so that at needs no checks.
func readTable(offs []byte, blob string, sorted bool, name string) (table, error) {
	t := table{offs, blob}
	if err := checkOffsets(offs, len(blob), name); err != nil {
		return t, err
	}
	for i := 1; sorted && i < t.len(); i++ {
		if t.at(i-1) >= t.at(i) {
			return t, corrupt(name + " are not in order")
		}
	}
	return t, nil
}

func checkOffsets(offs []byte, size int, name string) error {
	if len(offs) < 4 || len(offs)%4 != 0 {
		return corrupt(name + " have no whole offsets")
	}
	n := len(offs)/4 - 1
	last := uint32(0)
	for i := 0; i <= n; i++ {
		o := le32(offs, i)
		if o < last || (i == 0 && o != 0) {
			return corrupt(name + " have offsets that go back")
		}
		last = o
	}
	if int(last) != size {
		return corrupt(name + " do not fill their section")
	}
	return nil
}

// splitSections checks the frame of a block and cuts it into sections.
func splitSections(raw []byte) (parts [sections][]byte, err error) {
	if len(raw) < 8 || string(raw[:3]) != blockMagic {
		return parts, corrupt("no block")
	}
	if raw[3] > Format {
		return parts, effect.Errorf(effect.FormatTooNew, "decode block: format %d, this release reads up to %d", raw[3], Format)
	}
	n := sections
	if raw[3] == 1 {
		n = sectionsOf1
	}
	if raw[3] == 0 || len(raw) < headerSize(n) {
		return parts, corrupt("the header is cut off")
	}
	if crc32.Checksum(raw[8:], castagnoli) != le32(raw, 1) {
		return parts, corrupt("the checksum does not match")
	}
	rest := raw[headerSize(n):]
	for i := range n {
		size := int64(le32(raw, 2+i))
		if size > int64(len(rest)) {
			return parts, corrupt("a section is longer than the block")
		}
		parts[i], rest = rest[:size:size], rest[size:]
	}
	if len(rest) != 0 {
		return parts, corrupt("bytes after the last section")
	}
	return parts, nil
}

// joinSections is the inverse of splitSections.
func joinSections(parts *[sections][]byte) []byte {
	size := headerSize(sections)
	for _, p := range parts {
		size += len(p)
	}
	raw := make([]byte, 8, size)
	copy(raw, blockMagic)
	raw[3] = Format
	for _, p := range parts {
		raw = put32(raw, len(p))
	}
	for _, p := range parts {
		raw = append(raw, p...)
	}
	binary.LittleEndian.PutUint32(raw[4:], crc32.Checksum(raw[8:], castagnoli))
	return raw
}
