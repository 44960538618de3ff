package bank

import (
	"cmp"
	"slices"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

const (
	maxBlock = 4 << 20  // bytes; merging and splitting aim below it
	maxEntry = 32 << 20 // bytes of one turn or memory
	keepFor  = 16       // commits for which a merged-away block stays
)

// draft is a commit being made of one snapshot and one change. It asks nobody.
type draft struct {
	c     *Cache
	base  *Snapshot
	man   *manifest
	parts []part
	fresh map[uint64][]byte // blocks of this commit that are not stored yet
	gone  []uint64          // stored blocks that go at once
	// patched says that vectors are kept apart from their rows.
	patched bool
	tokens  []text.Token // room for those of one text
}

// plan gives the writes that make a change, and the snapshot after them. next
// is nil when the change does nothing.
func (c *Cache) plan(s *Snapshot, ch *Change) (writes []effect.Write, next *Snapshot, err error) {
	if ch.empty() {
		return nil, nil, nil
	}
	d := &draft{c: c, base: s, man: s.man.clone(), parts: slices.Clone(s.parts), fresh: map[uint64][]byte{}}
	d.patched = s.patches > 0 || ch.Reindex != nil
	d.man.Commits++
	if d.man.Salt == "" {
		d.man.Salt = ch.salt(s.bank)
	}
	if err := d.setEmbedder(ch); err != nil {
		return nil, nil, err
	}
	entries, err := d.entries(ch)
	if err != nil {
		return nil, nil, err
	}
	old := len(d.parts)
	if err := d.append(entries); err != nil {
		return nil, nil, err
	}
	if removed := ch.removedSessions(); len(ch.Erase)+len(removed) > 0 {
		if err := d.erase(ch.Erase, removed, old); err != nil {
			return nil, nil, err
		}
	}
	if ch.Reindex != nil {
		d.switchEmbedder()
	}
	if err := d.compact(); err != nil {
		return nil, nil, err
	}
	return d.seal(ch)
}

func (ch *Change) empty() bool {
	return len(ch.Turns)+len(ch.Memories)+len(ch.Sessions)+len(ch.Replies)+len(ch.Used)+len(ch.Erase)+
		len(ch.Mark)+len(ch.Unmark)+len(ch.UnmarkSession)+len(ch.Usage) == 0 && ch.Embedder == nil && ch.Reindex == nil && !ch.UnmarkAll
}

// salt makes the salt of a new bank's marks from what it begins with: the core
// has no randomness.
func (ch *Change) salt(bank string) string {
	parts := []string{"salt", bank}
	for _, t := range ch.Turns {
		parts = append(parts, t.ID)
	}
	for _, m := range ch.Memories {
		parts = append(parts, m.ID)
	}
	for _, s := range ch.Sessions {
		parts = append(parts, s.Name)
	}
	return mem.Digest(parts...)
}

// item is what a change stores under one key: an entry, or the passages of a
// turn, each with the words to index it by.
type item struct {
	key  string
	rows []indexed
}

type indexed struct {
	entry
	words []string
}

func single(e entry) item { return item{e.row.ID, []indexed{{entry: e}}} }

func (it *item) size() int {
	n := 0
	for i := range it.rows {
		n += it.rows[i].size() + 6*len(it.rows[i].words)
	}
	return n
}

// entries makes the entries of a change; of equal keys the last one counts.
func (d *draft) entries(ch *Change) ([]item, error) {
	var list []item
	at := map[string]int{}
	put := func(e item, err error) error {
		if err != nil {
			return err
		}
		if i, twice := at[e.key]; twice {
			list[i] = e
			return nil
		}
		at[e.key] = len(list)
		list = append(list, e)
		return nil
	}
	for i := range ch.Turns {
		if err := put(d.turn(&ch.Turns[i], ch)); err != nil {
			return nil, err
		}
	}
	for i := range ch.Memories {
		if err := put(d.memory(&ch.Memories[i], ch)); err != nil {
			return nil, err
		}
	}
	if err := d.dropPatches(list, put); err != nil {
		return nil, err
	}
	if err := d.specials(ch, put); err != nil {
		return nil, err
	}
	return list, d.patches(ch, at, put)
}

// turn makes the rows of a turn, one a passage.
func (d *draft) turn(t *mem.Turn, ch *Change) (item, error) {
	head, err := turnEntry(*t)
	if err != nil {
		return item{}, err
	}
	if err := checkSize(&head); err != nil {
		return item{}, err
	}
	it := item{key: t.ID}
	for i, p := range passagesOf(t) {
		e := head
		if i > 0 {
			e.text, e.body = nil, nil
		}
		e.row.Passage, e.row.Start, e.row.End, e.row.Signals = int32(i), int32(p.start), int32(p.end), p.signals
		it.rows = append(it.rows, indexed{e, d.indexWords(p.text)})
		if err := d.embedRow(&it.rows[i], p.text); err != nil {
			return item{}, err
		}
	}
	for i := range it.rows {
		it.rows[i].row.Passages = int32(len(it.rows))
	}
	return it, d.given(&it, ch)
}

func (d *draft) memory(m *mem.Memory, ch *Change) (item, error) {
	e, err := memoryEntry(*m)
	if err != nil {
		return item{}, err
	}
	if err := checkSize(&e); err != nil {
		return item{}, err
	}
	indexText := MemoryText(*m)
	e.row.End, e.row.Signals = int32(len(indexText)), text.SignalsOf(indexText)
	it := item{m.ID, []indexed{{e, d.indexWords(indexText)}}}
	if err := d.embedRow(&it.rows[0], indexText); err != nil {
		return item{}, err
	}
	return it, d.given(&it, ch)
}

// indexWords gives the words of a text that are indexed.
func (d *draft) indexWords(s string) (words []string) {
	words, d.tokens = appendWords(make([]string, 0, len(s)/8+1), d.tokens, s)
	return words
}

// embedRow sets the vector of a row by the built-in embedder.
func (d *draft) embedRow(r *indexed, indexText string) error {
	if d.c.embed == nil || d.man.Embedder != d.c.builtin {
		return nil
	}
	v, ok := d.c.embed(indexText)
	if ok && len(v) != d.man.Embedder.Dims {
		return effect.Errorf(effect.Internal, "store %s: the built-in embedder gave %d dimensions, not %d", r.row.ID, len(v), d.man.Embedder.Dims)
	}
	if ok {
		r.vec = v
	}
	return nil
}

// given sets the vectors that the change brings: one for all passages, or one
// for each.
func (d *draft) given(it *item, ch *Change) error {
	v, ok := ch.Vectors[it.key]
	if !ok {
		return nil
	}
	dims := d.man.Embedder.Dims
	if dims == 0 || len(v) != dims && len(v) != dims*len(it.rows) {
		return effect.Errorf(effect.EmbedderMismatch, "store %s: a vector of %d dimensions, the bank's embedder %q has %d",
			it.key, len(v), d.man.Embedder.Name, dims)
	}
	for i := range it.rows {
		it.rows[i].vec = passageVector(v, dims, i)
	}
	return nil
}

// passageVector cuts the vector of a passage from what was given for a turn.
func passageVector(v []int8, dims, passage int) []int8 {
	if from := passage * dims; from+dims <= len(v) {
		return v[from : from+dims]
	}
	return v[:min(dims, len(v))]
}

func checkSize(e *entry) error {
	if e.size() > maxEntry {
		return effect.Errorf(effect.TooLarge, "store %s: %d bytes, the limit is %d", e.row.ID, e.size(), maxEntry)
	}
	return nil
}

// specials makes the entries of sessions, replies and marks.
func (d *draft) specials(ch *Change, put func(item, error) error) error {
	add := func(kind int, key string, value any) error {
		e, err := specialEntry(kind, key, value)
		return put(single(e), err)
	}
	for _, st := range ch.Sessions {
		key := keySession + st.Name
		if st.Removed {
			key, st.Name = d.man.removedKey(st.Name), ""
		}
		if err := add(specialSession, key, st); err != nil {
			return err
		}
	}
	for i := range ch.Replies {
		if err := add(specialReply, keyReply+ch.Replies[i].Hash, ch.Replies[i]); err != nil {
			return err
		}
	}
	for _, hash := range ch.Used {
		if err := d.remove(keyReply+hash, put); err != nil {
			return err
		}
	}
	for _, id := range ch.Mark {
		if err := add(specialMark, d.man.markKey(id), d.markSession(id)); err != nil {
			return err
		}
	}
	return d.unmark(ch, put)
}

// remove makes a removal of a key that is there, and nothing for another.
func (d *draft) remove(key string, put func(item, error) error) error {
	if _, _, ok := d.base.special(key); !ok {
		return nil
	}
	e, err := specialEntry(specialRemoval, key, nil)
	return put(single(e), err)
}

// append lays entries out as blocks of bounded size and supersedes what they
// replace.
func (d *draft) append(items []item) error {
	rows := 0
	for i := range items {
		rows += len(items[i].rows)
	}
	b := newBuilder(d.man.Embedder, d.c.table)
	b.rows = make([]entry, 0, min(rows, 1024))
	flush := func() error {
		if b.len() == 0 {
			return nil
		}
		p, err := d.block(b)
		if err != nil {
			return err
		}
		d.parts = append(d.parts, p)
		supersedeFrom(d.parts, len(d.parts)-1)
		b = newBuilder(d.man.Embedder, d.c.table)
		return nil
	}
	for _, it := range items {
		if b.len() > 0 && b.size+it.size() > maxBlock*3/4 {
			if err := flush(); err != nil {
				return err
			}
		}
		for _, r := range it.rows {
			if row := b.add(r.entry); row >= 0 {
				b.index(row, r.words)
			}
		}
	}
	return flush()
}

// block encodes a builder under the next number.
func (d *draft) block(b *builder) (part, error) {
	raw := b.encode()
	decoded, err := decodeBlock(raw)
	if err != nil {
		return part{}, effect.Errorf(effect.Internal, "encode block: %v", err)
	}
	ref := blockRef{Seq: d.man.Next, Bytes: len(raw), Rows: len(b.rows) + len(b.specials), CRC: le32(raw, 1), Hash: blockHash(raw)}
	d.man.Next++
	d.fresh[ref.Seq] = raw
	return newPart(decoded, ref), nil
}

// drop takes a block out of the bank: a stored one is kept for readers of the
// older manifest, unless now is set.
func (d *draft) drop(ref blockRef, now bool) {
	if _, fresh := d.fresh[ref.Seq]; fresh {
		delete(d.fresh, ref.Seq)
		return
	}
	if now {
		d.gone = append(d.gone, ref.Seq)
		return
	}
	d.man.Retired = append(d.man.Retired, retiredRef{ref.Seq, d.man.Commits + keepFor})
}

// seal makes the writes, the version and the snapshot of the draft.
func (d *draft) seal(ch *Change) ([]effect.Write, *Snapshot, error) {
	d.man.Blocks = make([]blockRef, len(d.parts))
	for i := range d.parts {
		d.man.Blocks[i] = d.parts[i].ref
	}
	kept := d.man.Retired[:0]
	for _, r := range d.man.Retired {
		if r.Until <= d.man.Commits {
			d.gone = append(d.gone, r.Seq)
		} else {
			kept = append(kept, r)
		}
	}
	d.man.Retired = kept
	for stage, u := range ch.Usage { // sums by key: order does not matter
		if d.man.Totals == nil {
			d.man.Totals = map[string]mem.Usage{}
		}
		d.man.Totals[stage] = d.man.Totals[stage].Plus(u)
	}
	if v := d.base.version; v != "" {
		d.man.Past = append([]string{v}, d.man.Past[:min(len(d.man.Past), maxPast-1)]...)
	}
	raw, err := encodeManifest(d.man)
	if err != nil {
		return nil, nil, err
	}
	next := newSnapshot(d.base.bank, chain(d.base.version, raw), d.man, d.parts, d.base)
	next.table = d.c.table
	return d.writes(raw), next, nil
}

// writes lists the operations by key.
func (d *draft) writes(manifest []byte) []effect.Write {
	writes := []effect.Write{{Key: manifestKey, Value: manifest}}
	for seq, raw := range d.fresh { // sorted below
		writes = append(writes, effect.Write{Key: blockKey(seq), Value: raw})
	}
	for _, seq := range d.gone {
		writes = append(writes, effect.Write{Key: blockKey(seq), Delete: true})
	}
	mem.Sort(writes, func(a, b *effect.Write) int { return cmp.Compare(string(a.Key), string(b.Key)) })
	return writes
}
