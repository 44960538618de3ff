package bank

import (
	"context"

	"github.com/leanmem/leanmem/core/effect"
)

const (
	maxGet       = 16 << 20 // bytes of blocks asked for in one request
	loadAttempts = 8
)

// load gives the current snapshot of a bank. It asks for the manifest and for
// those blocks that neither pinned nor the cache has. A block that is gone was
// merged away or erased since: the manifest is read again.
func (c *Cache) load(ctx context.Context, client effect.Client, pinned *Snapshot) (*Snapshot, error) {
	failed := "" // the version at which a block was gone
	for range loadAttempts {
		values, version, err := client.Get(ctx, manifestKey)
		if err != nil {
			return nil, err
		}
		if version == "" {
			c.forget(client.Bank)
			return emptySnapshot(client.Bank), nil
		}
		known := []*Snapshot{pinned, c.get(client.Bank)}
		for _, s := range known {
			if s != nil && s.version == version {
				c.put(s)
				return s, nil
			}
		}
		if values[0] == nil {
			return nil, effect.Errorf(effect.StoreCorrupt, "it has a version but no manifest")
		}
		m, err := decodeManifest(values[0])
		if err != nil {
			return nil, err
		}
		blocks, err := fetch(ctx, client, m, known)
		if err != nil {
			return nil, err
		}
		if blocks != nil {
			s := newSnapshot(client.Bank, version, m, assemble(m, blocks, known), newest(known))
			s.table = c.table
			c.put(s)
			return s, nil
		}
		if version == failed {
			return nil, effect.Errorf(effect.StoreCorrupt, "a block that its manifest names is missing or another one")
		}
		failed = version
	}
	return nil, effect.Retryf(effect.StoreFailed, "its blocks were replaced while it was read, %d times", loadAttempts)
}

// fetch gives the blocks of a manifest in order, from known snapshots where
// they have them. It gives nil when one is not in the store any more.
func fetch(ctx context.Context, client effect.Client, m *manifest, known []*Snapshot) ([]*block, error) {
	have := map[blockRef]*block{}
	for _, s := range known {
		if s == nil {
			continue
		}
		for i := range s.parts {
			have[s.parts[i].ref] = s.parts[i].b
		}
	}
	blocks := make([]*block, len(m.Blocks))
	for at := 0; at < len(blocks); {
		var keys [][]byte
		var places []int
		size := 0
		for ; at < len(blocks); at++ {
			ref := m.Blocks[at]
			if blocks[at] = have[ref]; blocks[at] != nil {
				continue
			}
			if len(keys) > 0 && size+ref.Bytes > maxGet {
				break
			}
			keys, places, size = append(keys, blockKey(ref.Seq)), append(places, at), size+ref.Bytes
		}
		if len(keys) == 0 {
			break
		}
		values, _, err := client.Get(ctx, keys...)
		if err != nil {
			return nil, err
		}
		for i, raw := range values {
			if raw == nil {
				return nil, nil
			}
			if blocks[places[i]], err = readBlock(raw, m.Blocks[places[i]]); err != nil {
				return nil, err
			}
			if blocks[places[i]] == nil {
				return nil, nil
			}
		}
	}
	return blocks, nil
}

// readBlock decodes a block that should be the one that ref names. It gives nil
// for another sound block: a bank that was deleted and made again meanwhile.
func readBlock(raw []byte, ref blockRef) (*block, error) {
	b, err := decodeBlock(raw)
	if err != nil {
		return nil, err
	}
	if len(raw) != ref.Bytes || le32(raw, 1) != ref.CRC || b.entries() != ref.Rows {
		return nil, nil
	}
	return b, nil
}

// assemble makes the parts of a snapshot. Where the manifest came out of a
// known snapshot, what was dead there is still dead, and only new blocks are
// looked at; otherwise everything is.
func assemble(m *manifest, blocks []*block, known []*Snapshot) []part {
	parts := make([]part, len(blocks))
	// By reference and not by address: two flows of an instance may have decoded
	// the same block twice, and a part taken for new would forget what is dead
	// in it.
	old := map[blockRef]*part{}
	if s := ancestor(m, known); s != nil {
		for i := range s.parts {
			old[s.parts[i].ref] = &s.parts[i]
		}
	}
	fresh, entries := []int{}, 0
	for i, b := range blocks {
		if p := old[m.Blocks[i]]; p != nil {
			parts[i] = *p
			continue
		}
		parts[i] = newPart(b, m.Blocks[i])
		fresh = append(fresh, i)
		entries += b.entries()
	}
	total := 0
	for _, r := range m.Blocks {
		total += r.Rows
	}
	if entries*4 > total {
		for i, b := range blocks {
			parts[i] = newPart(b, m.Blocks[i])
		}
		supersede(parts)
		return parts
	}
	for _, i := range fresh {
		supersedeFrom(parts, i)
	}
	return parts
}

// ancestor gives the newest known snapshot that the manifest came out of.
func ancestor(m *manifest, known []*Snapshot) *Snapshot {
	var best *Snapshot
	for _, s := range known {
		if s != nil && m.descends(s.version) && (best == nil || s.man.Commits > best.man.Commits) {
			best = s
		}
	}
	return best
}

// newest gives the known snapshot of most commits, nil for none.
func newest(known []*Snapshot) *Snapshot {
	var best *Snapshot
	for _, s := range known {
		if s != nil && (best == nil || s.man.Commits > best.man.Commits) {
			best = s
		}
	}
	return best
}
