package bank

import (
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// Row is the index entry of one turn or memory. It is enough to filter and to
// rank; the text and the rest are decoded on demand (TurnAt, MemoryAt). Rows
// and their labels are shared and must not be changed.
type Row struct {
	ID       string
	Kind     mem.Kind
	Session  string
	Seq      int    // of a turn
	Speaker  string // of a turn
	Role     mem.Role
	Subject  string // of a profile or event
	Time     int64  // Unix seconds of mem.Turn.Time or mem.Memory.Time; 0 when unknown
	Day      string // ISO local date of Time; "" when unknown
	From, To string // of an event: its anchor, ISO dates; "" when unknown
	Expires  int64  // Unix seconds; 0: never
	Source   string // the caller's own id of a turn
	Length   int    // index words, for BM25; stop words are none
	Buffered bool   // of an event: still in the event buffer
	Line     uint64 // of a profile or event: LineHash of mem.LineKey; 0: it has none
	Signals  text.Signals
	Labels   map[string]string

	// A long turn stands as several rows, one a passage, one after another.
	// Only the first is seen by Find, ByKind, SessionTurns, DerivedFrom and
	// Count; Postings, Vector, Live, Row and Each know them all.
	Passage, Passages int32 // 0 … Passages-1 of Passages
	Start, End        int32 // the passage within TurnText of the turn, in bytes
}

// Posting says that a live row holds a term Count times.
type Posting struct{ Row, Count int32 }

// part is a block as one snapshot sees it.
type part struct {
	b    *block
	ref  blockRef
	base int           // row number of the block's first row
	dead bitset        // entries that are superseded; nil: none
	gone int           // how many
	live [kinds]totals // of the rows that are not
	own  bool          // dead belongs to this snapshot alone and may be changed
}

func newPart(b *block, ref blockRef) part { return part{b: b, ref: ref, live: b.sums} }

// kill marks an entry as superseded, a turn with all its passages.
func (p *part) kill(entry int) {
	if p.dead.has(entry) {
		return
	}
	if !p.own {
		fresh := newBitset(p.b.entries())
		copy(fresh, p.dead)
		p.dead, p.own = fresh, true
	}
	if entry >= len(p.b.rows) {
		p.dead.set(entry)
		p.gone++
		return
	}
	c := codeOf(p.b.rows[entry].Kind)
	p.live[c].rows--
	for i := entry; i < entry+int(p.b.rows[entry].Passages); i++ {
		p.dead.set(i)
		p.gone++
		p.live[c].length -= p.b.rows[i].Length
	}
}

// Snapshot is a bank at one version: immutable, safe to pin across effects.
// Rows are numbered 0 … Rows()-1; dead ones (superseded, erased) are skipped
// by every method but Live and Row. Row numbers mean nothing beyond one
// snapshot and depend on how the blocks were merged: whatever a reader shows
// is to be ordered by what rows hold, ties by id.
type Snapshot struct {
	bank    string
	version string
	man     *manifest
	parts   []part // oldest first; of two entries of one key the later counts
	rows    int
	near    []int32 // row/64 → a part that is not after the row's
	patches int     // live vectors kept apart from their rows (reindex)
	table   wordTable

	lazyOrder   [kinds][]int
	lazyVectors [][]int8
	lexicon     *Lexicon // maybe of an earlier snapshot
	derived     any      // what Derived keeps
	isDerived   bool
}

func emptySnapshot(bank string) *Snapshot {
	return &Snapshot{bank: bank, man: &manifest{Format: Format}}
}

// newSnapshot numbers the rows of parts. The parts must know their dead.
// before, which may be nil, is what the snapshot was made from.
func newSnapshot(bank, version string, m *manifest, parts []part, before *Snapshot) *Snapshot {
	s := &Snapshot{bank: bank, version: version, man: m, parts: parts}
	if before != nil {
		s.derived, s.lexicon = before.derived, before.lexicon
	}
	for i := range parts {
		p := &parts[i]
		p.base, p.own = s.rows, false
		s.rows += len(p.b.rows)
		for j, sp := range p.b.specials {
			if sp.kind == specialVector && !p.dead.has(len(p.b.rows)+j) {
				s.patches++
			}
		}
	}
	s.number()
	return s
}

// derivedMemory is about what a reader derives from a row and keeps with the
// snapshot (core/read), in bytes: packed vectors, places, words asked for before.
const derivedMemory = 1024

// bytes is about what the snapshot keeps in memory.
func (s *Snapshot) bytes() int {
	n := 4096 + s.rows*derivedMemory
	for i := range s.parts {
		n += s.parts[i].b.bytes() + 8*len(s.parts[i].dead)
	}
	return n
}

// at finds the part of a row and the row's number within it.
func (s *Snapshot) at(row int) (*part, int) {
	i := s.near[row>>6]
	for row-s.parts[i].base >= len(s.parts[i].b.rows) {
		i++
	}
	return &s.parts[i], row - s.parts[i].base
}

// number fills near.
func (s *Snapshot) number() {
	s.near = make([]int32, (s.rows+63)/64)
	i := 0
	for at := range s.near {
		for 64*at-s.parts[i].base >= len(s.parts[i].b.rows) {
			i++
		}
		s.near[at] = int32(i)
	}
}

// lookup finds the newest entry of a key; there is no other live one.
func lookup(parts []part, key string) (p *part, entry int, ok bool) {
	for i := len(parts) - 1; i >= 0; i-- {
		if e, ok := parts[i].b.findKey(key); ok {
			return &parts[i], e, true
		}
	}
	return nil, 0, false
}

// special finds the live entry of a key that is no row and no removal.
func (s *Snapshot) special(key string) (p *part, entry int, ok bool) {
	p, e, ok := lookup(s.parts, key)
	if !ok || p.dead.has(e) || p.b.kindAt(e) == 0 || p.b.kindAt(e) == specialRemoval {
		return nil, 0, false
	}
	return p, e, true
}

// eachSpecial calls yield for every live entry of a kind that is no row.
func (s *Snapshot) eachSpecial(kind int, yield func(p *part, entry int)) {
	for i := range s.parts {
		p := &s.parts[i]
		for j, sp := range p.b.specials {
			if e := len(p.b.rows) + j; sp.kind == kind && !p.dead.has(e) {
				yield(p, e)
			}
		}
	}
}

// Derived keeps one value on the snapshot for the room that reads it. build is
// called once; it is given the value of an earlier snapshot of the bank, or
// nil, and may take over what did not change.
func (s *Snapshot) Derived(build func(before any) any) any {
	if !s.isDerived {
		s.derived, s.isDerived = build(s.derived), true
	}
	return s.derived
}
