package host

import (
	"crypto/sha256"

	"github.com/leanmem/leanmem/core/effect"
)

// log keeps the replies that a call received, so that it can be run again on
// another instance without asking a model or writing to a store twice.
//
// Replies are found by their request and not by their place: the cache of the
// new instance is another one, so the call may read the store more often than
// before, but it decides the same and so asks and writes the same.
//
// There is one way for it to come out otherwise: the call erased what the new
// instance would have to read first. Then it does not repeat the write that it
// made before (astray), and its result would be about the bank as it is
// afterwards.
type log struct {
	replies map[key][]effect.Reply
	played  map[key]int
	commits int // that took place
	redone  int // of them, those that this attempt repeated
}

type key [sha256.Size]byte

func newLog() *log { return &log{replies: map[key][]effect.Reply{}, played: map[key]int{}} }

func keyOf(r effect.Request) key {
	b, err := effect.EncodeRequest(r)
	if err != nil { // a schema that is not JSON; natively it has no wire form either
		return key{}
	}
	return sha256.Sum256(b)
}

// rewind starts the next attempt.
func (l *log) rewind() {
	if l != nil {
		clear(l.played)
		l.redone = 0
	}
}

// astray says that this attempt has not made the writes of the earlier ones.
func (l *log) astray() bool { return l != nil && l.redone < l.commits }

func tookPlace(op effect.Op, r effect.Reply) bool {
	return op == effect.OpCommit && r.Err == nil && !r.Conflict
}

// replay gives the next reply to a request that an earlier attempt made.
func (l *log) replay(op effect.Op, k key) (effect.Reply, bool) {
	n := l.played[k]
	if n >= len(l.replies[k]) {
		return effect.Reply{}, false
	}
	l.played[k]++
	r := l.replies[k][n]
	if tookPlace(op, r) {
		l.redone++
	}
	return r, true
}

// record notes a reply, which counts as played in this attempt.
func (l *log) record(op effect.Op, k key, r effect.Reply) {
	l.replies[k] = append(l.replies[k], r)
	l.played[k]++
	if tookPlace(op, r) {
		l.commits++
		l.redone++
	}
}
