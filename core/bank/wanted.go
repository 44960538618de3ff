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
