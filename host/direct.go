package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero/api"
)

// stepNames are the exports of the steps, by their numbers in direct exchange.
var stepNames = []string{"begin", "resume", "cancel"}

// keptRoom is how long a message the plugin takes where it took the last one.
const keptRoom = 64 << 10

// direct moves messages by reading and writing the guest's memory, where the
// kernel's takes a call for each eight bytes; plugin/direct.go is its other
// side. A plugin need not offer it.
type direct struct {
	memory            api.Memory
	reserve, exchange api.Function
	room              uint32 // where short messages go, once known
}

func directOf(m api.Module) *direct {
	d := &direct{memory: m.Memory(), reserve: m.ExportedFunction("reserve"), exchange: m.ExportedFunction("exchange")}
	if d.memory == nil || !takes(d.reserve, 1) || !takes(d.exchange, 2) {
		return nil
	}
	return d
}

// takes reports whether a function has so many 32-bit parameters and a 32-bit
// result.
func takes(f api.Function, params int) bool {
	if f == nil {
		return false
	}
	d := f.Definition()
	return slices.Equal(d.ParamTypes(), slices.Repeat(types(i32), params)) && slices.Equal(d.ResultTypes(), types(i32))
}

// send performs a step. The output is a copy.
func (d *direct) send(ctx context.Context, step string, message []byte) (output []byte, isError bool, err error) {
	at, err := d.place(ctx, len(message))
	if err != nil {
		return nil, false, err
	}
	if !d.memory.Write(at, message) {
		return nil, false, fmt.Errorf("the plugin has no %d bytes at %d", len(message), at)
	}
	results, err := d.exchange.Call(ctx, uint64(slices.Index(stepNames, step)), uint64(len(message)))
	if err != nil {
		return nil, false, err
	}
	var answer [3]uint32
	for i := range answer {
		var ok bool
		if answer[i], ok = d.memory.ReadUint32Le(uint32(results[0]) + uint32(4*i)); !ok {
			return nil, false, errors.New("the plugin's answer lies outside its memory")
		}
	}
	view, ok := d.memory.Read(answer[0], answer[1])
	if !ok {
		return nil, false, fmt.Errorf("the plugin has no answer of %d bytes at %d", answer[1], answer[0])
	}
	return bytes.Clone(view), answer[2] != 0, nil
}

// place gives the address where a message is to be written.
func (d *direct) place(ctx context.Context, size int) (uint32, error) {
	if size <= keptRoom && d.room != 0 {
		return d.room, nil
	}
	results, err := d.reserve.Call(ctx, uint64(size))
	if err != nil {
		return 0, err
	}
	at := uint32(results[0])
	if at == 0 {
		return 0, fmt.Errorf("the plugin has no room for a message of %d bytes", size)
	}
	if size <= keptRoom {
		d.room = at
	}
	return at, nil
}
