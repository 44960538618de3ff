package mem

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"time"
)

// idBytes is the length of the hash in an id: 96 bits, so that a bank of a
// billion turns meets a collision with a chance below 1e-11.
const idBytes = 12

// TurnID derives the id of a turn from what was said, without the bank, so
// that export and import under another name keep it. key is the caller's own
// id of the turn or, where there is none, its ordinal among equal turns.
func TurnID(session, key, speaker string, at time.Time, text string) string {
	stamp := ""
	if !at.IsZero() {
		stamp = at.UTC().Format(time.RFC3339Nano)
	}
	return "t" + digest("turn", session, key, speaker, stamp, text)
}

// MemoryID derives the id of a memory from the ids of its source turns, its
// kind, and its ordinal among the memories of that kind from those turns. It
// does not depend on the wording, so an update keeps it.
func MemoryID(kind Kind, sources []string, ordinal int) string {
	sorted := slices.Clone(sources)
	slices.Sort(sorted)
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(ordinal))
	return string(kind[0]) + digest(append([]string{"memory", string(kind), string(n[:])}, sorted...)...)
}

// Digest is the hash behind ids, fingerprints and marks: 24 hex digits over
// the parts with their lengths, so that no two lists of parts collide by
// concatenation.
func Digest(parts ...string) string { return digest(parts...) }

func digest(parts ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:idBytes])
}
