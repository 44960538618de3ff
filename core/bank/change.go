package bank

import (
	"strings"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

// Change is what one commit does to a bank. It is applied whole or not at all.
type Change struct {
	Turns         []mem.Turn           // new turns
	Memories      []mem.Memory         // new memories, or new states of known ones by id
	Vectors       map[string][]int8    // id → vector of a turn or memory above, from the host's embedder; the built-in embedder needs none
	Sessions      []SessionState       // new states of sessions
	Replies       []PaidReply          // model replies that were paid for and not yet used
	Used          []string             // hashes of replies whose result stands in this commit
	Erase         []string             // ids of turns and memories whose text goes from every block, older wordings and all paid replies with it
	Mark          []string             // ids of erased turns that a late retry must not bring back
	Unmark        []string             // ids whose mark is lifted
	UnmarkSession []string             // sessions all of whose marks are lifted
	UnmarkAll     bool                 // every mark is lifted
	Usage         map[string]mem.Usage // added to the bank's totals by stage
	Embedder      *Embedder            // what made Vectors; a bank keeps the first it is given (see CheckEmbedder)
	Reindex       *Reindex             // a step towards another embedder
}

// SessionState is how far a session has been turned into memory. The turns
// [Derived, Next) are its open tail: found as turns, not yet memories.
type SessionState struct {
	Name    string    `json:"name"`
	Next    int       `json:"next"`              // Seq that the next turn gets
	Derived int       `json:"derived"`           // turns before this one are settled
	Closed  bool      `json:"closed"`            // the whole tail is owed as memory
	Last    time.Time `json:"last,omitzero"`     // when its latest turn was said
	Removed bool      `json:"removed,omitempty"` // the session was deleted
}

// PaidReply is a model reply kept under the hash of its request until the
// memory made from it is committed, so that a kill between the two repeats no
// paid call.
type PaidReply struct {
	Hash   string `json:"hash"`
	Stage  string `json:"stage"`
	Text   string `json:"text"`
	Finish string `json:"finish,omitempty"`
}

// Embedder names what made the vectors of a bank.
type Embedder struct {
	Name string `json:"name"` // "" none yet; embed.Name for the built-in one; the host's model name
	Dims int    `json:"dims"`
}

// HostEmbedder names the embedder behind vectors that the host gave: "host:"
// and the model's own name, whether or not the provider put the prefix there.
func HostEmbedder(v effect.Vectors) Embedder {
	return Embedder{Name: "host:" + strings.TrimPrefix(v.Model, "host:"), Dims: v.Dims}
}
