// Package effect is the port through which the core asks the world: a language
// model, an embedder, an entity tagger, a store. The core asks in batches and
// never talks to the world in any other way.
//
// It holds the requests and replies, their wire form (wire.go), the closed
// list of errors (error.go) and a typed client over the port (client.go). It
// imports only the standard library and knows nothing of memories.
package effect

import (
	"context"
	"encoding/json"
)

// Port performs requests. Do returns one reply for each request, in order.
// Requests of one call are independent: a host may run them in parallel. The
// error of Do is terminal for the flow (cancelled, host gone); what failed of
// a single request stands in its Reply.Err.
type Port interface {
	Do(ctx context.Context, requests []Request) ([]Reply, error)
}

// Op names an effect; it is also the name of the host function.
type Op string

const (
	OpComplete Op = "llm_complete"
	OpEmbed    Op = "embed"
	OpTag      Op = "tag"
	OpGet      Op = "store_get"
	OpScan     Op = "store_scan"
	OpCommit   Op = "store_commit"
	OpBanks    Op = "store_banks"
	OpProgress Op = "progress"
)

// Ops lists every effect.
var Ops = []Op{OpComplete, OpEmbed, OpTag, OpGet, OpScan, OpCommit, OpBanks, OpProgress}

// Request is one wish of the core. Op says which fields count.
type Request struct {
	Op   Op
	Bank string // every store request; and whose data a model request carries

	Prompts []Prompt // llm_complete
	Texts   []string // embed, tag
	Purpose string   // embed: "document" or "query"

	Keys   [][]byte // store_get
	Prefix []byte   // store_scan
	After  []byte   // store_scan: only keys greater than this
	Limit  int      // store_scan, store_banks: at most so many entries; 0: the store's own limit

	Expected string // store_commit: the version that must be current; "" for a bank that does not exist
	Version  string // store_commit: the version that it becomes
	Writes   []Write

	AfterBank string // store_banks: only names greater than this

	Progress Progress // progress
}

// Write is one operation of a commit. A key occurs once in a commit.
type Write struct {
	Key    []byte
	Value  []byte // nil with Delete
	Delete bool
}

// Prompt is one call of a language model. System is the instruction, first and
// identical between calls of one stage so that a provider's prefix cache hits;
// User carries the data.
type Prompt struct {
	Stage      string          `json:"stage"` // schedule, event, gist, evolve, plan, answer
	System     string          `json:"system"`
	User       string          `json:"user"`
	Schema     json.RawMessage `json:"schema,omitempty"` // JSON schema of the reply; nil for free text
	SchemaName string          `json:"schema_name,omitempty"`
	MaxTokens  int             `json:"max_tokens,omitempty"`
	Stream     bool            `json:"stream,omitempty"` // the host may show the text as it arrives
}

// Progress tells how far long work of the core has come.
type Progress struct {
	Stage string `json:"stage"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
}

// Reply answers one request; which fields count follows from its Op.
type Reply struct {
	Err *Error

	Completions []Completion // llm_complete: one for each prompt
	Vectors     Vectors      // embed
	Entities    [][]Entity   // tag: one list for each text

	Current  string   // every store reply: the bank's current version, "" when there is no such bank
	Values   [][]byte // store_get: one for each key; nil when absent, empty but not nil when empty
	Entries  []Entry  // store_scan, in key order
	More     bool     // store_scan, store_banks: there is more after the last entry
	Conflict bool     // store_commit: Expected was not current; nothing was written
	Banks    []string // store_banks, in byte order
}

// Completion is a model's answer to one prompt. A failed prompt has Err and
// leaves its neighbours valid.
type Completion struct {
	Text         string `json:"text"`
	Finish       string `json:"finish,omitempty"` // stop, length, content_filter, refusal, …
	PromptTokens int    `json:"prompt_tokens,omitempty"`
	OutputTokens int    `json:"output_tokens,omitempty"`
	CachedTokens int    `json:"cached_tokens,omitempty"`
	Estimated    bool   `json:"estimated,omitempty"` // the provider reported no usage
	Err          *Error `json:"error,omitempty"`
}

// Vectors holds one unit-length vector for each text of an embed request, row
// after row.
type Vectors struct {
	Model string // the embedder's own name, remembered by the bank
	Dims  int
	Data  []float32 // len = texts × Dims
}

// Row returns the vector of text i.
func (v Vectors) Row(i int) []float32 { return v.Data[i*v.Dims : (i+1)*v.Dims] }

// Entity is a name that a tagger found. Start and End are byte offsets.
type Entity struct {
	Text  string `json:"text"`
	Label string `json:"label,omitempty"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Entry is one key and its value.
type Entry struct{ Key, Value []byte }
