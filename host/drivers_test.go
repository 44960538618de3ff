package host

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/host/internal/plugintest"
)

// perform answers one wanted effect.
type perform func(effect.Request) effect.Reply

// driver is one way to run the core: what a host does, without a pool.
type driver interface {
	// call performs a verb. known is false where the engine cannot be asked for
	// it at all: the blocking artefact has no export of that name.
	call(t testing.TB, verb string, request []byte, do perform) (out json.RawMessage, err error, known bool)
	close(t testing.TB)
}

// drivers makes drivers of each kind; every one that it makes is cold.
type drivers map[string]func(t testing.TB) driver

// allDrivers compiles the artefacts once.
func allDrivers(t testing.TB) drivers {
	step, err := openMachine(t.Context(), Config{Plugin: plugintest.Build(t, "step"), RecycleBytes: 256 << 20, MaxInstanceBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { step.close(context.Background()) })
	block := openBlocking(t)
	return drivers{
		"native": func(testing.TB) driver { return stepping{newNative(nativeCall(0))} },
		"step": func(t testing.TB) driver {
			i, err := step.instance(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return stepping{i}
		},
		"blocking": func(t testing.TB) driver { return block.instance(t) },
	}
}

// stepping drives an instance by begin and resume.
type stepping struct{ instance }

func (s stepping) call(t testing.TB, verb string, request []byte, do perform) (json.RawMessage, error, bool) {
	e, err := s.Begin(t.Context(), effect.Envelope{ABI: core.ABI, Verb: verb, Request: request})
	for err == nil && e.Done == nil {
		replies := make([]effect.Reply, len(e.Want))
		for i, r := range e.Want {
			replies[i] = do(r)
		}
		e, err = s.Resume(t.Context(), effect.Envelope{Flow: e.Flow, Replies: replies})
	}
	return e.Done, err, true
}

func (s stepping) close(t testing.TB) {
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// blocking is leanmem.wasm compiled under this host's own kernel.
type blocking struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
	config  wazero.ModuleConfig
}

// caller carries what a host function of one instance needs.
type caller struct {
	*frame
	do perform
}

func openBlocking(t testing.TB) *blocking {
	t.Helper()
	ctx := t.Context()
	cache, err := compileCache("")
	if err != nil {
		t.Fatal(err)
	}
	config := wazero.NewRuntimeConfig()
	if cache != nil {
		config = config.WithCompilationCache(cache)
	}
	b := &blocking{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	t.Cleanup(func() { b.runtime.Close(context.Background()) })
	b.config = wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").
		WithRandSource(rand.Reader).WithSysWalltime().WithSysNanotime()
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, b.runtime); err != nil {
		t.Fatal(err)
	}
	if err := instantiateEnv(ctx, b.runtime); err != nil {
		t.Fatal(err)
	}
	user := b.runtime.NewHostModuleBuilder("extism:host/user")
	for _, op := range effect.Ops {
		user.NewFunctionBuilder().WithGoFunction(api.GoFunc(hostFunction), types(i64), types(i64)).Export(string(op))
	}
	if _, err := user.Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	if b.module, err = b.runtime.CompileModule(ctx, plugintest.Build(t)); err != nil {
		t.Fatal(err)
	}
	return b
}

// hostFunction takes the offset of a request and gives that of its reply.
func hostFunction(ctx context.Context, stack []uint64) {
	f := ctx.(*frame)
	k := f.kernel
	r, err := effect.DecodeRequest(k.block(stack[0], k.blocks[stack[0]]))
	if err != nil {
		panic(fmt.Errorf("decode a request of the plugin: %w", err))
	}
	reply, err := effect.EncodeReply(f.Context.(*caller).do(r))
	if err != nil {
		panic(fmt.Errorf("encode a reply: %w", err))
	}
	stack[0] = k.alloc(uint64(len(reply)))
	copy(k.arena[stack[0]:], reply)
}

// blockingInstance is one instance of leanmem.wasm.
type blockingInstance struct {
	module api.Module
	kernel *kernel
}

func (b *blocking) instance(t testing.TB) driver {
	k := &kernel{}
	k.begin(nil)
	m, err := b.runtime.InstantiateModule(&frame{context.Background(), k}, b.module, b.config)
	if err != nil {
		t.Fatal(err)
	}
	return &blockingInstance{m, k}
}

func (b *blockingInstance) call(t testing.TB, verb string, request []byte, do perform) (json.RawMessage, error, bool) {
	export := b.module.ExportedFunction(verb)
	if export == nil {
		return nil, nil, false
	}
	b.kernel.begin(request)
	f := &frame{kernel: b.kernel}
	f.Context = &caller{&frame{t.Context(), b.kernel}, do}
	results, err := export.Call(f)
	if err != nil {
		t.Fatalf("%s trapped: %v", verb, err)
	}
	if b.kernel.err != nil || results[0] != 0 {
		var e effect.Error
		if err := json.Unmarshal(b.kernel.err, &e); err != nil || results[0] == 0 {
			t.Fatalf("%s returned %d with the error %q", verb, results[0], b.kernel.err)
		}
		return nil, &e, true
	}
	return b.kernel.output, nil, true
}

func (b *blockingInstance) close(t testing.TB) {
	if err := b.module.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
