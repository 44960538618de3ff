package bank

import "github.com/leanmem/leanmem/core/mem"

// The engine needs these beside api.go; they move to the files where they
// belong as those are written.

// Format is the version of blocks and manifest that this build writes.
const Format = 1

// BuiltIn names the built-in embedder (embed.Name, embed.Dims).
var BuiltIn Embedder

// TurnText is the text of a turn that is embedded: its text, text parts,
// captions, and the names and results of tools.
func TurnText(t mem.Turn) string { panic("soon") }

// MemoryText is the text of a memory that is embedded.
func MemoryText(m mem.Memory) string { panic("soon") }

// Blocks counts the blocks of the bank and their bytes.
func (s *Snapshot) Blocks() (count, bytes int) { panic("soon") }

// CheckEmbedder gives effect.EmbedderMismatch, naming both, when the bank's
// vectors were made by another embedder.
func (s *Snapshot) CheckEmbedder(e Embedder) error { panic("soon") }

// CountMarks counts the marks that the Unmark… fields of a change would lift
// (Change.UnmarkAll lifts every one).
func (s *Snapshot) CountMarks(c *Change) int { panic("soon") }

// The read room's wishes (retrieval formula):
//
//   - Index words of a row leave English stop words out (text.Stop), and
//     Row.Length counts what is left.
//   - A turn of more than text.PassageWords words stands as several rows, one a
//     passage (text.Passages), in order: Row.Passage 0, 1, … of Row.Passages.
//     Only passage 0 is what Find, ByKind, SessionTurns and counts see;
//     Postings, StemPostings, Row, Vector and Live know them all. TurnAt gives
//     the whole turn for any of them. Continuation(row) gives the row after it.
//   - Row.Cues holds text.CuesOf(text) of the passage, stored in the block.
//   - Derived(build) memoises one value on a snapshot for the read room; build
//     gets the value of the snapshot that this one was loaded upon, or nil.
