//go:build wasip1 && step

package main

import (
	"bytes"
	"encoding/json"
	"unsafe"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/flow"
)

// Direct exchange: a host that reaches the plugin's own memory writes a message
// there and reads the answer there, where Extism's memory would move both eight
// bytes a call:
//
//	at := reserve(len(message))        // then write the message there
//	place := exchange(step, len(message)) // step 0: begin, 1: resume, 2: cancel
//
// At place stand three uint32: address and length of the answer, and 1 where
// it is an error, else 0. They and the answer hold until the next call.

// keptRoom is how long a message may be to go through the room that stays; its
// address never changes.
const keptRoom = 64 << 10

var direct struct {
	room   []byte // of short messages
	large  []byte // of the one longer message that is awaited
	output []byte
	place  [3]uint32
}

// reserve gives the address where a message of so many bytes may be written, 0
// where it is too long to be read.
//
//go:wasmexport reserve
func reserve(size uint32) uint32 {
	direct.large = nil
	switch {
	case size > effect.MaxMessage:
		return 0
	case size > keptRoom:
		direct.large = make([]byte, size)
		return address(direct.large)
	case direct.room == nil:
		direct.room = make([]byte, keptRoom)
	}
	return address(direct.room)
}

//go:wasmexport exchange
func exchange(step, size uint32) uint32 {
	direct.output = nil
	out, err := take(step, size)
	direct.output, direct.place[2] = out, 0
	if err != nil {
		direct.output, direct.place[2] = errorJSON(effect.AsError(err)), 1
	}
	direct.place[0], direct.place[1] = address(direct.output), uint32(len(direct.output))
	return uint32(uintptr(unsafe.Pointer(&direct.place)))
}

// take performs a step on the message that was written last.
func take(step, size uint32) ([]byte, error) {
	message := direct.large
	direct.large = nil
	if message == nil {
		message = direct.room
	}
	names := [...]string{"begin", "resume", "cancel"}
	if step >= uint32(len(names)) || size > uint32(len(message)) {
		return nil, effect.Errorf(effect.InvalidArgument, "exchange: step %d with %d bytes, where %d were reserved", step, size, len(message))
	}
	if message = message[:size]; size <= keptRoom {
		message = bytes.Clone(message) // what is decoded of it refers to it
	}
	return flow.Guard(names[step], func() (json.RawMessage, error) { return handle(names[step], message) })
}

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
