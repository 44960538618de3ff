package bank

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"maps"
	"slices"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

// The manifest stands under the key "m" as
//
//	"LMM" ‖ format byte ‖ CRC-32C of the rest ‖ JSON

const (
	manifestMagic = "LMM"
	maxPast       = 32 // versions remembered, to recognise a descendant
	maxBlocks     = 1 << 20
	maxBlockBytes = 1 << 30
)

var manifestKey = []byte("m")

func blockKey(seq uint64) []byte { return binary.BigEndian.AppendUint64([]byte("b/"), seq) }

// blockRef names a block. Seq is its key and is used once in a bank's life;
// Hash tells it from a block of the same number in a bank that was deleted and
// made again, in the version chain; CRC does so when a block is
// loaded, where hashing all of it would cost too much.
type blockRef struct {
	Seq   uint64 `json:"s"`
	Bytes int    `json:"b"`
	Rows  int    `json:"r"` // entries
	CRC   uint32 `json:"c"` // as it stands in the block's header
	Hash  string `json:"h"`
}

// retiredRef is a block that was merged away, kept for readers of an older
// manifest until the commit number Until.
type retiredRef struct {
	Seq   uint64 `json:"s"`
	Until uint64 `json:"u"`
}

// manifest lists what a bank consists of.
type manifest struct {
	Format   int                  `json:"format"`
	Commits  uint64               `json:"commits"` // of the bank so far
	Next     uint64               `json:"next"`    // number of the next block
	Salt     string               `json:"salt"`    // of the marks
	Blocks   []blockRef           `json:"blocks"`  // oldest first
	Retired  []retiredRef         `json:"retired,omitempty"`
	Embedder Embedder             `json:"embedder"`
	Target   *Embedder            `json:"target,omitempty"` // of a reindex under way
	Totals   map[string]mem.Usage `json:"totals,omitempty"`
	Past     []string             `json:"past,omitempty"` // versions before this one, newest first
}

// clone copies what a commit changes.
func (m *manifest) clone() *manifest {
	c := *m
	c.Format = Format
	c.Retired = slices.Clone(m.Retired)
	c.Totals = maps.Clone(m.Totals)
	return &c
}

// descends reports whether the manifest came out of a version.
func (m *manifest) descends(version string) bool { return slices.Contains(m.Past, version) }

func encodeManifest(m *manifest) ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, effect.Errorf(effect.Internal, "encode manifest: %v", err)
	}
	out := append([]byte(manifestMagic), Format)
	out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(body, castagnoli))
	return append(out, body...), nil
}

func decodeManifest(raw []byte) (*manifest, error) {
	bad := func(what string) (*manifest, error) {
		return nil, effect.Errorf(effect.StoreCorrupt, "decode manifest: %s", what)
	}
	if len(raw) < 8 || string(raw[:3]) != manifestMagic {
		return bad("no manifest")
	}
	if raw[3] > Format {
		return nil, effect.Errorf(effect.FormatTooNew, "decode manifest: format %d, this release reads up to %d", raw[3], Format)
	}
	if crc32.Checksum(raw[8:], castagnoli) != le32(raw, 1) {
		return bad("the checksum does not match")
	}
	m := &manifest{}
	if err := json.Unmarshal(raw[8:], m); err != nil {
		return bad("no JSON of the right form")
	}
	if m.Format != int(raw[3]) || len(m.Blocks) > maxBlocks {
		return bad("its numbers contradict each other")
	}
	seen := make(map[uint64]bool, len(m.Blocks))
	for _, b := range m.Blocks {
		if b.Seq >= m.Next || b.Bytes < 0 || b.Bytes > maxBlockBytes || b.Rows < 0 || seen[b.Seq] {
			return bad("it lists a block that cannot be")
		}
		seen[b.Seq] = true
	}
	return m, nil
}

// chain gives the version that follows another one: a hash over the previous
// version and the manifest, which names every block by its hash and so stands
// for all that was written.
func chain(previous string, manifest []byte) string {
	h := sha256.New()
	h.Write([]byte(previous))
	h.Write([]byte{0})
	h.Write(manifest)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func blockHash(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:12])
}
