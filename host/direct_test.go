package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/internal/plugintest"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

func openInstance(t *testing.T) *wasm {
	t.Helper()
	m, err := openMachine(t.Context(), Config{Plugin: plugintest.Build(t, "step"), MaxInstanceBytes: 1 << 30, RecycleBytes: 256 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.close(context.Background()) })
	i, err := m.instance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return i.(*wasm)
}

// Messages of every size arrive whole in both ways, and both give the same
// answers and errors.
func TestDirectExchangeIsTheSameAsExtisms(t *testing.T) {
	w := openInstance(t)
	if w.direct == nil {
		t.Fatal("the plugin offers no direct exchange")
	}
	run := func(size int) []string {
		var out []string
		for verb, request := range map[string]string{"version": "{}", "stats": `{"bank":"b","now":"2024-05-01T00:00:00Z"}`, "no verb": "{}", "list": "{"} {
			padded := json.RawMessage(request + strings.Repeat(" ", size))
			if !json.Valid(padded) {
				padded = json.RawMessage(`"` + strings.Repeat("x", size) + `"`)
			}
			e, err := w.Begin(t.Context(), effect.Envelope{Verb: verb, Request: padded, Now: "2024-05-01T00:00:00Z"})
			if err == nil && len(e.Want) > 0 {
				value := bytes.Repeat([]byte{7}, size)
				e, err = w.Resume(t.Context(), effect.Envelope{Flow: e.Flow, Now: "2024-05-01T00:00:00Z", Replies: []effect.Reply{{Current: "v", Values: [][]byte{value}}}})
			}
			out = append(out, fmt.Sprintf("%s: %d wanted, %s, %v", verb, len(e.Want), e.Done, err))
		}
		return out
	}
	for _, size := range []int{0, 1, keptRoom - 300, keptRoom - 100, keptRoom, keptRoom + 1, 3 << 20, 5} {
		straight := w.direct
		got := run(size)
		w.direct = nil
		want := run(size)
		w.direct = straight
		for _, line := range got {
			if !strings.Contains(strings.Join(want, "\n"), line) {
				t.Errorf("%d bytes: directly %q\nthrough Extism's memory %q", size, got, want)
			}
		}
	}
}

// Values of a store that were handed in stay as they were when the next message
// takes their place.
func TestDirectMessagesOutliveTheNext(t *testing.T) {
	store := memory.New()
	open := func(engine string) *Host {
		h, err := Open(t.Context(), Config{Engine: engine, Plugin: plugintest.Build(t, "step"), Instances: 1, Set: hostfuncs.Set{Store: store}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close() })
		return h
	}
	writer, straight := open(Native), open(Wasm)
	towns := []string{"Bergen", "Trieste", "Leiden"}
	for _, town := range towns {
		session := core.InputSession{ID: "s", Close: true, Turns: []core.InputTurn{{ID: "t", Speaker: "Ana", Text: "I live in " + town + " and work as a painter."}}}
		if _, err := writer.Add(t.Context(), core.AddRequest{Call: core.Call{Bank: town}, Sessions: []core.InputSession{session}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, question := range []string{"Where does Ana live?", "Who is a painter?"} {
		for _, town := range towns {
			r, err := straight.Search(t.Context(), core.SearchRequest{Call: core.Call{Bank: town}, Query: mem.Query{Text: question}})
			if err != nil || !strings.Contains(r.Text, town) {
				t.Errorf("%s in the bank of %s: %v, %q", question, town, err, r.Text)
			}
		}
	}
}

// A host that breaks the rules of direct exchange gets an error and does no harm.
func TestDirectExchangeMisused(t *testing.T) {
	w := openInstance(t)
	call := func(f string, args ...uint64) uint32 {
		t.Helper()
		results, err := w.module.ExportedFunction(f).Call(&frame{t.Context(), w.kernel}, args...)
		if err != nil {
			t.Fatalf("%s%v: %v", f, args, err)
		}
		return uint32(results[0])
	}
	refused := func(step, size uint64) {
		t.Helper()
		place := call("exchange", step, size)
		at, _ := w.direct.memory.ReadUint32Le(place)
		n, _ := w.direct.memory.ReadUint32Le(place + 4)
		isError, _ := w.direct.memory.ReadUint32Le(place + 8)
		answer, ok := w.direct.memory.Read(at, n)
		if !ok || isError != 1 || !bytes.Contains(answer, []byte(effect.InvalidArgument)) {
			t.Errorf("exchange(%d, %d) gave %q, error %d", step, size, answer, isError)
		}
	}
	refused(0, 10) // nothing was reserved
	if at := call("reserve", effect.MaxMessage+1); at != 0 {
		t.Errorf("room for more than the longest message at %d", at)
	}
	call("reserve", 10)
	refused(3, 10)
	refused(0, keptRoom+1)
	refused(0, 1<<32-1)
	call("reserve", keptRoom+5)
	refused(0, keptRoom+6)
	refused(0, keptRoom+5) // what was reserved is given up with the call
	if _, err := w.Begin(t.Context(), effect.Envelope{Verb: "version", Request: json.RawMessage("{}")}); err != nil {
		t.Errorf("after all that: %v", err)
	}
}
