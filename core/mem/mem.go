// Package mem holds the plain values that the stages of leanmem pass to each
// other: turns, segments, routes, memories, plans and evidence.
//
// It has no behaviour beyond construction of ids and small pure questions
// about a value, imports only the standard library, and never touches the
// world. Every value marshals to JSON with stable field order, so equal values
// give equal bytes in every engine.
package mem

import "time"

// Kind names a pool of the memory bank. Profile, Event and Record are the
// paper's memory types (eq. 7); Turn is the pool of raw turns beside them.
type Kind string

const (
	KindProfile Kind = "profile"
	KindEvent   Kind = "event"
	KindRecord  Kind = "record"
	KindTurn    Kind = "turn"
)

// Kinds lists every pool in the order in which evidence is composed.
var Kinds = []Kind{KindProfile, KindEvent, KindRecord, KindTurn}

// Role is the part that a speaker plays. In a dialogue between people
// everybody is a Peer; in an assistant's log User turns are the routing
// anchors and Assistant, Tool and System turns are context (algorithm, Filter).
type Role string

const (
	RolePeer      Role = "peer"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
	RoleSystem    Role = "system"
)

// Anchor reports whether turns of this role may decide where a segment is
// routed.
func (r Role) Anchor() bool { return r == RolePeer || r == RoleUser || r == "" }

// PartType names what a part of a message is.
type PartType string

const (
	PartText       PartType = "text"
	PartImage      PartType = "image"
	PartToolCall   PartType = "tool_call"
	PartToolResult PartType = "tool_result"
)

// Part is one piece of a message that has more than text. All parts are kept;
// Text and Caption are indexed, URL and Data are only carried.
type Part struct {
	Type    PartType `json:"type"`
	Text    string   `json:"text,omitempty"`
	Caption string   `json:"caption,omitempty"` // of an image
	URL     string   `json:"url,omitempty"`
	Name    string   `json:"name,omitempty"` // of a tool
	Data    string   `json:"data,omitempty"` // arguments or result of a tool, verbatim
}

// Turn is one utterance as it was said. It is immutable once stored.
type Turn struct {
	ID      string            `json:"id"`               // TurnID; "t" + 24 hex digits
	Session string            `json:"session"`          // the caller's session id
	Source  string            `json:"source,omitempty"` // the caller's turn id, quoted back in evidence
	Seq     int               `json:"seq"`              // place within the session, from 0
	Speaker string            `json:"speaker"`
	Role    Role              `json:"role,omitempty"`
	Time    time.Time         `json:"time,omitzero"` // with the offset it was said in; zero when unknown
	Text    string            `json:"text"`
	Parts   []Part            `json:"parts,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`    // such as user, agent, run
	Expires time.Time         `json:"expires_at,omitzero"` // reads at or after this instant do not see the turn
}

// SourceOrID returns the caller's own id where there is one: that is what
// evidence cites.
func (t Turn) SourceOrID() string {
	if t.Source != "" {
		return t.Source
	}
	return t.ID
}

// Segment is a topically coherent run of turns of one session, the unit of the
// write decision (Topic Segmentation).
type Segment struct {
	Session string
	Turns   []Turn // every turn of the span, in order, filtered ones included
	Anchors []int  // indices into Turns of the key utterances that routing looks at
}

// Action is a write action of eq. 3.
type Action string

const (
	Ignore    Action = "ignore"
	ToProfile Action = "profile"
	ToEvent   Action = "event"
	ToRecord  Action = "record"
)

// Route is the scheduler's decision ⟨y, I, ξ⟩ of eq. 4 with, where the reply
// schema is fused, the materialised fields beside it. One segment may have
// several routes.
type Route struct {
	Action  Action
	Sources []int     // I: indices into Segment.Turns
	Facts   []Profile // ξ, for ToProfile
	Event   *Event    // filled by the fused schema or by eq. 6
	Gist    string    // filled by the fused schema or by eq. 5's gist call
	Path    Path
}

// Path says which way a stage took.
type Path string

const (
	Rules Path = "rules"
	LLM   Path = "llm"
	User  Path = "user" // of a memory: its wording is a user's correction
)

// Polarity says whether a profile states that a value holds or that it does
// not ("can't stand jazz", "quit chess").
type Polarity string

const (
	Holds Polarity = ""    // the value holds from the memory's date on
	Ended Polarity = "not" // the value does not hold from the memory's date on
)

// Profile is ξ: one attribute–value pair about a subject. Whether it is
// current is not stored: it is computed when read, from all profiles of the
// same subject and attribute (see Cardinality), so that deleting one never
// leaves a wrong state behind.
type Profile struct {
	Subject   string   `json:"subject"`   // who the fact is about
	Attribute string   `json:"attribute"` // "occupation", "hobby", "likes", …
	Value     string   `json:"value"`
	Polarity  Polarity `json:"polarity,omitempty"`
	Single    bool     `json:"single,omitempty"` // the attribute holds one value at a time: a newer one succeeds
	Since     Anchor   `json:"since,omitzero"`   // when it began to hold, where that was said ("moved on 3 May"); else it holds from when it was said
}

// Anchor is the temporal anchor t of eq. 6: an interval of local calendar
// dates, inclusive, with the phrase as it was said. Dates are ISO ("2023-05-07");
// both are empty when nothing is known.
type Anchor struct {
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Phrase string `json:"phrase,omitempty"`
}

// Relation says how an event stands to the event that it was consolidated
// with (Selective Memory Evolution).
type Relation string

const (
	Opens    Relation = "new"      // opens a timeline
	Confirms Relation = "evidence" // the same state, seen again: no new state
	Revises  Relation = "revise"   // the state changed; the earlier one is superseded
	Extends  Relation = "extend"   // a further point of the timeline
)

// Event is ⟨topic, anchor, state⟩ (eq. 6) with its place in a timeline. A
// timeline is the set of events that share Timeline; the interval in which a
// state held is computed when read from the events that follow it, so that
// deleting a middle state joins its neighbours.
type Event struct {
	Subject  string   `json:"subject,omitempty"`
	Topic    string   `json:"topic"`
	Anchor   Anchor   `json:"anchor,omitzero"`
	State    string   `json:"state"`
	Timeline string   `json:"timeline,omitempty"` // id of the event that opened it; empty: its own
	Relation Relation `json:"relation,omitempty"`
	Target   string   `json:"target,omitempty"`   // id of the event that Relation refers to
	Buffered bool     `json:"buffered,omitempty"` // still waits in the event buffer
}

// Record is ⟨gist, keywords, pointer⟩ (eq. 5); the pointer is Memory.Sources.
type Record struct {
	Gist     string   `json:"gist"`
	Keywords []string `json:"keywords,omitempty"`
}

// Memory is one derived entry of the bank. Exactly one of Profile, Event and
// Record is set, as Kind says.
type Memory struct {
	ID          string            `json:"id"` // MemoryID; the kind's letter + 24 hex digits
	Kind        Kind              `json:"kind"`
	Profile     *Profile          `json:"profile,omitempty"`
	Event       *Event            `json:"event,omitempty"`
	Record      *Record           `json:"record,omitempty"`
	Sources     []string          `json:"sources"`       // ids of every turn it was derived from, in order
	Session     string            `json:"session"`       // of its first source
	Time        time.Time         `json:"time,omitzero"` // when its last source was said
	Seq         int               `json:"seq,omitempty"` // Seq of its last source: orders memories of one time
	Labels      map[string]string `json:"labels,omitempty"`
	Expires     time.Time         `json:"expires_at,omitzero"`
	Fingerprint string            `json:"fingerprint,omitempty"` // of the pipeline that made it
	Path        Path              `json:"path,omitempty"`
	Revisions   []Revision        `json:"revisions,omitempty"` // earlier wordings, oldest first, kept by update
}

// Revision is an earlier wording of a memory that a user changed.
type Revision struct {
	Text  string    `json:"text"`
	Until time.Time `json:"until,omitzero"`
}

// Corrected is when a user last changed the wording; zero for never.
func (m Memory) Corrected() time.Time {
	if n := len(m.Revisions); n > 0 {
		return m.Revisions[n-1].Until
	}
	return time.Time{}
}

// Subject is who the memory is about, empty when it names nobody.
func (m Memory) Subject() string {
	switch {
	case m.Profile != nil:
		return m.Profile.Subject
	case m.Event != nil:
		return m.Event.Subject
	}
	return ""
}

// Text is the memory's own text in the language of the dialogue, as it is
// indexed and shown: attribute and value, topic and state, or gist.
func (m Memory) Text() string {
	switch {
	case m.Profile != nil:
		p := m.Profile
		return joinNonEmpty(p.Subject, negation(p.Polarity)+p.Attribute) + ": " + p.Value
	case m.Event != nil:
		if m.Event.State == "" {
			return m.Event.Topic
		}
		if m.Event.Topic == "" {
			return m.Event.State
		}
		return m.Event.Topic + ": " + m.Event.State
	case m.Record != nil:
		return m.Record.Gist
	}
	return ""
}

func negation(p Polarity) string {
	if p == Ended {
		return "no longer "
	}
	return ""
}

func joinNonEmpty(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
