package flow

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leanmem/leanmem/core/effect"
)

// The limits of a table whose Options name none.
const (
	DefaultCap  = 64
	DefaultIdle = 30 * time.Minute
)

// Call performs one verb over a port; it is what the engine gives.
type Call func(ctx context.Context, port effect.Port, verb string, request []byte) (json.RawMessage, error)

// Options bound a table. The zero value takes the defaults.
type Options struct {
	Cap  int           // flows alive at once
	Idle time.Duration // a flow that its host left alone for so long is ended
	ABI  string        // MAJOR.MINOR spoken here; a begin of another major is refused; "": not checked

	// Spare is how many coroutines that ran a call are kept for the next ones,
	// for a program of one thread. Others must keep none: a goroutine that is
	// locked to its thread may not run a coroutine that another one made.
	Spare int
}

// Table holds the flows of one instance.
type Table struct {
	call  Call
	cap   int
	idle  time.Duration
	keep  int // runners without a flow
	abi   string
	flows map[string]*flow
	spare []*runner // those without a flow
	last  uint64    // number of the newest flow
	now   time.Time // the latest that a message told
}

// NewTable makes an empty table over call.
func NewTable(call Call, o Options) *Table {
	if o.Cap <= 0 {
		o.Cap = DefaultCap
	}
	if o.Idle <= 0 {
		o.Idle = DefaultIdle
	}
	return &Table{call: call, cap: o.Cap, idle: o.Idle, keep: o.Spare, abi: o.ABI, flows: map[string]*flow{}}
}

// Len is the number of flows alive.
func (t *Table) Len() int { return len(t.flows) }

// Begin starts the call that e.Verb and e.Request name and runs it up to its
// first effects. The answer has either Want or Done. An error is an
// *effect.Error and leaves no flow behind.
func (t *Table) Begin(ctx context.Context, e effect.Envelope) (effect.Envelope, error) {
	if e.Verb == "" {
		return effect.Envelope{}, effect.Errorf(effect.InvalidArgument, "begin: the message names no verb")
	}
	if e.ABI != "" && t.abi != "" && major(e.ABI) != major(t.abi) {
		return effect.Envelope{}, effect.Errorf(effect.UnsupportedABI, "begin: abi %.20q is asked for, this build speaks %s", e.ABI, t.abi)
	}
	if err := t.tick("begin", e.Now, ""); err != nil {
		return effect.Envelope{}, err
	}
	if len(t.flows) >= t.cap {
		return effect.Envelope{}, effect.Retryf(effect.Busy, "begin %s: %d flows are under way, the limit of an instance", e.Verb, len(t.flows))
	}
	t.last++
	f := start(ctx, t.runner(), t.call, e.Verb, e.Request)
	f.number, f.id, f.touched = t.last, strconv.FormatUint(t.last, 10), t.now
	t.flows[f.id] = f
	return t.step(f)
}

func major(abi string) string {
	m, _, _ := strings.Cut(abi, ".")
	return m
}

// Resume hands the replies to the effects that the flow asked for, in order,
// and runs it up to its next ones. A message that does not fit is refused and
// leaves the flow waiting as it was.
func (t *Table) Resume(e effect.Envelope) (effect.Envelope, error) {
	f, err := t.find("resume", e.Flow)
	if err != nil {
		return effect.Envelope{}, err
	}
	if err := t.tick("resume", e.Now, f.id); err != nil {
		return effect.Envelope{}, err
	}
	if len(e.Replies) != len(f.want) {
		return effect.Envelope{}, effect.Errorf(effect.InvalidArgument, "resume flow %s: %d replies to %d requests", f.id, len(e.Replies), len(f.want))
	}
	f.touched = t.now
	f.replies = e.Replies
	return t.step(f)
}

// Cancel ends a flow: what it waits for fails with canceled, and so does all
// that it asks for afterwards. The answer carries the id and nothing else.
func (t *Table) Cancel(e effect.Envelope) (effect.Envelope, error) {
	f, err := t.find("cancel", e.Flow)
	if err != nil {
		return effect.Envelope{}, err
	}
	t.end(f)
	return effect.Envelope{Flow: f.id}, nil
}

func (t *Table) find(step, id string) (*flow, error) {
	f, ok := t.flows[id]
	if !ok {
		return nil, effect.Errorf(effect.UnknownFlow, "%s: no flow of that id; it was never begun, or it is finished, cancelled or expired", step)
	}
	return f, nil
}

// tick takes over the host's clock and ends the flows that were left alone,
// except the one that is being served: it was not abandoned.
func (t *Table) tick(step, now, serving string) error {
	if now == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		return effect.Errorf(effect.InvalidArgument, "%s: now is not a time of RFC 3339", step)
	}
	if at.Before(t.now) { // hosts on several machines may share an instance
		return nil
	}
	t.now = at
	for _, f := range t.inOrder(func(f *flow) bool { return f.id != serving && at.Sub(f.touched) >= t.idle }) {
		t.end(f)
	}
	return nil
}

// inOrder gives the flows that pass, oldest first: ending a flow runs its code,
// so the order is not left to the map.
func (t *Table) inOrder(pass func(*flow) bool) []*flow {
	var out []*flow
	for _, f := range t.flows {
		if pass(f) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b *flow) int { return cmp.Compare(a.number, b.number) })
	return out
}

func (t *Table) end(f *flow) {
	f.cancel()
	t.forget(f)
}

func (t *Table) runner() *runner {
	n := len(t.spare)
	if n == 0 {
		return newRunner()
	}
	r := t.spare[n-1]
	t.spare = t.spare[:n-1]
	return r
}

// forget lets go of a flow that is over.
func (t *Table) forget(f *flow) {
	delete(t.flows, f.id)
	if len(t.spare) < t.keep {
		t.spare = append(t.spare, f.on)
	} else {
		f.on.stop()
	}
}

// Close ends every flow and the coroutines that would run the next ones. The
// table may be used again.
func (t *Table) Close() {
	for _, f := range t.inOrder(func(*flow) bool { return true }) {
		t.end(f)
	}
	for _, r := range t.spare {
		r.stop()
	}
	t.spare = nil
}

// step runs a flow up to its next effects and forgets it when it is over.
func (t *Table) step(f *flow) (effect.Envelope, error) {
	if f.next() {
		return effect.Envelope{Flow: f.id, Want: f.want}, nil
	}
	t.forget(f)
	if f.err != nil {
		return effect.Envelope{}, f.err
	}
	return effect.Envelope{Flow: f.id, Done: f.done}, nil
}
