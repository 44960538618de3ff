//go:build wasip1 && !step

package main

import "context"

const (
	protocol = "blocking"
	maxFlows = 1
)

// verb runs a verb of the engine; the input is its request.
func verb(name string) int32 {
	return serve(name, func(request []byte) ([]byte, error) {
		return call(context.Background(), hostPort{}, name, request)
	})
}

//go:wasmexport add
func add() int32 { return verb("add") }

//go:wasmexport flush
func flush() int32 { return verb("flush") }

//go:wasmexport search
func search() int32 { return verb("search") }

//go:wasmexport answer
func answer() int32 { return verb("answer") }

//go:wasmexport evolve
func evolve() int32 { return verb("evolve") }

//go:wasmexport list
func list() int32 { return verb("list") }

//go:wasmexport get
func get() int32 { return verb("get") }

//go:wasmexport update
func update() int32 { return verb("update") }

//go:wasmexport delete
func erase() int32 { return verb("delete") }

//go:wasmexport restore
func restore() int32 { return verb("restore") }

//go:wasmexport history
func history() int32 { return verb("history") }

//go:wasmexport export
func export() int32 { return verb("export") }

//go:wasmexport import
func imports() int32 { return verb("import") }

//go:wasmexport expire
func expire() int32 { return verb("expire") }

//go:wasmexport reprocess
func reprocess() int32 { return verb("reprocess") }

//go:wasmexport reindex
func reindex() int32 { return verb("reindex") }

//go:wasmexport stats
func stats() int32 { return verb("stats") }

//go:wasmexport banks
func banks() int32 { return verb("banks") }

//go:wasmexport drop
func drop() int32 { return verb("drop") }
