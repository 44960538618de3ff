package mem

import "time"

// Scope is the aggregation scope of a demand.
type Scope string

const (
	OneFact    Scope = "fact"
	List       Scope = "list"
	Count      Scope = "count"
	Comparison Scope = "comparison"
	Judgement  Scope = "judgement" // about a person: "would she …", "what might he …"
)

// Interval is a range of local calendar dates, inclusive, ISO. An empty bound
// is open.
type Interval struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// Constraints is C of eq. 8.
type Constraints struct {
	Entities   []string   `json:"entities,omitempty"`
	Attributes []string   `json:"attributes,omitempty"`
	Times      []Interval `json:"times,omitempty"`
	Relations  []string   `json:"relations,omitempty"`
}

// Demand is d of eq. 8.
type Demand struct {
	Scope     Scope `json:"scope"`
	Temporal  bool  `json:"temporal,omitempty"`  // the answer is a time, or depends on the order of states
	Fidelity  bool  `json:"fidelity,omitempty"`  // details are wanted: records are expanded
	Assistant bool  `json:"assistant,omitempty"` // asks for what the assistant said
}

// PerKind holds one number for each pool.
type PerKind[T any] struct {
	Profile T `json:"profile"`
	Event   T `json:"event"`
	Record  T `json:"record"`
	Turn    T `json:"turn"`
}

// Of returns the number of a pool.
func (p PerKind[T]) Of(k Kind) T {
	switch k {
	case KindProfile:
		return p.Profile
	case KindEvent:
		return p.Event
	case KindRecord:
		return p.Record
	}
	return p.Turn
}

// Plan is π_q = ⟨C, d, M, w, k⟩ (eq. 8). A pool with weight or depth 0 is not
// in M.
type Plan struct {
	Constraints Constraints      `json:"constraints"`
	Demand      Demand           `json:"demand"`
	Weights     PerKind[float64] `json:"weights"` // of the derived pools, summing to 1; Turn is weighed beside them
	Depth       PerKind[int]     `json:"depth"`
	Path        Path             `json:"path"`
	Sure        bool             `json:"sure"` // whether the rules were sure
}

// Item is one piece of evidence. Text is as it stands in Evidence.Text,
// without its date and speaker.
type Item struct {
	ID        string   `json:"id"`
	Kind      Kind     `json:"kind"`
	Text      string   `json:"text"`
	Sources   []string `json:"sources"` // the caller's turn ids
	Date      string   `json:"date"`    // ISO date it was said or holds from; empty when unknown
	Speaker   string   `json:"speaker"`
	Score     float64  `json:"score"`
	Current   *bool    `json:"current,omitempty"`   // of a state: whether it still holds
	Until     string   `json:"until,omitempty"`     // of a superseded state: the date it ended
	Asked     *bool    `json:"asked,omitempty"`     // of a state: whether it held at the time that the question asks about; absent where it asks about none
	Corrected string   `json:"corrected,omitempty"` // ISO date on which a user changed its wording
	Resolved  string   `json:"-"`                   // of a turn: the dates to which its relative phrases resolve ("= 7 May 2023"), where a date is asked for
	Held      string   `json:"-"`                   // of a state: when it held, as precisely as that is known ("May 2023 – 2024")
}

// Evidence is what a reading model is given, within its token budget.
type Evidence struct {
	Text       string  `json:"evidence"`
	Tokens     int     `json:"tokens"` // estimated on the safe side
	Items      []Item  `json:"items"`
	Confidence float64 `json:"confidence"` // in [0,1] that the answer is in the evidence
	Sufficient bool    `json:"sufficient"` // Confidence reaches the threshold
}

// Usage counts what one stage spent on a language model.
type Usage struct {
	Calls      int `json:"calls"`
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Cached     int `json:"cached_tokens,omitempty"`
	Estimated  int `json:"estimated_tokens,omitempty"` // of Prompt+Completion, how many were estimated, not reported
	Fallbacks  int `json:"fallbacks,omitempty"`        // replies given up, where rules took over
}

// Filter selects turns and memories. Empty fields do not restrict.
type Filter struct {
	IDs      []string          `json:"ids,omitempty"`
	Kinds    []Kind            `json:"kinds,omitempty"`
	Subjects []string          `json:"subjects,omitempty"`
	Speakers []string          `json:"speakers,omitempty"`
	Sessions []string          `json:"sessions,omitempty"`
	About    string            `json:"about,omitempty"`  // names or words: everything that mentions all of them
	After    time.Time         `json:"after,omitzero"`   // said at or after
	Before   time.Time         `json:"before,omitzero"`  // said before
	Labels   map[string]string `json:"labels,omitempty"` // each must be equal
}

// Empty reports whether the filter restricts nothing.
func (f Filter) Empty() bool {
	return len(f.IDs)+len(f.Kinds)+len(f.Subjects)+len(f.Speakers)+len(f.Sessions)+len(f.Labels) == 0 &&
		f.About == "" && f.After.IsZero() && f.Before.IsZero()
}

// Answer is a reply to a question with the evidence that it rests on.
type Answer struct {
	Text    string   `json:"answer"`
	Sources []string `json:"sources"` // ids of the evidence items it cites
	Known   bool     `json:"known"`   // false: the evidence does not hold the answer
	Path    Path     `json:"path"`
}
