package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
)

// script is a call that asks a model as often as its request says and joins
// what comes back; some verbs misbehave. "deaf" goes on for ever.
func script(ctx context.Context, port effect.Port, verb string, request []byte) (json.RawMessage, error) {
	var asks int
	if err := json.Unmarshal(request, &asks); err != nil {
		return nil, effect.Errorf(effect.InvalidArgument, "%s: %v", verb, err)
	}
	switch verb {
	case "panic":
		panic("the text of a memory")
	case "index":
		return nil, fmt.Errorf("%d", []int{}[asks])
	case "nothing":
		return nil, nil
	case "plain":
		return nil, errors.New("plain")
	case "context":
		return nil, fmt.Errorf("read: %w", context.Canceled)
	}
	c := effect.Client{Port: port, Bank: "b"}
	var heard []string
	for i := range asks {
		out, err := c.Complete(ctx, []effect.Prompt{{User: fmt.Sprint(verb, i)}})
		switch {
		case err != nil && verb == "deaf":
			asks++
			continue
		case err != nil && verb == "stubborn":
			return json.Marshal("done all the same")
		case err != nil:
			return nil, fmt.Errorf("ask %d: %w", i, err)
		}
		heard = append(heard, out[0].Text)
	}
	return json.Marshal(strings.Join(heard, " "))
}

const start0 = "2026-05-01T10:00:00Z"

func begin(t *testing.T, table *Table, verb string, asks int, now string) effect.Envelope {
	t.Helper()
	e, err := table.Begin(t.Context(), effect.Envelope{Verb: verb, Request: fmt.Append(nil, asks), Now: now})
	if err != nil {
		t.Fatalf("begin %s: %v", verb, err)
	}
	return e
}

// answer gives each prompt back.
func answer(want []effect.Request) []effect.Reply {
	var replies []effect.Reply
	for _, r := range want {
		var c []effect.Completion
		for _, p := range r.Prompts {
			c = append(c, effect.Completion{Text: "<" + p.User + ">"})
		}
		replies = append(replies, effect.Reply{Completions: c})
	}
	return replies
}

func wantCode(t *testing.T, err error, code effect.Code) {
	t.Helper()
	if !effect.HasCode(err, code) {
		t.Errorf("got %v, want the code %s", err, code)
	}
}

func TestFlowsInterleave(t *testing.T) {
	table := NewTable(script, Options{})
	open := map[string]effect.Envelope{}
	for i := range 5 {
		e := begin(t, table, fmt.Sprintf("v%d.", i), i, "")
		if i == 0 { // asks for nothing
			if string(e.Done) != `""` {
				t.Errorf("done is %s", e.Done)
			}
			continue
		}
		open[e.Flow] = e
	}
	results := map[string]bool{}
	for len(open) > 0 {
		for id, e := range open {
			next, err := table.Resume(effect.Envelope{Flow: id, Replies: answer(e.Want)})
			if err != nil {
				t.Fatal(err)
			}
			open[id] = next
			if next.Done != nil {
				results[string(next.Done)] = true
				delete(open, id)
			}
		}
	}
	for _, want := range []string{`"\u003cv1.0\u003e"`, `"\u003cv3.0\u003e \u003cv3.1\u003e \u003cv3.2\u003e"`} {
		if !results[want] {
			t.Errorf("no flow gave %s: %v", want, results)
		}
	}
	if table.Len() != 0 {
		t.Errorf("%d flows are left", table.Len())
	}
}

func TestCancelEndsAFlowWhateverItDoes(t *testing.T) {
	table := NewTable(script, Options{})
	for _, verb := range []string{"polite", "stubborn", "deaf"} {
		e := begin(t, table, verb, 3, "")
		e, err := table.Resume(effect.Envelope{Flow: e.Flow, Replies: answer(e.Want)})
		if err != nil {
			t.Fatal(err)
		}
		got, err := table.Cancel(effect.Envelope{Flow: e.Flow})
		if err != nil || got.Flow != e.Flow || got.Done != nil || got.Want != nil {
			t.Errorf("cancel %s: %+v, %v", verb, got, err)
		}
		_, err = table.Cancel(effect.Envelope{Flow: e.Flow})
		wantCode(t, err, effect.UnknownFlow)
		_, err = table.Resume(effect.Envelope{Flow: e.Flow, Replies: answer(e.Want)})
		wantCode(t, err, effect.UnknownFlow)
	}
	if table.Len() != 0 {
		t.Errorf("%d flows are left", table.Len())
	}
}

func TestCancellationIsSticky(t *testing.T) {
	var heard []error
	table := NewTable(func(ctx context.Context, port effect.Port, _ string, _ []byte) (json.RawMessage, error) {
		for range 3 {
			_, err := port.Do(ctx, []effect.Request{{Op: effect.OpProgress}})
			heard = append(heard, err)
		}
		return nil, heard[0]
	}, Options{})
	e := begin(t, table, "v", 0, "")
	table.Cancel(e)
	if len(heard) != 3 {
		t.Fatalf("the flow heard %v", heard)
	}
	for _, err := range heard {
		wantCode(t, err, effect.Canceled)
	}
}

func TestFaultsGetCodesAndLoseTheirText(t *testing.T) {
	table := NewTable(script, Options{})
	for verb, code := range map[string]effect.Code{
		"panic": effect.Internal, "index": effect.Internal, "nothing": effect.Internal,
		"plain": effect.Internal, "context": effect.Canceled, "": effect.InvalidArgument,
	} {
		_, err := table.Begin(t.Context(), effect.Envelope{Verb: verb, Request: []byte("0")})
		wantCode(t, err, code)
		if strings.Contains(fmt.Sprint(err), "memory") {
			t.Errorf("%s: the error leaks: %v", verb, err)
		}
	}
	if table.Len() != 0 {
		t.Errorf("%d flows are left", table.Len())
	}
}

func TestAPanicLeavesOtherFlowsAlone(t *testing.T) {
	table := NewTable(script, Options{})
	e := begin(t, table, "v", 1, "")
	_, err := table.Begin(t.Context(), effect.Envelope{Verb: "panic", Request: []byte("1")})
	wantCode(t, err, effect.Internal)
	e, err = table.Resume(effect.Envelope{Flow: e.Flow, Replies: answer(e.Want)})
	if err != nil || e.Done == nil {
		t.Errorf("the other flow: %+v, %v", e, err)
	}
}

func TestAReplyThatDoesNotFitLeavesTheFlowWaiting(t *testing.T) {
	table := NewTable(script, Options{})
	e := begin(t, table, "v", 1, "")
	for _, replies := range [][]effect.Reply{nil, make([]effect.Reply, 2)} {
		_, err := table.Resume(effect.Envelope{Flow: e.Flow, Replies: replies})
		wantCode(t, err, effect.InvalidArgument)
	}
	done, err := table.Resume(effect.Envelope{Flow: e.Flow, Replies: answer(e.Want)})
	if err != nil || done.Done == nil {
		t.Errorf("after the bad messages: %+v, %v", done, err)
	}

	e = begin(t, table, "v", 1, "")
	_, err = table.Resume(effect.Envelope{Flow: e.Flow, Replies: []effect.Reply{{}}}) // of the wrong shape
	wantCode(t, err, effect.ModelFailed)
}

func TestAbandonedFlowsExpire(t *testing.T) {
	table := NewTable(script, Options{})
	old := begin(t, table, "old", 1, start0)
	served := begin(t, table, "served", 2, start0)
	begin(t, table, "young", 1, "2026-05-01T10:20:00Z")
	_, err := table.Begin(t.Context(), effect.Envelope{Verb: "v", Request: []byte("1"), Now: "soon"})
	wantCode(t, err, effect.InvalidArgument)

	// A flow that comes back late was not abandoned, but it shows the time.
	if _, err := table.Resume(effect.Envelope{Flow: served.Flow, Replies: answer(served.Want), Now: "2026-05-01T10:40:00Z"}); err != nil {
		t.Error(err)
	}
	_, err = table.Resume(effect.Envelope{Flow: old.Flow, Replies: answer(old.Want)})
	wantCode(t, err, effect.UnknownFlow)
	if table.Len() != 2 {
		t.Errorf("%d flows are left, want the young and the served one", table.Len())
	}
	begin(t, table, "v", 1, start0) // a clock that goes back ends nothing
	if table.Len() != 3 {
		t.Errorf("%d flows are left, want 3", table.Len())
	}
}

func TestTheCapGivesWayWhenFlowsEnd(t *testing.T) {
	table := NewTable(script, Options{Cap: 2})
	e := begin(t, table, "v", 1, start0)
	begin(t, table, "v", 1, start0)
	_, err := table.Begin(t.Context(), effect.Envelope{Verb: "v", Request: []byte("1")})
	wantCode(t, err, effect.Busy)
	table.Cancel(e)
	begin(t, table, "v", 1, start0)
	begin(t, table, "v", 1, "2026-05-01T11:00:00Z") // the others are abandoned by now
	if table.Len() != 1 {
		t.Errorf("%d flows are left, want 1", table.Len())
	}
}

func TestANewerMajorVersionIsRefused(t *testing.T) {
	table := NewTable(script, Options{ABI: "1.0"})
	for abi, refused := range map[string]bool{"": false, "1.0": false, "1.7": false, "2.0": true, "x": true} {
		_, err := table.Begin(t.Context(), effect.Envelope{ABI: abi, Verb: "v", Request: []byte("1")})
		if refused != effect.HasCode(err, effect.UnsupportedABI) {
			t.Errorf("abi %q: %v", abi, err)
		}
	}
}

func TestIdsFollowEachOther(t *testing.T) {
	table := NewTable(script, Options{})
	for i := range 3 {
		if e := begin(t, table, "v", i%2, ""); e.Flow != fmt.Sprint(i+1) {
			t.Errorf("flow %d has the id %q", i, e.Flow)
		}
	}
}

func TestTheWireFormGoesThroughHandle(t *testing.T) {
	table := NewTable(script, Options{})
	send := func(step string, e effect.Envelope) effect.Envelope {
		t.Helper()
		m, err := effect.EncodeEnvelope(e)
		if err != nil {
			t.Fatal(err)
		}
		out, err := table.Handle(t.Context(), step, m)
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		a, err := effect.DecodeEnvelope(out)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	e := send("begin", effect.Envelope{Verb: "v", Request: []byte("2")})
	e = send("resume", effect.Envelope{Flow: e.Flow, Replies: answer(e.Want)})
	e = send("resume", effect.Envelope{Flow: e.Flow, Replies: answer(e.Want)})
	if string(e.Done) != `"\u003cv0\u003e \u003cv1\u003e"` {
		t.Errorf("done is %s", e.Done)
	}
	e = send("begin", effect.Envelope{Verb: "v", Request: []byte("1")})
	send("cancel", effect.Envelope{Flow: e.Flow})
	_, err := table.Handle(t.Context(), "jump", []byte("\x02\x00\x00\x00{}"))
	wantCode(t, err, effect.InvalidArgument)
}

func FuzzHandle(f *testing.F) {
	for _, e := range []effect.Envelope{
		{Verb: "v", Request: []byte("1"), Now: start0},
		{Flow: "1", Replies: answer([]effect.Request{{Prompts: make([]effect.Prompt, 1)}})},
		{Flow: "1", Replies: []effect.Reply{{Values: [][]byte{nil, {1}}, Vectors: effect.Vectors{Dims: 1, Data: []float32{1}}}}},
	} {
		m, err := effect.EncodeEnvelope(e)
		if err != nil {
			f.Fatal(err)
		}
		for step := range uint8(3) {
			f.Add(step, m)
			f.Add(step, m[:len(m)/2])
		}
	}
	f.Fuzz(func(t *testing.T, step uint8, message []byte) {
		table := NewTable(func(ctx context.Context, port effect.Port, _ string, request []byte) (json.RawMessage, error) {
			return script(ctx, port, "v", request)
		}, Options{Cap: 2})
		waiting, err := table.Begin(t.Context(), effect.Envelope{Verb: "v", Request: []byte("1")})
		if err != nil {
			t.Fatal(err)
		}
		_, err = table.Handle(t.Context(), []string{"begin", "resume", "cancel"}[step%3], message)
		if err != nil && effect.AsError(err).Code == effect.Internal {
			t.Errorf("internal: %v", err)
		}
		if table.Len() > 2 {
			t.Errorf("%d flows", table.Len())
		}
		if _, still := table.flows[waiting.Flow]; still {
			if _, err := table.Cancel(waiting); err != nil {
				t.Error(err)
			}
		}
	})
}

// A call leaves nothing behind for the next one on its coroutine, however it
// ended, and Close ends the coroutines that are kept.
func TestACoroutineRunsOneCallAfterAnother(t *testing.T) {
	before := runtime.NumGoroutine()
	table := NewTable(script, Options{Spare: 2})
	fresh := func(verb string, n int) string {
		one := NewTable(script, Options{})
		e, err := one.Begin(t.Context(), effect.Envelope{Verb: verb, Request: fmt.Appendf(nil, "%d", n)})
		for err == nil && e.Done == nil {
			e, err = one.Resume(effect.Envelope{Flow: e.Flow, Replies: answer(e.Want)})
		}
		return fmt.Sprintf("%s, %v", e.Done, err)
	}
	for round := range 30 {
		var open []effect.Envelope
		for _, verb := range []string{"polite", "stubborn", "deaf"} { // cancelled below
			open = append(open, begin(t, table, verb, 3, ""))
		}
		for _, verb := range []string{"plain", "panic", "index", "nothing", "polite"} {
			n := round % 4
			e, err := table.Begin(t.Context(), effect.Envelope{Verb: verb, Request: fmt.Appendf(nil, "%d", n)})
			for err == nil && e.Done == nil {
				e, err = table.Resume(effect.Envelope{Flow: e.Flow, Replies: answer(e.Want)})
			}
			if got, want := fmt.Sprintf("%s, %v", e.Done, err), fresh(verb, n); got != want {
				t.Fatalf("%s %d after others: %s, want %s", verb, n, got, want)
			}
		}
		for _, e := range open {
			if _, err := table.Cancel(effect.Envelope{Flow: e.Flow}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(table.spare) != 2 {
		t.Errorf("%d coroutines are kept, want 2", len(table.spare))
	}
	begin(t, table, "polite", 3, "") // left open
	table.Close()
	if table.Len() != 0 || runtime.NumGoroutine() > before {
		t.Errorf("after Close %d flows and %d goroutines, %d before", table.Len(), runtime.NumGoroutine(), before)
	}
}
