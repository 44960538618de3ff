package bank

const (
	fanIn    = 8       // blocks of a tier that are merged to one of the next
	tierUnit = 4 << 10 // bytes below which a block is of tier 0
	tiers    = 4       // tier 4: full, not merged any more
)

// tier grows by one with each factor fanIn of size; a block of at least half
// of maxBlock is full.
func tier(bytes int) int {
	t := 0
	for limit := tierUnit; t < tiers && bytes >= limit; limit *= fanIn {
		t++
	}
	return t
}

// compact does at most one merge, so that the work of a commit is bounded: the
// smallest tier that has gathered fanIn blocks, or else a block of which more
// than half is dead.
func (d *draft) compact() error {
	if from, to, ok := d.gathered(); ok {
		return d.merge(from, to, false)
	}
	for i := range d.parts {
		if p := &d.parts[i]; p.gone > 16 && 2*p.gone > p.b.entries() {
			return d.merge(i, i+1, false)
		}
	}
	return nil
}

// gathered finds neighbours to merge. Only neighbours: which of two entries of
// a key counts follows from the order of blocks. Larger blocks end a run, so
// that a small block never causes a large one to be written again.
func (d *draft) gathered() (from, to int, ok bool) {
	for t := range tiers {
		count, first := 0, 0
		for i := range d.parts {
			size := tier(d.parts[i].ref.Bytes)
			if size > t {
				count = 0
				continue
			}
			if size < t {
				continue
			}
			if count == 0 {
				first = i
			}
			if count++; count == fanIn {
				return first, d.fit(first, i+1), true
			}
		}
	}
	return 0, 0, false
}

// fit shortens a run so that its merge stays below maxBlock; two blocks that
// are not full always do.
func (d *draft) fit(from, to int) int {
	total := 0
	for i := from; i < to; i++ {
		if total += d.parts[i].ref.Bytes; total > maxBlock && i > from+1 {
			return i
		}
	}
	return to
}

// merge replaces the parts [from, to) by one with what is live in them. now
// deletes the old blocks in this commit.
func (d *draft) merge(from, to int, now bool) error {
	b := newBuilder(d.man.Embedder, d.c.table)
	for i := from; i < to; i++ {
		d.take(b, i, from, to)
	}
	for i := from; i < to; i++ {
		d.drop(d.parts[i].ref, now)
	}
	if b.len() == 0 {
		d.parts = append(d.parts[:from], d.parts[to:]...)
		return nil
	}
	p, err := d.block(b)
	if err != nil {
		return err
	}
	d.parts = append(append(d.parts[:from:from], p), d.parts[to:]...)
	return nil
}

// take adds the live entries of part i to the builder of the run [from, to). A
// removal is dropped once nothing older than the run could have its key.
func (d *draft) take(b *builder, i, from, to int) {
	p := &d.parts[i]
	n := len(p.b.rows)
	place := make([]int, n)
	for row := range n {
		place[row] = -1
		if !p.dead.has(row) {
			v, _ := vectorBy(d.parts, p, row, d.man.Embedder, d.patched)
			place[row] = b.add(p.b.entryOf(row, v))
		}
	}
	for j, sp := range p.b.specials {
		switch {
		case p.dead.has(n + j):
		case sp.kind == specialRemoval && !d.anyHas(p.b.keys.at(sp.key), from):
		case sp.kind == specialVector && d.folds(p, n+j, from, to):
		default:
			b.add(p.b.specialOf(j))
		}
	}
	var list []Posting
	for t := range p.b.terms.len() {
		word := p.b.terms.at(t)
		b.signed(word, p.b.sign(t, d.c.table))
		list = p.postings(t, list[:0])
		for _, x := range list {
			b.post(word, place[int(x.Row)-p.base], int(x.Count))
		}
	}
}

// anyHas reports whether one of the oldest parts has a key.
func (d *draft) anyHas(key string, parts int) bool {
	for i := range parts {
		if _, ok := d.parts[i].b.findKey(key); ok {
			return true
		}
	}
	return false
}

// entryOf gives a row back as it was added.
func (b *block) entryOf(row int, vec []int8) entry {
	r := b.rows[row]
	return entry{row: r, sources: b.sources(row), labels: labelKey(r.Labels), text: b.text(row), body: b.body(row), vec: vec}
}

func (b *block) specialOf(i int) entry {
	sp := b.specials[i]
	return entry{row: Row{ID: b.keys.at(sp.key)}, special: sp.kind, body: b.body(len(b.rows) + i)}
}
