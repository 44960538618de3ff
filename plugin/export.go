//go:build wasip1

package main

import (
	"context"
	"encoding/json"

	pdk "github.com/extism/go-pdk"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/flow"
)

// serve runs one export: the input in, the output or the error out.
func serve(name string, handle func(input []byte) ([]byte, error)) int32 {
	out, err := flow.Guard(name, func() (json.RawMessage, error) { return handle(pdk.Input()) })
	if err != nil {
		return fail(effect.AsError(err))
	}
	pdk.Output(out)
	return 0
}

// fail sets the error and gives a non-zero result: some hosts heed only the
// one, some only the other.
func fail(e *effect.Error) int32 {
	pdk.SetErrorString(string(errorJSON(e)))
	return 1
}

func errorJSON(e *effect.Error) []byte {
	b, err := json.Marshal(e)
	if err != nil {
		b = []byte(`{"code":"internal","message":"encode error","retryable":false}`)
	}
	return b
}

// silent is a port for verbs that ask for nothing.
type silent struct{}

func (silent) Do(context.Context, []effect.Request) ([]effect.Reply, error) {
	return nil, effect.Errorf(effect.Internal, "this export performs no effects")
}

//go:wasmexport version
func version() int32 {
	return serve("version", func([]byte) ([]byte, error) {
		return call(context.Background(), silent{}, "version", []byte("{}"))
	})
}

//go:wasmexport capabilities
func capabilities() int32 {
	return serve("capabilities", func([]byte) ([]byte, error) {
		return json.Marshal(map[string]any{
			"abi":         core.ABI,
			"protocol":    protocol,
			"verbs":       core.Verbs,
			"effects":     effect.Ops,
			"errors":      effect.Codes,
			"max_message": effect.MaxMessage,
			"max_flows":   maxFlows,
		})
	})
}
