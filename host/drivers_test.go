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
	"github.com/leanmem/leanmem/host/internal/transcript"
)

// allDrivers are the engines that this room has. It compiles the artefacts once.
func allDrivers(t testing.TB) map[string]transcript.Engine {
	step, err := openMachine(t.Context(), Config{Plugin: plugintest.Build(t, "step"), RecycleBytes: 256 << 20, MaxInstanceBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { step.close(context.Background()) })
	block := openBlocking(t)
	return map[string]transcript.Engine{
		"native": func(testing.TB) transcript.Driver { return stepping{newNative(nativeCall(0))} },
		"step": func(t testing.TB) transcript.Driver {
			i, err := step.instance(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return stepping{i}
		},
		"blocking": func(t testing.TB) transcript.Driver { return block.instance(t) },
	}
}

// stepping drives an instance by begin and resume.
type stepping struct{ instance instance }

func (s stepping) Call(t testing.TB, verb string, request []byte, do transcript.Perform) (json.RawMessage, error, bool) {
	e, err := s.instance.Begin(t.Context(), effect.Envelope{ABI: core.ABI, Verb: verb, Request: request})
	for err == nil && e.Done == nil {
		replies := make([]effect.Reply, len(e.Want))
		for i, r := range e.Want {
			replies[i] = do(r)
		}
		e, err = s.instance.Resume(t.Context(), effect.Envelope{Flow: e.Flow, Replies: replies})
	}
	return e.Done, err, true
}

func (s stepping) Close(t testing.TB) {
	if err := s.instance.Close(context.Background()); err != nil {
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
	do transcript.Perform
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

func (b *blocking) instance(t testing.TB) transcript.Driver {
	k := &kernel{}
	k.begin(nil)
	m, err := b.runtime.InstantiateModule(&frame{context.Background(), k}, b.module, b.config)
	if err != nil {
		t.Fatal(err)
	}
	return &blockingInstance{m, k}
}

func (b *blockingInstance) Call(t testing.TB, verb string, request []byte, do transcript.Perform) (json.RawMessage, error, bool) {
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

func (b *blockingInstance) Close(t testing.TB) {
	if err := b.module.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
