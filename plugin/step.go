//go:build wasip1 && step

package main

import (
	"context"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/flow"
)

const (
	protocol = "step"
	maxFlows = flow.DefaultCap
)

var table = flow.NewTable(call, flow.Options{Cap: maxFlows, ABI: core.ABI, Spare: 4})

//go:wasmexport begin
func begin() int32 { return step("begin") }

//go:wasmexport resume
func resume() int32 { return step("resume") }

//go:wasmexport cancel
func cancel() int32 { return step("cancel") }

func step(name string) int32 {
	return serve(name, func(message []byte) ([]byte, error) { return handle(name, message) })
}

func handle(step string, message []byte) ([]byte, error) {
	return table.Handle(context.Background(), step, message)
}
