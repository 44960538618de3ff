package bank

import (
	"bytes"
	"maps"
	"slices"
	"unsafe"

	"github.com/leanmem/leanmem/core/effect"
)

// Reindex is a step of changing a bank's embedder. Vectors of the new one are
// kept beside the old ones, which go on serving, until every live row has its
// new vector; the commit that completes them switches. It is resumable:
// Snapshot.Unindexed lists what is still to do.
type Reindex struct {
	To      Embedder
	Vectors map[string][]int8 // id → vector, or one for each passage; an empty one says that this text has none
}

// setEmbedder checks the embedder of a change against the bank's.
func (d *draft) setEmbedder(ch *Change) error {
	if ch.Embedder != nil {
		if err := d.base.CheckEmbedder(*ch.Embedder); err != nil {
			return err
		}
		d.man.Embedder = *ch.Embedder
	}
	if r := ch.Reindex; r != nil {
		if r.To.Name == "" || r.To.Dims < 0 {
			return effect.Errorf(effect.InvalidArgument, "reindex: no embedder named")
		}
		to := r.To
		d.man.Target = &to
	}
	return nil
}

// CheckEmbedder tells whether vectors of an embedder fit the bank: its own, or
// any one while it has none.
func (s *Snapshot) CheckEmbedder(e Embedder) error {
	own := s.man.Embedder
	if own.Name == "" || own == e {
		return nil
	}
	return effect.Errorf(effect.EmbedderMismatch,
		"bank %q was built with embedder %q of %d dimensions, the request has %q of %d: reindex the bank or use its embedder",
		s.bank, own.Name, own.Dims, e.Name, e.Dims)
}

// Embedder names what made the vectors.
func (s *Snapshot) Embedder() Embedder { return s.man.Embedder }

// Target names the embedder of a reindex under way.
func (s *Snapshot) Target() (Embedder, bool) {
	if s.man.Target == nil {
		return Embedder{}, false
	}
	return *s.man.Target, true
}

// Unindexed lists the live rows (first passages) that still lack a vector of an embedder, in
// canonical order.
func (s *Snapshot) Unindexed(e Embedder) []int {
	patched := make(map[string]bool, s.patches)
	s.eachSpecial(specialVector, func(p *part, at int) {
		if name, _, _ := bytes.Cut(p.b.body(at), []byte{0}); string(name) == e.Name {
			patched[p.b.key(at)[len(keyVector):]] = true
		}
	})
	var out []int
	for _, k := range kindOf {
		s.ByKind(k, func(row int) {
			p, i := s.at(row)
			if !patched[p.b.rows[i].ID] && (p.b.vecName != e.Name || p.b.vecDims != e.Dims || p.b.vector(i) == nil) {
				out = append(out, row)
			}
		})
	}
	return out
}

// patches makes the entries of vectors that stand apart from their rows. A row
// that this very change replaces has another text by now.
func (d *draft) patches(ch *Change, at map[string]int, put func(item, error) error) error {
	if ch.Reindex == nil {
		return nil
	}
	to := ch.Reindex.To
	for _, id := range slices.Sorted(maps.Keys(ch.Reindex.Vectors)) {
		v := ch.Reindex.Vectors[id]
		if _, replaced := at[id]; replaced {
			continue
		}
		if _, ok := d.base.Find(id); !ok {
			continue
		}
		if row, _ := d.base.Find(id); len(v) != 0 && len(v) != to.Dims && len(v) != to.Dims*int(d.base.Row(row).Passages) {
			return effect.Errorf(effect.EmbedderMismatch, "reindex %s: a vector of %d dimensions, embedder %q has %d", id, len(v), to.Name, to.Dims)
		}
		if err := put(single(vectorEntry(id, to, v)), nil); err != nil {
			return err
		}
	}
	return nil
}

func vectorEntry(id string, e Embedder, v []int8) entry {
	body := append([]byte(e.Name), 0)
	for _, x := range v {
		body = append(body, byte(x))
	}
	return entry{row: Row{ID: keyVector + id}, special: specialVector, body: body}
}

// dropPatches removes vectors kept apart for rows that are replaced.
func (d *draft) dropPatches(list []item, put func(item, error) error) error {
	if d.base.patches == 0 {
		return nil
	}
	for i := range list {
		if err := d.remove(keyVector+list[i].key, put); err != nil {
			return err
		}
	}
	return nil
}

// switchEmbedder makes the target the bank's embedder once no live row lacks
// its vector.
func (d *draft) switchEmbedder() {
	now := newSnapshot(d.base.bank, "", d.man, slices.Clone(d.parts), nil)
	if len(now.Unindexed(*d.man.Target)) == 0 {
		d.man.Embedder, d.man.Target = *d.man.Target, nil
	}
}

// patchOf finds the vector that an embedder gave a row and that is kept apart.
// An empty one says that the embedder has none for this text.
func patchOf(parts []part, id string, passage int, e Embedder) (v []int8, ok bool) {
	p, at, ok := lookup(parts, keyVector+id)
	if !ok || p.dead.has(at) || p.b.kindAt(at) != specialVector {
		return nil, false
	}
	name, raw, _ := bytes.Cut(p.b.body(at), []byte{0})
	if string(name) != e.Name || e.Dims > 0 && len(raw)%e.Dims != 0 {
		return nil, false
	}
	return passageVector(signed(raw), e.Dims, passage), true
}

// vectorBy finds the vector of a row by an embedder: kept apart, or its own.
func vectorBy(parts []part, p *part, row int, e Embedder, patched bool) (v []int8, ok bool) {
	if patched {
		if v, ok := patchOf(parts, p.b.rows[row].ID, int(p.b.rows[row].Passage), e); ok {
			return v, true
		}
	}
	if p.b.vecName != e.Name || p.b.vecDims != e.Dims {
		return nil, false
	}
	v = p.b.vector(row)
	return v, v != nil
}

// signed reads bytes as signed numbers without a copy.
func signed(raw []byte) []int8 {
	if len(raw) == 0 {
		return nil
	}
	return unsafe.Slice((*int8)(unsafe.Pointer(&raw[0])), len(raw))
}

// folds reports whether the vector kept apart in an entry is not needed once
// the parts [from, to) are one: it is of an embedder that serves no more, or
// its row is among them and takes it in.
func (d *draft) folds(p *part, entry, from, to int) bool {
	name, _, _ := bytes.Cut(p.b.body(entry), []byte{0})
	if t := d.man.Target; t != nil && string(name) == t.Name {
		return false
	}
	if string(name) != d.man.Embedder.Name {
		return true
	}
	q, row, ok := lookup(d.parts, p.b.key(entry)[len(keyVector):])
	return !ok || q.dead.has(row) || slices.ContainsFunc(d.parts[from:to], func(r part) bool { return r.b == q.b })
}

// Vector gives a row's vector by the bank's embedder, nil when it has none. It
// must not be changed.
func (s *Snapshot) Vector(row int) []int8 {
	p, i := s.at(row)
	if s.patches == 0 {
		if p.b.vecName != s.man.Embedder.Name || p.b.vecDims != s.man.Embedder.Dims {
			return nil
		}
		return p.b.vector(i)
	}
	if s.lazyVectors == nil {
		s.lazyVectors = make([][]int8, s.rows)
		for r := range s.rows {
			if q, j := s.at(r); !q.dead.has(j) {
				s.lazyVectors[r], _ = vectorBy(s.parts, q, j, s.man.Embedder, true)
			}
		}
	}
	return s.lazyVectors[row]
}
