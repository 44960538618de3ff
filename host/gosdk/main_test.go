package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/host"
	"github.com/leanmem/leanmem/host/internal/plugintest"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

func plugin(t *testing.T, set hostfuncs.Set) *extism.Plugin {
	t.Helper()
	p, err := open(t.Context(), extism.WasmData{Data: plugintest.Build(t)}, set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(t.Context()) })
	return p
}

func TestTheExampleRuns(t *testing.T) {
	if err := run(t.Context(), extism.WasmData{Data: plugintest.Build(t)}); err != nil {
		t.Fatal(err)
	}
}

func TestEveryErrorHasItsCode(t *testing.T) {
	p := plugin(t, hostfuncs.Set{Store: memory.New()})
	for _, c := range []struct {
		verb, request string
		code          effect.Code
	}{
		{"search", ``, effect.InvalidJSON},
		{"search", `{"bank":`, effect.InvalidJSON},
		{"search", `{"bank":7}`, effect.InvalidArgument},
		{"search", "{\"bank\":\"\xff\"}", effect.InvalidArgument},
		{"search", `{"bank":"a","abi":"2.0"}`, effect.UnsupportedABI},
		{"stats", `{"bank":"a","now":"2026-05-04T09:00:00Z"}`, effect.BankNotFound},
		{"add", `{"text":"` + strings.Repeat("long ", 2<<20) + `"}`, effect.InvalidArgument},
	} {
		_, _, err := p.Call(c.verb, []byte(c.request))
		if !effect.HasCode(coded(err), c.code) {
			t.Errorf("%s %.40q: got %v, want %s", c.verb, c.request, err, c.code)
		}
		if _, out, err := p.Call("version", nil); err != nil || !json.Valid(out) {
			t.Errorf("after that, version gives %s, %v", out, err)
		}
	}
}

// failing is a store that cannot be reached.
type failing struct{ hostfuncs.Store }

func (failing) Get(_ context.Context, _ string, _ [][]byte) ([][]byte, string, error) {
	return nil, "", errors.New("no route to host")
}

func TestAFailingStoreIsReported(t *testing.T) {
	for want, set := range map[effect.Code]hostfuncs.Set{
		effect.StoreFailed: {Store: failing{memory.New()}},
		effect.Unavailable: {},
	} {
		var result core.SearchResult
		err := call(t.Context(), plugin(t, set), "search", core.Call{Bank: "a", Now: time.Now()}, &result)
		if !effect.HasCode(err, want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestTheSameBytesAsTheHost runs one sequence under the SDK and natively.
func TestTheSameBytesAsTheHost(t *testing.T) {
	p := plugin(t, hostfuncs.Set{Store: memory.New()})
	h, err := host.Open(t.Context(), host.Config{Set: hostfuncs.Set{Store: memory.New()}, Instances: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	const head = `"bank":"ana","now":"2026-06-01T00:00:00Z"`
	for _, r := range []struct{ verb, request string }{
		{"add", `{` + head + `,"sessions":[{"id":"s","close":true,"turns":[{"speaker":"Ana","time":"2026-05-04T09:00:00Z","text":"I moved to Lisbon last week. I <3 it & 東京."}]}]}`},
		{"add", `{` + head + `,"sessions":[{"id":"t","turns":[{"speaker":"Ben","time":"2026-05-05T09:00:00Z","text":"My sister Clara adopted a dog."}]}]}`},
		{"search", `{` + head + `,"query":"Where does Ana live?"}`},
		{"answer", `{` + head + `,"query":"Who adopted a dog?"}`},
		{"list", `{` + head + `}`},
		{"export", `{` + head + `}`},
		{"delete", `{` + head + `,"filter":{"sessions":["s"]}}`},
		{"stats", `{` + head + `}`},
		{"banks", `{` + head + `}`},
		{"drop", `{` + head + `}`},
		{"version", `{}`},
	} {
		_, sdk, sdkErr := p.Call(r.verb, []byte(r.request))
		native, nativeErr := h.Call(t.Context(), r.verb, []byte(r.request))
		if sdkErr != nil || nativeErr != nil {
			t.Errorf("%s: under the SDK %v, natively %v", r.verb, coded(sdkErr), nativeErr)
			continue
		}
		if string(sdk) != string(native) {
			t.Errorf("%s:\nSDK:    %s\nnative: %s", r.verb, sdk, native)
		}
	}
}
