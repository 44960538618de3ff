// Command gosdk runs leanmem.wasm under the official Extism SDK for Go, with a
// store in memory and no model. It is an example to copy, and its test is what
// keeps the plugin a plain Extism plugin that any SDK can run.
//
//	go run . path/to/leanmem.wasm
//
// Programs in Go do better with the package host: it keeps a pool of instances,
// calls the plugin at a fraction of the cost, or needs none.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gosdk path/to/leanmem.wasm")
		os.Exit(2)
	}
	if err := run(context.Background(), extism.WasmFile{Path: os.Args[1]}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run remembers a dialogue and asks about it.
func run(ctx context.Context, wasm extism.Wasm) error {
	plugin, err := open(ctx, wasm, hostfuncs.Set{Store: memory.New()})
	if err != nil {
		return err
	}
	defer plugin.Close(ctx)
	about := core.Call{ABI: core.ABI, Bank: "ana", Now: time.Now()}

	var added core.AddResult
	err = call(ctx, plugin, "add", core.AddRequest{Call: about, Sessions: []core.InputSession{{
		ID: "monday", Close: true, Turns: []core.InputTurn{
			{Speaker: "Ana", Time: "2026-05-04T09:00:00Z", Text: "I moved to Lisbon last week."},
			{Speaker: "Ben", Time: "2026-05-04T09:01:00Z", Text: "How exciting! What took you there?"},
			{Speaker: "Ana", Time: "2026-05-04T09:02:00Z", Text: "A new job at the aquarium."},
		},
	}}}, &added)
	if err != nil {
		return err
	}
	fmt.Printf("added %d turns\n", added.Added)

	var found core.SearchResult
	err = call(ctx, plugin, "search", core.SearchRequest{Call: about, Query: mem.Query{Text: "Where does Ana live?"}}, &found)
	if err != nil {
		return err
	}
	fmt.Println(found.Text)
	return nil
}

// open starts the plugin over what the host supplies.
func open(ctx context.Context, wasm extism.Wasm, set hostfuncs.Set) (*extism.Plugin, error) {
	var functions []extism.HostFunction
	for _, op := range effect.Ops {
		functions = append(functions, function(op, set))
	}
	// The compiled plugin is kept on disk: it takes seconds to compile, and
	// milliseconds to load.
	settings := wazero.NewRuntimeConfig()
	if base, err := os.UserCacheDir(); err == nil {
		if cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(base, "leanmem", "compiled")); err == nil {
			settings = settings.WithCompilationCache(cache)
		}
	}
	// The plugin needs neither files nor network. Its Go runtime seeds itself
	// from clock and randomness, which wazero fakes unless told otherwise.
	plugin, err := extism.NewPlugin(ctx, extism.Manifest{Wasm: []extism.Wasm{wasm}}, extism.PluginConfig{
		EnableWasi:    true,
		RuntimeConfig: settings,
		ModuleConfig:  wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime().WithRandSource(rand.Reader),
	}, functions)
	if err != nil {
		return nil, fmt.Errorf("open plugin: %w", err)
	}
	return plugin, nil
}

// function is the host function of one effect: a request in wire form in, its
// reply in wire form out.
func function(op effect.Op, set hostfuncs.Set) extism.HostFunction {
	answer := func(ctx context.Context, p *extism.CurrentPlugin, stack []uint64) error {
		message, err := p.ReadBytes(stack[0])
		if err != nil {
			return err
		}
		var reply effect.Reply
		request, err := effect.DecodeRequest(message)
		if err == nil {
			reply = set.Dispatch(ctx, request)
		} else {
			reply.Err = effect.AsError(err)
		}
		if message, err = effect.EncodeReply(reply); err != nil {
			return err
		}
		stack[0], err = p.WriteBytes(message)
		return err
	}
	f := extism.NewHostFunctionWithStack(string(op), func(ctx context.Context, p *extism.CurrentPlugin, stack []uint64) {
		if err := answer(ctx, p, stack); err != nil {
			stack[0] = 0 // no reply: the plugin reports it
		}
	}, []extism.ValueType{extism.ValueTypePTR}, []extism.ValueType{extism.ValueTypePTR})
	f.SetNamespace("extism:host/user")
	return f
}

// call runs one verb. One plugin serves one call at a time: hold a lock, or
// compile the plugin once and keep several instances.
func call(ctx context.Context, plugin *extism.Plugin, verb string, request, result any) error {
	in, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	_, out, err := plugin.CallWithContext(ctx, verb, in)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, coded(err))
	}
	return json.Unmarshal(out, result)
}

// coded reads the error that the plugin set.
func coded(err error) error {
	var e effect.Error
	if json.Unmarshal([]byte(err.Error()), &e) == nil && e.Code != "" {
		return &e
	}
	return err
}
