package main

import (
	"context"
	"encoding/json"
	"testing"

	extism "github.com/extism/go-sdk"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/host/internal/transcript"
)

// driver runs the calls of a transcript in one instance.
type driver struct {
	*plugin
	instance *extism.Plugin
	blocking bool
}

type performKey struct{}

// perform answers an effect as the transcript of the call has it.
func perform(ctx context.Context, r effect.Request) effect.Reply {
	return ctx.Value(performKey{}).(transcript.Perform)(r)
}

func (d driver) Call(t testing.TB, verb string, request []byte, do transcript.Perform) (json.RawMessage, error, bool) {
	ctx := context.WithValue(t.Context(), performKey{}, do)
	if !d.blocking {
		out, err := d.step(ctx, d.instance, verb, request)
		return out, err, true
	}
	if !d.instance.FunctionExists(verb) {
		return nil, nil, false
	}
	out, err := block(ctx, d.instance, verb, request)
	return out, err, true
}

func (d driver) Close(t testing.TB) {
	if err := d.instance.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestFlows replays the transcripts of testdata/flows under the SDK.
func TestFlows(t *testing.T) {
	for name := range artefacts {
		p := opened(t, name, perform)
		engine := func(t testing.TB) transcript.Driver {
			i, err := p.instance(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return driver{p, i, name == "leanmem.wasm"}
		}
		for _, flow := range transcript.All(t) {
			t.Run(name+"/"+flow.Name, func(t *testing.T) {
				if d := flow.Difference(t, engine); d != "" {
					t.Error(d)
				}
			})
		}
	}
}
