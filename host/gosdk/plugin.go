package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
)

// dispatch answers one effect.
type dispatch func(context.Context, effect.Request) effect.Reply

// plugin is a compiled artefact. One instance of it serves one call at a time:
// hold a lock, or start several.
type plugin struct {
	compiled *extism.CompiledPlugin
	answer   dispatch
}

// open compiles leanmem.wasm or leanmem-step.wasm over what the host supplies.
func open(ctx context.Context, wasm extism.Wasm, answer dispatch) (*plugin, error) {
	// leanmem-step.wasm does not import these, which the SDK allows.
	var functions []extism.HostFunction
	for _, op := range effect.Ops {
		functions = append(functions, function(op, answer))
	}
	// The compiled plugin is kept on disk: it takes seconds to compile, and
	// milliseconds to load.
	settings := wazero.NewRuntimeConfig()
	if base, err := os.UserCacheDir(); err == nil {
		if cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(base, "leanmem", "compiled")); err == nil {
			settings = settings.WithCompilationCache(cache)
		}
	}
	compiled, err := extism.NewCompiledPlugin(ctx, extism.Manifest{Wasm: []extism.Wasm{wasm}},
		extism.PluginConfig{EnableWasi: true, RuntimeConfig: settings}, functions)
	if err != nil {
		return nil, fmt.Errorf("open plugin: %w", err)
	}
	return &plugin{compiled, answer}, nil
}

func (p *plugin) close(ctx context.Context) error { return p.compiled.Close(ctx) }

// instance starts one. It needs neither files nor network; its Go runtime seeds
// itself from clock and randomness, which wazero fakes unless told otherwise.
func (p *plugin) instance(ctx context.Context) (*extism.Plugin, error) {
	i, err := p.compiled.Instance(ctx, extism.PluginInstanceConfig{
		ModuleConfig: wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime().WithRandSource(rand.Reader),
	})
	if err != nil {
		return nil, fmt.Errorf("start instance: %w", err)
	}
	return i, nil
}

// function is the host function of one effect: a request in wire form in, its
// reply in wire form out.
func function(op effect.Op, answer dispatch) extism.HostFunction {
	reply := func(ctx context.Context, p *extism.CurrentPlugin, stack []uint64) error {
		message, err := p.ReadBytes(stack[0])
		if err != nil {
			return err
		}
		var reply effect.Reply
		request, err := effect.DecodeRequest(message)
		if err == nil {
			reply = answer(ctx, request)
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
		if err := reply(ctx, p, stack); err != nil {
			stack[0] = 0 // no reply: the plugin reports it
		}
	}, []extism.ValueType{extism.ValueTypePTR}, []extism.ValueType{extism.ValueTypePTR})
	f.SetNamespace("extism:host/user")
	return f
}

// block performs a verb in leanmem.wasm, whose effects are host functions.
func block(ctx context.Context, i *extism.Plugin, verb string, request []byte) (json.RawMessage, error) {
	_, out, err := i.CallWithContext(ctx, verb, request)
	return out, coded(err)
}

// step performs a verb in leanmem-step.wasm, which answers with the effects that
// it wants and is handed their replies. Between two steps the instance is free:
// other calls may have theirs.
func (p *plugin) step(ctx context.Context, i *extism.Plugin, verb string, request []byte) (json.RawMessage, error) {
	e, err := advance(ctx, i, "begin", effect.Envelope{ABI: core.ABI, Verb: verb, Request: request})
	for err == nil && e.Done == nil {
		replies := make([]effect.Reply, len(e.Want))
		for n, r := range e.Want {
			replies[n] = p.answer(ctx, r)
		}
		e, err = advance(ctx, i, "resume", effect.Envelope{Flow: e.Flow, Replies: replies})
	}
	return e.Done, err
}

func advance(ctx context.Context, i *extism.Plugin, export string, e effect.Envelope) (effect.Envelope, error) {
	message, err := effect.EncodeEnvelope(e)
	if err != nil {
		return effect.Envelope{}, err
	}
	_, out, err := i.CallWithContext(ctx, export, message)
	if err != nil {
		return effect.Envelope{}, coded(err)
	}
	return effect.DecodeEnvelope(out)
}

// coded reads the error that the plugin set.
func coded(err error) error {
	if err == nil {
		return nil
	}
	var e effect.Error
	if json.Unmarshal([]byte(err.Error()), &e) == nil && e.Code != "" {
		return &e
	}
	return err
}
