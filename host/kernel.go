package host

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

const (
	envModule = "extism:host/env"

	// maxArena bounds what a guest may allocate on this side in one call; a
	// message has at most 256 MB, and there are an input and an output.
	maxArena = 512 << 20
	// keepArena is how much of it an idle instance keeps.
	keepArena = 1 << 20
)

// kernel is this side of the memory that Extism plugins exchange with their
// host: one run of bytes in which blocks are laid behind each other. All of it
// is dropped when the next call begins, so freeing is hardly ever needed; the
// last block alone is given back at once.
type kernel struct {
	input  []byte
	output []byte
	err    []byte
	arena  []byte
	blocks map[uint64]uint64 // length by offset
}

// begin makes the kernel ready for a call.
func (k *kernel) begin(input []byte) {
	k.input, k.output, k.err = input, nil, nil
	if cap(k.arena) > keepArena {
		k.arena = nil
	}
	// Offset 0 means that there is no block.
	k.arena = append(k.arena[:0], make([]byte, 8)...)
	if k.blocks == nil {
		k.blocks = map[uint64]uint64{}
	}
	clear(k.blocks)
}

func (k *kernel) alloc(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	at := uint64(len(k.arena)+7) &^ 7
	if n > maxArena || at+n > maxArena {
		panic(fmt.Errorf("the plugin asked for %d bytes of exchange memory and has %d: the limit is %d", n, at, maxArena))
	}
	k.arena = append(k.arena, make([]byte, at+n-uint64(len(k.arena)))...)
	k.blocks[at] = n
	return at
}

func (k *kernel) free(at uint64) {
	n, ok := k.blocks[at]
	if !ok {
		return
	}
	delete(k.blocks, at)
	if at+n == uint64(len(k.arena)) {
		k.arena = k.arena[:at]
	}
}

// block copies a block out.
func (k *kernel) block(at, n uint64) []byte {
	if at > uint64(len(k.arena)) || n > uint64(len(k.arena))-at {
		panic(fmt.Errorf("the plugin named %d bytes at %d outside its exchange memory", n, at))
	}
	return append([]byte(nil), k.arena[at:at+n]...)
}

// frame is the context of one call. Its type is looked at directly: a search
// through context values for each 8 bytes that a guest moves would cost more
// than the move.
type frame struct {
	context.Context
	kernel *kernel
}

func kernelOf(ctx context.Context) *kernel { return ctx.(*frame).kernel }

type envFunction struct {
	name    string
	params  []api.ValueType
	results []api.ValueType
	call    func(k *kernel, stack []uint64)
}

var (
	i64 = api.ValueTypeI64
	i32 = api.ValueTypeI32
)

func types(t ...api.ValueType) []api.ValueType { return t }

// envFunctions are the functions of extism:host/env, as the plugin development
// kit declares them. An index out of range panics, which wazero turns into a
// trap of the guest.
func envFunctions() []envFunction {
	return append(memoryFunctions(), []envFunction{
		{"input_length", nil, types(i64), func(k *kernel, s []uint64) { s[0] = uint64(len(k.input)) }},
		{"input_load_u8", types(i64), types(i32), func(k *kernel, s []uint64) { s[0] = uint64(k.input[s[0]]) }},
		{"input_load_u64", types(i64), types(i64), func(k *kernel, s []uint64) { s[0] = binary.LittleEndian.Uint64(k.input[s[0]:]) }},
		{"output_set", types(i64, i64), nil, func(k *kernel, s []uint64) { k.output = k.block(s[0], s[1]) }},
		{"error_set", types(i64), nil, func(k *kernel, s []uint64) { k.err = k.block(s[0], k.blocks[s[0]]) }},
		{"error_get", nil, types(i64), func(k *kernel, s []uint64) {
			s[0] = k.alloc(uint64(len(k.err)))
			copy(k.arena[s[0]:], k.err)
		}},
		// The plugin uses none of the following; they exist so that any plugin
		// made with the kit can be instantiated.
		{"config_get", types(i64), types(i64), nothing},
		{"var_get", types(i64), types(i64), nothing},
		{"var_set", types(i64, i64), nil, ignore},
		{"http_request", types(i64, i64), types(i64), nothing},
		{"http_status_code", nil, types(i32), nothing},
		{"http_headers", nil, types(i64), nothing},
		{"log_trace", types(i64), nil, ignore},
		{"log_debug", types(i64), nil, ignore},
		{"log_info", types(i64), nil, ignore},
		{"log_warn", types(i64), nil, ignore},
		{"log_error", types(i64), nil, ignore},
		{"get_log_level", nil, types(i32), func(_ *kernel, s []uint64) { s[0] = 1 << 30 }}, // none
	}...)
}

func memoryFunctions() []envFunction {
	return []envFunction{
		{"alloc", types(i64), types(i64), func(k *kernel, s []uint64) { s[0] = k.alloc(s[0]) }},
		{"free", types(i64), nil, func(k *kernel, s []uint64) { k.free(s[0]) }},
		{"length", types(i64), types(i64), func(k *kernel, s []uint64) { s[0] = k.blocks[s[0]] }},
		{"length_unsafe", types(i64), types(i64), func(k *kernel, s []uint64) { s[0] = k.blocks[s[0]] }},
		{"load_u8", types(i64), types(i32), func(k *kernel, s []uint64) { s[0] = uint64(k.arena[s[0]]) }},
		{"load_u64", types(i64), types(i64), func(k *kernel, s []uint64) { s[0] = binary.LittleEndian.Uint64(k.arena[s[0]:]) }},
		{"store_u8", types(i64, i32), nil, func(k *kernel, s []uint64) { k.arena[s[0]] = byte(s[1]) }},
		{"store_u64", types(i64, i64), nil, func(k *kernel, s []uint64) { binary.LittleEndian.PutUint64(k.arena[s[0]:], s[1]) }},
	}
}

func nothing(_ *kernel, s []uint64) { s[0] = 0 }

func ignore(*kernel, []uint64) {}

// instantiateEnv offers the functions to every instance of a runtime.
func instantiateEnv(ctx context.Context, r wazero.Runtime) error {
	b := r.NewHostModuleBuilder(envModule)
	for _, f := range envFunctions() {
		call := f.call
		b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
			call(kernelOf(ctx), stack)
		}), f.params, f.results).Export(f.name)
	}
	_, err := b.Instantiate(ctx)
	return err
}
