package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/leanmem/leanmem/core/effect"
)

// tolerance is how often a cancelled flow may still ask before it is unwound.
// A call that heeds errors asks once or twice more, to clean up.
const tolerance = 16

// runner is a coroutine that runs one call after another: a new one would have
// to grow its stack anew, which costs a guest more than a small call.
type runner struct {
	pull func() ([]effect.Request, bool)
	stop func()

	yield func([]effect.Request) bool // valid inside the coroutine
	call  func()                      // what it runs at the next pull
}

func newRunner() *runner {
	r := &runner{}
	r.pull, r.stop = iter.Pull(func(yield func([]effect.Request) bool) {
		r.yield = yield
		for {
			r.call()
			r.call = nil
			if !yield(nil) {
				return
			}
		}
	})
	return r
}

// flow is one call on a runner. It is also the port that its call sees.
type flow struct {
	number  uint64
	id      string
	touched time.Time

	on       *runner
	canceled bool
	refused  int // requests since it was cancelled

	want    []effect.Request
	replies []effect.Reply
	done    json.RawMessage
	err     error
}

// start lays a call on a runner; next runs it.
func start(ctx context.Context, on *runner, call Call, verb string, request []byte) *flow {
	f := &flow{on: on}
	on.call = func() {
		f.done, f.err = Guard(verb, func() (json.RawMessage, error) {
			return call(ctx, f, verb, request)
		})
	}
	return f
}

// Do implements effect.Port: it suspends the coroutine until the host resumes
// it with the replies.
func (f *flow) Do(_ context.Context, requests []effect.Request) ([]effect.Reply, error) {
	if f.canceled {
		return nil, f.refuse()
	}
	if len(requests) == 0 {
		return nil, nil
	}
	f.want = requests
	if !f.on.yield(requests) || f.canceled {
		f.canceled = true
		return nil, f.refuse()
	}
	replies := f.replies
	f.want, f.replies = nil, nil
	return replies, nil
}

func (f *flow) refuse() error {
	if f.refused++; f.refused > tolerance {
		panic(effect.ErrUnwind)
	}
	return effect.Errorf(effect.Canceled, "the call was cancelled")
}

// next runs the call up to its next effects; false means that it is over.
func (f *flow) next() bool {
	want, _ := f.on.pull()
	return want != nil
}

// cancel makes the pending and every later Do fail, and lets the call run to
// its end.
func (f *flow) cancel() {
	f.canceled = true
	f.next()
	f.want, f.replies = nil, nil
}

// Guard runs one call of the engine and gives every failure its code. A panic
// becomes internal and loses its value, which may hold the text of a memory,
// unless the runtime itself wrote it.
func Guard(verb string, call func() (json.RawMessage, error)) (done json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			done, err = nil, panicked(verb, p)
		}
	}()
	done, err = call()
	switch {
	case err != nil:
		return nil, coded(err)
	case done == nil:
		return nil, effect.Errorf(effect.Internal, "%s: the engine gave neither a result nor an error", verb)
	}
	return done, nil
}

func panicked(verb string, p any) *effect.Error {
	if e, ok := p.(error); ok && errors.Is(e, effect.ErrUnwind) {
		return effect.Errorf(effect.Canceled, "%s: the call was cancelled", verb)
	}
	if e, ok := p.(interface{ RuntimeError() }); ok {
		return effect.Errorf(effect.Internal, "%s: a fault inside the engine: %v", verb, e)
	}
	return effect.Errorf(effect.Internal, "%s: a fault inside the engine: %T", verb, p)
}

// coded tells a context's end, which has no code of its own, from a fault.
func coded(err error) *effect.Error {
	e := effect.AsError(err)
	if e.Code != effect.Internal {
		return e
	}
	switch {
	case errors.Is(err, context.Canceled):
		return effect.Errorf(effect.Canceled, "%v", err)
	case errors.Is(err, context.DeadlineExceeded):
		return effect.Retryf(effect.Deadline, "%v", err)
	}
	return e
}

// Handle performs one step of the wire protocol: step is "begin", "resume" or
// "cancel", message and answer are envelopes. Nothing in a message makes it
// panic, and a refused message leaves every flow as it was.
func (t *Table) Handle(ctx context.Context, step string, message []byte) ([]byte, error) {
	e, err := effect.DecodeEnvelope(message)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", step, err)
	}
	var answer effect.Envelope
	switch step {
	case "begin":
		answer, err = t.Begin(ctx, e)
	case "resume":
		answer, err = t.Resume(e)
	case "cancel":
		answer, err = t.Cancel(e)
	default:
		err = effect.Errorf(effect.InvalidArgument, "no step is called %q", step)
	}
	if err != nil {
		return nil, err
	}
	return effect.EncodeEnvelope(answer)
}
