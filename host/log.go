package host

import (
	"crypto/sha256"

	"github.com/leanmem/leanmem/core/effect"
)

// log keeps the replies that a call received, so that it can be run again on
// another instance without asking a model or writing to a store twice.
//
// Replies are found by their request and not by their place: the cache of the
// new instance is another one, so the call may read the store more or less
// often than before, but it decides the same and so asks and writes the same.
type log struct {
	replies map[key][]effect.Reply
	played  map[key]int
}

type key [sha256.Size]byte

func newLog() *log { return &log{map[key][]effect.Reply{}, map[key]int{}} }

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
	}
}

// replay gives the next reply to a request that an earlier attempt made.
func (l *log) replay(k key) (effect.Reply, bool) {
	n := l.played[k]
	if n >= len(l.replies[k]) {
		return effect.Reply{}, false
	}
	l.played[k]++
	return l.replies[k][n], true
}

// record notes a reply, which counts as played in this attempt.
func (l *log) record(k key, r effect.Reply) {
	l.replies[k] = append(l.replies[k], r)
	l.played[k]++
}
