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
	"github.com/leanmem/leanmem/host/internal/plugintest"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

// artefacts are the build tags of each.
var artefacts = map[string][]string{"leanmem.wasm": nil, "leanmem-step.wasm": {"step"}}

func artefact(t testing.TB, name string) extism.Wasm {
	t.Helper()
	return extism.WasmData{Data: plugintest.Build(t, artefacts[name]...)}
}

func opened(t testing.TB, name string, answer dispatch) *plugin {
	t.Helper()
	p, err := open(t.Context(), artefact(t, name), answer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.close(context.Background()) })
	return p
}

func started(t testing.TB, p *plugin) *extism.Plugin {
	t.Helper()
	i, err := p.instance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { i.Close(context.Background()) })
	return i
}

func TestTheExampleRuns(t *testing.T) {
	for name := range artefacts {
		if err := run(t.Context(), artefact(t, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEveryErrorHasItsCode(t *testing.T) {
	i := started(t, opened(t, "leanmem.wasm", hostfuncs.Set{Store: memory.New()}.Dispatch))
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
		_, err := block(t.Context(), i, c.verb, []byte(c.request))
		if !effect.HasCode(err, c.code) {
			t.Errorf("%s %.40q: got %v, want %s", c.verb, c.request, err, c.code)
		}
		if out, err := block(t.Context(), i, "version", nil); err != nil || !json.Valid(out) {
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
	for name := range artefacts {
		for want, set := range map[effect.Code]hostfuncs.Set{
			effect.StoreFailed: {Store: failing{memory.New()}},
			effect.Unavailable: {},
		} {
			p := opened(t, name, set.Dispatch)
			var result core.SearchResult
			err := p.call(t.Context(), started(t, p), "search", core.Call{Bank: "a", Now: time.Now()}, &result)
			if !effect.HasCode(err, want) {
				t.Errorf("%s: got %v, want %s", name, err, want)
			}
		}
	}
}
