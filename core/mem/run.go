package mem

import (
	"slices"
	"time"
)

// Options are the settings of a request that shape how memory is made and
// read. The zero value is the default: rules, the built-in embedder, every
// stage and every retrieval term on.
type Options struct {
	Strategy string `json:"strategy,omitempty"` // "" means leanmem
	LLM      bool   `json:"llm,omitempty"`      // the host supplies a language model
	Model    string `json:"model,omitempty"`    // its name, for the fingerprint only
	Tagger   bool   `json:"tagger,omitempty"`   // the host supplies an entity tagger
	Embedder string `json:"embedder,omitempty"` // "": built in; "none"; "host": ask the host
	Fused    *bool  `json:"fused,omitempty"`    // nil or true: schedule and materialise in one batched call; false: the paper's protocol

	// Off switches stages and retrieval terms off, for ablations: the
	// constants Off….
	Off []string `json:"off,omitempty"`

	MaxCalls     int `json:"max_calls,omitempty"`     // model calls in one request; 0: no limit
	BudgetTokens int `json:"budget_tokens,omitempty"` // model tokens in one request; 0: no limit

	BufferCapacity int   `json:"buffer_capacity,omitempty"` // event buffer; 0: 8
	IdleMinutes    int   `json:"idle_minutes,omitempty"`    // a session is closed by a turn of another session said so much later; 0: 60
	Expand         *bool `json:"expand,omitempty"`          // nil: records are expanded when the demand asks
}

// The ablations of the paper's Table 2.
const (
	OffFilter       = "filter"       // all turns are segmented
	OffSegmentation = "segmentation" // a session is the unit
	OffScheduling   = "scheduling"   // one unified summary a segment
	OffEvolution    = "evolution"    // events are never consolidated
	OffPlanning     = "planning"     // top-k by embedding
)

// Stages lists them.
var Stages = []string{OffFilter, OffSegmentation, OffScheduling, OffEvolution, OffPlanning}

// IsOff reports whether a stage or term is switched off.
func (o Options) IsOff(name string) bool { return slices.Contains(o.Off, name) }

// IsFused reports whether scheduling and materialisation share one call.
func (o Options) IsFused() bool { return o.Fused == nil || *o.Fused }

// Run is what one request carries through the stages: the caller's clock, its
// options, and the ledger that its result reports.
type Run struct {
	Now     time.Time
	Options Options
	Ledger  *Ledger
}

// Ledger gathers what the stages of one request did and spent.
type Ledger struct {
	Paths   map[string]Path  `json:"paths,omitempty"`
	Usage   map[string]Usage `json:"usage,omitempty"`
	Reports []string         `json:"reports,omitempty"` // fallbacks and refusals, for a person; no text of a memory
}

// Took notes which way a stage went. Once a model was asked, the stage counts
// as LLM.
func (l *Ledger) Took(stage string, p Path) {
	if l.Paths == nil {
		l.Paths = map[string]Path{}
	}
	if l.Paths[stage] != LLM {
		l.Paths[stage] = p
	}
}

// Spend adds what a stage spent.
func (l *Ledger) Spend(stage string, u Usage) {
	if l.Usage == nil {
		l.Usage = map[string]Usage{}
	}
	l.Usage[stage] = l.Usage[stage].Plus(u)
}

// Report notes a fallback or a refusal.
func (l *Ledger) Report(text string) { l.Reports = append(l.Reports, text) }

// Total sums the usage of every stage.
func (l *Ledger) Total() Usage {
	var t Usage
	for _, u := range l.Usage { // a sum: order does not matter
		t = t.Plus(u)
	}
	return t
}

// Plus adds two usages.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Calls: u.Calls + v.Calls, Prompt: u.Prompt + v.Prompt, Completion: u.Completion + v.Completion,
		Cached: u.Cached + v.Cached, Estimated: u.Estimated + v.Estimated, Fallbacks: u.Fallbacks + v.Fallbacks,
	}
}

// Query is one question to a bank.
type Query struct {
	Text   string    `json:"query"`
	Time   time.Time `json:"time,omitzero"`    // when it is asked; zero: the request's now
	Budget int       `json:"budget,omitempty"` // tokens of evidence; 0: 2000
	Filter Filter    `json:"filter,omitzero"`
}
