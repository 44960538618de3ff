package bank

import (
	"encoding/json"
	"math"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

// entry is what a block stores under one key, before it is laid out.
type entry struct {
	row     Row // of a row; row.ID is the key of every entry
	special int // 0: a row
	sources []string
	labels  string // canonical JSON of the label set, "" for none
	text    []byte // a turn's own text
	body    []byte
	vec     []int8
}

// size is about how many bytes the entry takes in a block, its words aside.
func (e *entry) size() int {
	return rowSize + 40 + len(e.row.ID) + len(e.text) + len(e.body) + len(e.vec) + 8*len(e.sources)
}

// turnBody is what is left of a turn beside its row and text. The fields of
// the outer struct hide those of the turn, so that a field that mem.Turn gains
// is kept without a change here.
type turnBody struct {
	*mem.Turn
	ID      *struct{} `json:"id,omitempty"`
	Session *struct{} `json:"session,omitempty"`
	Seq     *struct{} `json:"seq,omitempty"`
	Speaker *struct{} `json:"speaker,omitempty"`
	Role    *struct{} `json:"role,omitempty"`
	Text    *struct{} `json:"text,omitempty"`
	Source  *struct{} `json:"source,omitempty"`
	Labels  *struct{} `json:"labels,omitempty"`
}

type memoryBody struct {
	*mem.Memory
	ID      *struct{} `json:"id,omitempty"`
	Kind    *struct{} `json:"kind,omitempty"`
	Sources *struct{} `json:"sources,omitempty"`
	Session *struct{} `json:"session,omitempty"`
	Labels  *struct{} `json:"labels,omitempty"`
}

func turnEntry(t mem.Turn) (entry, error) {
	if err := checkID(t.ID); err != nil {
		return entry{}, err
	}
	if t.Seq < 0 || t.Seq > math.MaxInt32 {
		return entry{}, effect.Errorf(effect.InvalidArgument, "store turn %s: its place %d in the session is out of range", t.ID, t.Seq)
	}
	body, err := json.Marshal(turnBody{Turn: &t})
	if err != nil {
		return entry{}, effect.Errorf(effect.InvalidArgument, "store turn %s: %v", t.ID, err)
	}
	return entry{
		row: Row{
			ID: t.ID, Kind: mem.KindTurn, Session: t.Session, Seq: t.Seq, Speaker: t.Speaker, Role: t.Role,
			Time: unix(t.Time), Day: day(t.Time), Expires: unix(t.Expires), Source: t.Source, Labels: t.Labels,
			Passages: 1,
		},
		labels: labelKey(t.Labels), text: []byte(t.Text), body: body,
	}, nil
}

func memoryEntry(m mem.Memory) (entry, error) {
	if err := checkID(m.ID); err != nil {
		return entry{}, err
	}
	if c := codeOf(m.Kind); c == kinds || c == codeTurn {
		return entry{}, effect.Errorf(effect.InvalidArgument, "store memory %s: %q is no kind of memory", m.ID, m.Kind)
	}
	body, err := json.Marshal(memoryBody{Memory: &m})
	if err != nil {
		return entry{}, effect.Errorf(effect.InvalidArgument, "store memory %s: %v", m.ID, err)
	}
	e := entry{
		row: Row{
			ID: m.ID, Kind: m.Kind, Session: m.Session, Subject: m.Subject(),
			Time: unix(m.Time), Day: day(m.Time), Expires: unix(m.Expires), Labels: m.Labels,
			Line: LineHash(mem.LineKey(m)), Passages: 1,
		},
		sources: m.Sources, labels: labelKey(m.Labels), body: body,
	}
	if m.Event != nil {
		e.row.Buffered, e.row.From, e.row.To = m.Event.Buffered, m.Event.Anchor.From, m.Event.Anchor.To
	}
	return e, nil
}

// LineHash is what rows hold of the name of a line of states, so that the rows
// of a line are found without decoding every memory: FNV-1a, 64 bits; 0 for no
// name. Two lines share it once in a blue moon, so who finds by it compares the
// names.
func LineHash(key string) uint64 {
	if key == "" {
		return 0
	}
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return max(h, 1)
}

func checkID(id string) error {
	if id == "" || id[0] == 0 || len(id) > 512 {
		return effect.Errorf(effect.InvalidArgument, "store %q: an id has 1 to 512 bytes and does not open with a zero byte", id[:min(len(id), 64)])
	}
	return nil
}

// specialEntry makes an entry that is no row; value nil means no body.
func specialEntry(kind int, key string, value any) (entry, error) {
	e := entry{row: Row{ID: key}, special: kind}
	if value == nil {
		return e, nil
	}
	body, err := json.Marshal(value)
	if err != nil {
		return e, effect.Errorf(effect.InvalidArgument, "store an entry of kind %d: %v", kind, err)
	}
	e.body = body
	return e, nil
}

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// labelKey is the canonical form of a label set: keys sorted.
func labelKey(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	b, err := json.Marshal(labels)
	if err != nil {
		return ""
	}
	return string(b)
}

// decodeTurn puts the turn of a row, its first passage or another, together
// again. A body that cannot be read (its
// checksum matched, so it was written so) gives what the row knows.
func (b *block) decodeTurn(row int) mem.Turn {
	var t mem.Turn
	row -= int(b.rows[row].Passage)
	_ = json.Unmarshal(b.body(row), &turnBody{Turn: &t})
	r := &b.rows[row]
	t.ID, t.Session, t.Seq, t.Speaker, t.Role = r.ID, r.Session, r.Seq, r.Speaker, r.Role
	t.Source, t.Text, t.Labels = r.Source, string(b.text(row)), cloneLabels(r.Labels)
	return t
}

// decodeMemory puts a memory together again.
func (b *block) decodeMemory(row int) mem.Memory {
	var m mem.Memory
	_ = json.Unmarshal(b.body(row), &memoryBody{Memory: &m})
	r := &b.rows[row]
	m.ID, m.Kind, m.Session, m.Sources, m.Labels = r.ID, r.Kind, r.Session, b.sources(row), cloneLabels(r.Labels)
	return m
}

func cloneLabels(labels map[string]string) map[string]string {
	if labels == nil {
		return nil
	}
	out := make(map[string]string, len(labels))
	for k, v := range labels {
		out[k] = v
	}
	return out
}
