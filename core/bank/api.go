package bank

import (
	"context"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

// Snapshot is a bank at one version: immutable, safe to pin across effects.
// Rows are numbered 0 … Rows()-1; dead ones (superseded, erased) are skipped
// by every method but Live. Row numbers mean nothing beyond one snapshot.
type Snapshot struct{}

// Version is the store's version of the bank, "" when the bank does not exist.
func (s *Snapshot) Version() string { panic("soon") }

// Rows is the number of row numbers in use.
func (s *Snapshot) Rows() int { panic("soon") }

// Live reports whether a row is neither superseded nor erased.
func (s *Snapshot) Live(row int) bool { panic("soon") }

// Row gives the index entry of a row.
func (s *Snapshot) Row(row int) *Row { panic("soon") }

// Vector gives a row's vector, nil when it has none. It must not be changed.
func (s *Snapshot) Vector(row int) []int8 { panic("soon") }

// TurnAt decodes the turn of a row.
func (s *Snapshot) TurnAt(row int) mem.Turn { panic("soon") }

// MemoryAt decodes the memory of a row.
func (s *Snapshot) MemoryAt(row int) mem.Memory { panic("soon") }

// Find gives the live row of an id.
func (s *Snapshot) Find(id string) (row int, ok bool) { panic("soon") }

// Marked reports whether a turn of that id was deleted and must stay so.
func (s *Snapshot) Marked(turnID string) bool { panic("soon") }

// Session gives a session's state.
func (s *Snapshot) Session(name string) (SessionState, bool) { panic("soon") }

// Sessions lists every session that is not removed, by name.
func (s *Snapshot) Sessions() []SessionState { panic("soon") }

// SessionTurns lists the live rows of a session's turns in order of Seq.
func (s *Snapshot) SessionTurns(name string) []int { panic("soon") }

// ByKind calls yield for every live row of a kind, in row order.
func (s *Snapshot) ByKind(kind mem.Kind, yield func(row int)) { panic("soon") }

// DerivedFrom lists the live memories that have any of the turns as a source.
func (s *Snapshot) DerivedFrom(turnIDs []string) []int { panic("soon") }

// Postings calls yield for the live rows that hold an index word (as
// text.Words gives it, unstemmed).
func (s *Snapshot) Postings(word string, yield func(row, count int)) { panic("soon") }

// StemPostings calls yield for the live rows that hold any word of a stem,
// once a row, counts summed.
func (s *Snapshot) StemPostings(stem string, yield func(row, count int)) { panic("soon") }

// Vocabulary calls yield for every distinct index word with the number of rows
// that hold it, in byte order.
func (s *Snapshot) Vocabulary(yield func(word string, rows int)) { panic("soon") }

// Reply gives a paid model reply that was not used yet.
func (s *Snapshot) Reply(hash string) (PaidReply, bool) { panic("soon") }

// Embedder names what made the vectors.
func (s *Snapshot) Embedder() Embedder { panic("soon") }

// Totals is what the bank has spent on models so far, by stage.
func (s *Snapshot) Totals() map[string]mem.Usage { panic("soon") }

// Cache holds the snapshots of the banks that an instance has seen, by version,
// under a cap on bytes. It is not safe for concurrent use: an instance serves
// one call at a time.
type Cache struct{}

// NewCache makes a cache that keeps about maxBytes of snapshots; 0 means 64 MiB.
func NewCache(maxBytes int) *Cache { panic("soon") }

// Open pins the current snapshot of a bank. A bank that does not exist opens
// with an empty snapshot of version "".
func (c *Cache) Open(ctx context.Context, client effect.Client) (*Handle, error) { panic("soon") }

// Holds lists the banks in the cache, for hosts that route by it.
func (c *Cache) Holds() []string { panic("soon") }

// Handle is a bank opened by one flow. Nothing is locked: other flows and other
// hosts may commit meanwhile.
type Handle struct{}

// Client is the port bound to this bank.
func (h *Handle) Client() effect.Client { panic("soon") }

// Snapshot is the pinned snapshot: the one opened, or that of the last Commit.
func (h *Handle) Snapshot() *Snapshot { panic("soon") }

// Commit asks for a change against the pinned snapshot and writes it. On a
// conflict it loads what came in between and asks again, a bounded number of
// times (then effect.Conflict); change must therefore decide from the snapshot
// that it is given, and ask no model. A nil Change means that nothing is left
// to do. When Commit returns nil the change is durable and pinned.
func (h *Handle) Commit(ctx context.Context, change func(*Snapshot) (*Change, error)) error {
	panic("soon")
}

// Refresh pins the current version.
func (h *Handle) Refresh(ctx context.Context) error { panic("soon") }

// Drop deletes the whole bank.
func (h *Handle) Drop(ctx context.Context) error { panic("soon") }
