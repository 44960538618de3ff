package core

import (
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

// Version is the release that this build is of.
const Version = "0.1.0"

// ABI is the version of the interface between a host and the core. A request
// may carry a newer minor version; a newer major one is refused.
const ABI = "1.0"

// Verbs lists every verb of the engine in the order of the documentation.
var Verbs = []string{
	"add", "flush", "search", "answer", "evolve", "list", "get", "update", "delete", "restore", "history",
	"export", "import", "expire", "reprocess", "reindex", "stats", "banks", "drop", "version",
}

// Call is what every request carries.
type Call struct {
	ABI     string      `json:"abi,omitempty"`
	Bank    string      `json:"bank"`
	Now     time.Time   `json:"now"` // the caller's clock; core has none
	Options mem.Options `json:"options,omitzero"`
}

// Outcome is what every result carries.
type Outcome struct {
	Bank    string               `json:"bank,omitempty"`
	Version string               `json:"version,omitempty"` // of the bank, after the call
	Paths   map[string]mem.Path  `json:"paths"`
	Usage   map[string]mem.Usage `json:"usage"`
	Reports []string             `json:"reports,omitempty"`
}

// InputTurn is one utterance as a caller gives it.
type InputTurn struct {
	ID      string            `json:"id,omitempty"`    // the caller's own id; recommended
	Index   *int              `json:"index,omitempty"` // its place in the session, where there is no id
	Speaker string            `json:"speaker,omitempty"`
	Role    mem.Role          `json:"role,omitempty"`
	Time    string            `json:"time,omitempty"` // any form text.ParseStamp reads; empty: the session's
	Text    string            `json:"text,omitempty"`
	Parts   []mem.Part        `json:"parts,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
}

// InputSession is a run of turns of one session.
type InputSession struct {
	ID     string            `json:"id"`
	Time   string            `json:"time,omitempty"` // when it began
	Turns  []InputTurn       `json:"turns"`
	Close  bool              `json:"close,omitempty"` // nothing more will come: turn all of it into memory
	Labels map[string]string `json:"labels,omitempty"`
}

// AddRequest stores turns and derives what is due.
type AddRequest struct {
	Call
	Sessions  []InputSession `json:"sessions"`
	ExpiresAt time.Time      `json:"expires_at,omitzero"`
	Defer     bool           `json:"defer,omitempty"` // store now, derive at the next write or flush
}

// AddResult tells what was stored. When deriving stopped early (a model failed,
// a limit was reached) the turns are stored all the same and Pending counts
// those that are not yet memories; the next add or flush goes on.
type AddResult struct {
	Outcome
	Added   int            `json:"added"`
	Known   int            `json:"known"`             // already stored: nothing was done
	Deleted int            `json:"deleted"`           // deleted earlier and not restored: stay deleted
	Settled int            `json:"settled"`           // turns of which memories were made, or seen to need none
	Derived map[string]int `json:"derived"`           // new memories by kind
	Pending int            `json:"pending"`           // turns not yet turned into memory, open tails included
	Stopped *effect.Error  `json:"stopped,omitempty"` // why deriving stopped early
}

// FlushRequest closes sessions (all, or those named) and derives them.
type FlushRequest struct {
	Call
	Sessions []string `json:"sessions,omitempty"`
}

// SearchRequest asks for evidence.
type SearchRequest struct {
	Call
	mem.Query
}

// SearchResult is the evidence with the plan that chose it.
type SearchResult struct {
	Outcome
	Query string `json:"query"`
	mem.Evidence
	Plan mem.Plan `json:"plan"`
}

// AnswerRequest asks a question.
type AnswerRequest struct {
	Call
	mem.Query
}

// AnswerResult is an answer with its evidence.
type AnswerResult struct {
	Outcome
	Query string `json:"query"`
	mem.Answer
	Evidence mem.Evidence `json:"evidence"`
	Plan     mem.Plan     `json:"plan"`
}

// EvolveRequest consolidates the event buffer now.
type EvolveRequest struct{ Call }

// EvolveResult counts what became of the buffered events, by relation.
type EvolveResult struct {
	Outcome
	Relations map[string]int `json:"relations"`
	Buffered  int            `json:"buffered"` // still waiting
	Stopped   *effect.Error  `json:"stopped,omitempty"`
}

// Entry is a turn or memory as verbs show it.
type Entry struct {
	ID        string            `json:"id"`
	Kind      mem.Kind          `json:"kind"`
	Text      string            `json:"text"`
	Subject   string            `json:"subject,omitempty"`
	Speaker   string            `json:"speaker,omitempty"`
	Session   string            `json:"session,omitempty"`
	Date      string            `json:"date,omitempty"`
	Sources   []string          `json:"sources,omitempty"` // the caller's turn ids
	Labels    map[string]string `json:"labels,omitempty"`
	Expires   time.Time         `json:"expires_at,omitzero"`
	Profile   *mem.Profile      `json:"profile,omitempty"`
	Event     *mem.Event        `json:"event,omitempty"`
	Record    *mem.Record       `json:"record,omitempty"`
	Current   *bool             `json:"current,omitempty"` // of profiles and events: whether it still holds
	From      string            `json:"from,omitempty"`    // the interval in which it held
	Until     string            `json:"until,omitempty"`
	Repeats   string            `json:"repeats,omitempty"` // id of the earlier memory that says the same
	Path      mem.Path          `json:"path,omitempty"`
	Parts     []mem.Part        `json:"parts,omitempty"`
	Revisions []mem.Revision    `json:"revisions,omitempty"`
}

// ListRequest pages through a bank.
type ListRequest struct {
	Call
	Filter mem.Filter `json:"filter,omitzero"`
	Status string     `json:"status,omitempty"` // "": all; "current", "past"
	After  string     `json:"after,omitempty"`  // the Next of the page before
	Limit  int        `json:"limit,omitempty"`  // 0: 100
}

// ListResult is one page, ordered by kind, date and id.
type ListResult struct {
	Outcome
	Entries []Entry `json:"entries"`
	Next    string  `json:"next,omitempty"`
	Total   int     `json:"total"`
}

// GetRequest reads entries by id (ours or the caller's turn ids).
type GetRequest struct {
	Call
	IDs []string `json:"ids"`
}

// GetResult holds the entries that exist, in the order asked.
type GetResult struct {
	Outcome
	Entries []Entry  `json:"entries"`
	Missing []string `json:"missing,omitempty"`
}

// UpdateRequest corrects a memory. Fields left out stay.
type UpdateRequest struct {
	Call
	ID      string            `json:"id"`
	Value   *string           `json:"value,omitempty"` // a profile's value
	State   *string           `json:"state,omitempty"` // an event's state
	Gist    *string           `json:"gist,omitempty"`  // a record's gist
	Labels  map[string]string `json:"labels,omitempty"`
	Expires *time.Time        `json:"expires_at,omitempty"`
}

// UpdateResult is the entry as it now stands.
type UpdateResult struct {
	Outcome
	Entry Entry `json:"entry"`
}

// DeleteRequest erases turns and memories with everything derived from them.
// At least one restriction must be given.
type DeleteRequest struct {
	Call
	Filter mem.Filter `json:"filter"`
	DryRun bool       `json:"dry_run,omitempty"`
}

// DeleteResult lists what went, or would go.
type DeleteResult struct {
	Outcome
	DryRun   bool    `json:"dry_run"`
	Entries  []Entry `json:"entries"`
	Turns    int     `json:"turns"`
	Memories int     `json:"memories"`
}

// RestoreRequest lifts the marks of deleted turns, so that they may be added
// again. The text itself is gone. Nothing named: every mark.
type RestoreRequest struct {
	Call
	IDs      []string `json:"ids,omitempty"`
	Sessions []string `json:"sessions,omitempty"`
}

// RestoreResult counts the marks lifted.
type RestoreResult struct {
	Outcome
	Lifted int `json:"lifted"`
}

// HistoryRequest asks how a memory, or a subject's attribute or topic, came to
// be what it is.
type HistoryRequest struct {
	Call
	ID        string `json:"id,omitempty"`
	Subject   string `json:"subject,omitempty"`
	Attribute string `json:"attribute,omitempty"` // or topic words
}

// HistoryResult lists the states in time order with their intervals.
type HistoryResult struct {
	Outcome
	Entries []Entry `json:"entries"`
}

// ExportRequest reads a page of a bank in canonical order.
type ExportRequest struct {
	Call
	After string `json:"after,omitempty"`
	Limit int    `json:"limit,omitempty"` // 0: 1000
}

// ExportResult is a page of lines; concatenated over pages they are what
// import takes. Two banks with the same content export the same lines.
type ExportResult struct {
	Outcome
	Lines []ExportLine `json:"lines"`
	Next  string       `json:"next,omitempty"`
}

// ExportLine holds one of its fields.
type ExportLine struct {
	Header  *ExportHeader `json:"header,omitempty"`
	Turn    *mem.Turn     `json:"turn,omitempty"`
	Memory  *mem.Memory   `json:"memory,omitempty"`
	Session *SessionLine  `json:"session,omitempty"`
}

// ExportHeader opens an export.
type ExportHeader struct {
	Format int `json:"format"` // 1
}

// SessionLine carries a session's state.
type SessionLine struct {
	Name    string    `json:"name"`
	Next    int       `json:"next"`
	Derived int       `json:"derived"`
	Closed  bool      `json:"closed"`
	Last    time.Time `json:"last,omitzero"`
}

// ImportRequest writes lines of an export. Known ids are left as they are, so
// it may be sent again.
type ImportRequest struct {
	Call
	Lines []ExportLine `json:"lines"`
}

// ImportResult counts what was written.
type ImportResult struct {
	Outcome
	Turns    int `json:"turns"`
	Memories int `json:"memories"`
	Known    int `json:"known"`
}

// ExpireRequest purges what has expired by Now.
type ExpireRequest struct{ Call }

// ExpireResult counts what was purged.
type ExpireResult struct {
	Outcome
	Purged int `json:"purged"`
}

// ReprocessRequest derives memories anew from the stored turns, of the named
// sessions or of all.
type ReprocessRequest struct {
	Call
	Sessions []string `json:"sessions,omitempty"`
}

// ReindexRequest makes the vectors of a bank anew with the embedder that the
// options name. It may be stopped and sent again: the old vectors serve until
// every new one is there.
type ReindexRequest struct{ Call }

// ReindexResult tells how far it came.
type ReindexResult struct {
	Outcome
	Embedder string        `json:"embedder"`
	Done     int           `json:"done"`
	Total    int           `json:"total"`
	Stopped  *effect.Error `json:"stopped,omitempty"`
}

// StatsResult describes a bank.
type StatsResult struct {
	Outcome
	Counts   map[string]int       `json:"counts"` // turn, profile, event, record, sessions, buffered, pending
	Embedder string               `json:"embedder"`
	Dims     int                  `json:"dims"`
	Blocks   int                  `json:"blocks"`
	Bytes    int                  `json:"bytes"`
	Totals   map[string]mem.Usage `json:"totals"`
	First    string               `json:"first,omitempty"` // dates of the first and last turn
	Last     string               `json:"last,omitempty"`
}

// BanksRequest lists banks.
type BanksRequest struct {
	Call
	After string `json:"after,omitempty"`
	Limit int    `json:"limit,omitempty"`
}

// BanksResult is one page of names.
type BanksResult struct {
	Outcome
	Banks []string `json:"banks"`
	More  bool     `json:"more"`
}

// VersionResult names what runs.
type VersionResult struct {
	Version    string   `json:"version"`
	ABI        string   `json:"abi"`
	Format     int      `json:"format"` // of blocks
	Embedder   string   `json:"embedder"`
	Verbs      []string `json:"verbs"`
	Strategies []string `json:"strategies"`
}
