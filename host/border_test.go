package host

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/host/internal/plugintest"
)

// header makes a message of a header alone.
func header(json string) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(json))), json...)
}

// TestRawMessagesAtTheBorder sends what this host would never send.
func TestRawMessagesAtTheBorder(t *testing.T) {
	h, err := Open(t.Context(), Config{Engine: Wasm, Plugin: plugintest.Build(t, "step"), Instances: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	i, err := h.pool.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := i.(*wasm)
	defer w.Close(t.Context())
	for n, c := range []struct {
		step    string
		message []byte
		code    effect.Code
	}{
		{"begin", nil, effect.InvalidArgument},
		{"begin", []byte{1, 2, 3}, effect.InvalidArgument},
		{"begin", []byte{255, 255, 255, 255, '{'}, effect.InvalidArgument},
		{"begin", header(`{`), effect.InvalidJSON},
		{"begin", header(`[]`), effect.InvalidJSON},
		{"begin", header(`{"verb":7}`), effect.InvalidJSON},
		{"begin", header(`{}`), effect.InvalidArgument},
		{"begin", header(`{"verb":"fly","request":{}}`), effect.UnknownVerb},
		{"begin", header(`{"verb":"search"}`), effect.InvalidJSON},
		{"begin", header(`{"verb":"search","request":"x"}`), effect.InvalidArgument},
		{"begin", header(`{"verb":"version","abi":"2.0","request":{}}`), effect.UnsupportedABI},
		{"begin", header(`{"verb":"version","request":{"abi":"2.0"}}`), effect.UnsupportedABI},
		{"begin", header(`{"verb":"version","now":"noon","request":{}}`), effect.InvalidArgument},
		{"begin", header("{\"verb\":\"search\",\"request\":{\"bank\":\"\xff\"}}"), effect.InvalidArgument},
		{"resume", header(`{"flow":"1"}`), effect.UnknownFlow},
		{"resume", header(`{"flow":"1","replies":[{"values":[[5,6]]}]}`), effect.InvalidArgument},
		{"resume", header(`{"flow":"1","replies":[{"vectors":{"dims":0,"data":[0,0]}}]}`), effect.InvalidArgument},
		{"resume", bytes.Repeat([]byte{'{'}, 1<<20), effect.InvalidArgument},
		{"cancel", header(`{}`), effect.UnknownFlow},
		{"cancel", header(`{"flow":"` + string(bytes.Repeat([]byte("9"), 1<<16)) + `"}`), effect.UnknownFlow},
	} {
		_, err := w.send(t.Context(), c.step, c.message)
		if !effect.HasCode(err, c.code) {
			t.Errorf("%s %.60q: got %v, want %s", c.step, c.message, err, c.code)
		}
		request := fmt.Sprintf(`{"bank":"b%d","now":"2026-06-01T00:00:00Z","query":"q"}`, n)
		e, err := w.Begin(t.Context(), effect.Envelope{Verb: "search", Request: []byte(request)})
		if err != nil || len(e.Want) == 0 {
			t.Fatalf("after %s %.60q, a search begins with %+v, %v", c.step, c.message, e, err)
		}
		if _, err := w.Cancel(t.Context(), effect.Envelope{Flow: e.Flow}); err != nil {
			t.Fatal(err)
		}
	}
}
