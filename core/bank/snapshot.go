package bank

import (
	"github.com/leanmem/leanmem/core/mem"
)

// Row is the index entry of one turn or memory. It is enough to filter and to
// rank; the text and the rest are decoded on demand (Turn, Memory).
type Row struct {
	ID       string
	Kind     mem.Kind
	Session  string
	Seq      int    // of a turn
	Speaker  string // of a turn
	Role     mem.Role
	Subject  string // of a profile or event
	Time     int64  // Unix seconds; 0 when unknown
	Day      string // ISO local date; "" when unknown
	Expires  int64  // Unix seconds; 0: never
	Length   int    // index terms, for BM25
	Buffered bool   // of an event: still in the event buffer
}

// Posting says that a live row holds a term Count times.
type Posting struct{ Row, Count int }
