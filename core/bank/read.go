package bank

import (
	"cmp"
	"encoding/json"
	"maps"
	"sort"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
)

// Version is the store's version of the bank, "" when the bank does not exist.
func (s *Snapshot) Version() string { return s.version }

// Includes reports whether the snapshot stands at a version or came out of it;
// of versions long ago it does not know and says false.
func (s *Snapshot) Includes(version string) bool {
	return version == s.version || s.man.descends(version)
}

// Rows is the number of row numbers in use.
func (s *Snapshot) Rows() int { return s.rows }

// Live reports whether a row is neither superseded nor erased.
func (s *Snapshot) Live(row int) bool {
	p, i := s.at(row)
	return !p.dead.has(i)
}

// Row gives the index entry of a row.
func (s *Snapshot) Row(row int) *Row {
	p, i := s.at(row)
	return &p.b.rows[i]
}

// Each calls yield for every live row, in order of row numbers. It is the
// cheapest way over all of them.
func (s *Snapshot) Each(yield func(row int, r *Row)) {
	for i := range s.parts {
		p := &s.parts[i]
		for j := range p.b.rows {
			if !p.dead.has(j) {
				yield(p.base+j, &p.b.rows[j])
			}
		}
	}
}

// TurnAt decodes the turn of a row.
func (s *Snapshot) TurnAt(row int) mem.Turn {
	p, i := s.at(row)
	return p.b.decodeTurn(i)
}

// MemoryAt decodes the memory of a row.
func (s *Snapshot) MemoryAt(row int) mem.Memory {
	p, i := s.at(row)
	return p.b.decodeMemory(i)
}

// TextAt is mem.Turn.Text or mem.Memory.Text of a row. Of a turn it costs no
// decoding.
func (s *Snapshot) TextAt(row int) string {
	p, i := s.at(row)
	if p.b.rows[i].Kind == mem.KindTurn {
		return string(p.b.text(i - int(p.b.rows[i].Passage)))
	}
	return p.b.decodeMemory(i).Text()
}

// PassageAt is the passage of a row: TurnText from Start to End.
func (s *Snapshot) PassageAt(row int) string {
	p, i := s.at(row)
	r := &p.b.rows[i]
	if r.Kind != mem.KindTurn {
		return p.b.decodeMemory(i).Text()
	}
	t := string(p.b.text(i - int(r.Passage)))
	if int(r.End) > len(t) {
		t = TurnText(p.b.decodeTurn(i))
	}
	return t[min(int(r.Start), len(t)):min(int(r.End), len(t))]
}

// Units lists the rows of a turn's passages, of which row is any; of another
// row itself.
func (s *Snapshot) Units(row int) []int {
	r := s.Row(row)
	out := make([]int, r.Passages)
	for i := range out {
		out[i] = row - int(r.Passage) + i
	}
	return out
}

// Sources lists the ids of the turns that the memory of a row was derived
// from, without decoding it.
func (s *Snapshot) Sources(row int) []string {
	p, i := s.at(row)
	return p.b.sources(i)
}

// Find gives the live row of an id.
func (s *Snapshot) Find(id string) (row int, ok bool) {
	p, e, ok := lookup(s.parts, id)
	if !ok || e >= len(p.b.rows) || p.dead.has(e) {
		return 0, false
	}
	return p.base + e, true
}

// Session gives a session's state, also that of a removed one.
func (s *Snapshot) Session(name string) (SessionState, bool) {
	if p, e, ok := s.special(keySession + name); ok {
		return p.b.state(e), true
	}
	p, e, ok := s.special(s.man.removedKey(name))
	if !ok {
		return SessionState{}, false
	}
	st := p.b.state(e)
	st.Name = name
	return st, true
}

// Sessions lists every session that is not removed, by name.
func (s *Snapshot) Sessions() []SessionState {
	var out []SessionState
	s.eachSpecial(specialSession, func(p *part, e int) {
		if st := p.b.state(e); !st.Removed {
			out = append(out, st)
		}
	})
	mem.Sort(out, func(a, b *SessionState) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Owing lists the sessions with turns that are not yet memory, by name. It costs
// nothing for those that are settled, of which a bank gathers thousands.
func (s *Snapshot) Owing() []SessionState {
	var out []SessionState
	for i := range s.parts {
		p := &s.parts[i]
		for _, e := range p.b.open() {
			if !p.dead.has(e) {
				out = append(out, p.b.state(e))
			}
		}
	}
	mem.Sort(out, func(a, b *SessionState) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// open finds the entries of sessions that owe turns.
func (b *block) open() []int {
	if b.isOpen {
		return b.lazyOpen
	}
	b.isOpen = true
	for i, sp := range b.specials {
		if sp.kind != specialSession {
			continue
		}
		e := len(b.rows) + i
		if st := b.state(e); !st.Removed && st.Derived < st.Next {
			b.lazyOpen = append(b.lazyOpen, e)
		}
	}
	return b.lazyOpen
}

// state decodes a session's state once a block.
func (b *block) state(entry int) SessionState {
	if st, known := b.lazyStates[entry]; known {
		return st
	}
	var st SessionState
	_ = json.Unmarshal(b.body(entry), &st)
	if b.lazyStates == nil {
		b.lazyStates = map[int]SessionState{}
	}
	b.lazyStates[entry] = st
	return st
}

// SessionTurns lists the live rows of a session's turns in order of Seq, then
// time, then id.
func (s *Snapshot) SessionTurns(name string) []int { return s.SessionTail(name, 0) }

// SessionTail lists those of SessionTurns whose Seq is at least seq, and looks
// at no others: a turn that joins a long session must not pay for all of it.
func (s *Snapshot) SessionTail(name string, seq int) []int {
	var out []int
	from := 0
	for i := range s.parts {
		p := &s.parts[i]
		span, ok := p.b.sessions()[name]
		if !ok {
			continue
		}
		if len(out) == 0 {
			from = i
		}
		for j := p.b.atSeq(span, seq); j < span[1]; j++ {
			if !p.dead.has(j) && p.b.rows[j].Passage == 0 {
				out = append(out, p.base+j)
			}
		}
		if from == i {
			continue
		}
		from = -1
	}
	if from == -1 {
		mem.Sort(out, func(a, b *int) int { return compareInKind(s.Row(*a), s.Row(*b)) })
	}
	return out
}

// atSeq is the first row of a session's, in order of Seq, that has at least seq.
func (b *block) atSeq(session [2]int, seq int) int {
	return session[0] + sort.Search(session[1]-session[0], func(i int) bool { return b.rows[session[0]+i].Seq >= seq })
}

// sessions maps each session to the range of its turns, which stand together.
func (b *block) sessions() map[string][2]int {
	if b.lazySessions != nil {
		return b.lazySessions
	}
	b.lazySessions = map[string][2]int{}
	for i := 0; i < b.kindEnd[codeTurn]; {
		j := i + 1
		for j < b.kindEnd[codeTurn] && b.rows[j].Session == b.rows[i].Session {
			j++
		}
		b.lazySessions[b.rows[i].Session] = [2]int{i, j}
		i = j
	}
	return b.lazySessions
}

// ByKind calls yield for every live row of a kind in canonical order: session,
// place in the session, time, id. The order does not depend on how the bank
// was written.
func (s *Snapshot) ByKind(kind mem.Kind, yield func(row int)) {
	c := codeOf(kind)
	if c == kinds {
		return
	}
	if s.lazyOrder[c] == nil {
		s.lazyOrder[c] = s.ordered(c, 0, len(s.parts))
	}
	for _, row := range s.lazyOrder[c] {
		yield(row)
	}
}

// ordered merges the rows of a kind of some parts, each of which has its own
// in order.
func (s *Snapshot) ordered(c, from, to int) []int {
	if to-from > 1 {
		m := (from + to) / 2
		return s.mergeRows(s.ordered(c, from, m), s.ordered(c, m, to))
	}
	out := []int{}
	for i := from; i < to; i++ {
		p := &s.parts[i]
		first, end := p.b.kindRange(c)
		for j := first; j < end; j++ {
			if !p.dead.has(j) && p.b.rows[j].Passage == 0 {
				out = append(out, p.base+j)
			}
		}
	}
	return out
}

func (s *Snapshot) mergeRows(a, b []int) []int {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	out := make([]int, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compareInKind(s.Row(a[0]), s.Row(b[0])) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// compareInKind is the canonical order within a kind.
func compareInKind(a, b *Row) int {
	if a.Session != b.Session {
		return strings.Compare(a.Session, b.Session)
	}
	if a.Seq != b.Seq {
		return cmp.Compare(a.Seq, b.Seq)
	}
	if a.Time != b.Time {
		return cmp.Compare(a.Time, b.Time)
	}
	return strings.Compare(a.ID, b.ID)
}

// DerivedFrom lists the live memories that have any of the turns as a source,
// in order of kind and canonical order.
func (s *Snapshot) DerivedFrom(turnIDs []string) []int {
	var out []int
	for i := range s.parts {
		p := &s.parts[i]
		wanted := p.b.nameSet(turnIDs)
		if wanted == nil {
			continue
		}
		for j := p.b.kindEnd[codeTurn]; j < len(p.b.rows); j++ {
			if !p.dead.has(j) && p.b.citesAny(j, wanted) {
				out = append(out, p.base+j)
			}
		}
	}
	mem.Sort(out, func(a, b *int) int { return compareRows(s.Row(*a), s.Row(*b)) })
	return out
}

// nameSet gives the numbers of those names that the block knows, nil for none.
func (b *block) nameSet(names []string) bitset {
	var set bitset
	if len(b.srcs) == 0 {
		return nil
	}
	for _, name := range names {
		if n, ok := b.strs.find(name); ok {
			if set == nil {
				set = newBitset(b.strs.len())
			}
			set.set(n)
		}
	}
	return set
}

// citesAny reports whether a source of the row is in the set.
func (b *block) citesAny(row int, set bitset) bool {
	for i := le32(b.srcOffs, row); i < le32(b.srcOffs, row+1); i++ {
		if set.has(int(le32(b.srcs, int(i)))) {
			return true
		}
	}
	return false
}

// Reply gives a paid model reply that was not used yet.
func (s *Snapshot) Reply(hash string) (PaidReply, bool) {
	p, e, ok := s.special(keyReply + hash)
	if !ok {
		return PaidReply{}, false
	}
	var r PaidReply
	err := json.Unmarshal(p.b.body(e), &r)
	return r, err == nil
}

// Totals is what the bank has spent on models so far, by stage.
func (s *Snapshot) Totals() map[string]mem.Usage { return maps.Clone(s.man.Totals) }

// Count gives the number of live rows of a kind and the sum of their lengths,
// for BM25's mean length.
func (s *Snapshot) Count(kind mem.Kind) (rows, length int) {
	c := codeOf(kind)
	if c == kinds {
		return 0, 0
	}
	for i := range s.parts {
		rows += s.parts[i].live[c].rows
		length += s.parts[i].live[c].length
	}
	return rows, length
}

// Blocks counts the blocks of the bank and their bytes in the store.
func (s *Snapshot) Blocks() (count, bytes int) {
	for i := range s.parts {
		bytes += s.parts[i].ref.Bytes
	}
	return len(s.parts), bytes
}
