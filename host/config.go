package host

import (
	"runtime"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/flow"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/hostfuncs"
)

// The engines.
const (
	Native = "native" // the core compiled into this program
	Wasm   = "wasm"   // leanmem-step.wasm under wazero
)

// Config says what a Host is made of. The zero value, with a store in Set, is a
// native engine that works by rules.
type Config struct {
	// Engine is Native or Wasm; "" is Native.
	Engine string
	// Plugin holds the bytes of leanmem-step.wasm, for Wasm. When it is nil,
	// the file PluginPath is read, and when that is empty, FindPlugin looks.
	Plugin     []byte
	PluginPath string

	// Set is what the host supplies: a store, and where there are, a language
	// model, an embedder and a tagger. Closing the store is left to its owner.
	Set hostfuncs.Set
	// Options are the defaults of every request. LLM and Tagger are switched
	// on when the set has them.
	Options mem.Options

	// Instances is how many calls compute at once; 0: one for each processor.
	Instances int
	// Flows is how many calls one instance has under way, most of them waiting
	// for a model or a store; 0: 64, which is also the most.
	Flows int
	// Calls is how many calls are under way or waiting in all, and BankCalls
	// how many of one bank; above, a call fails with busy at once. 0: 1024, and
	// half of Calls.
	Calls, BankCalls int
	// CacheBytes caps the snapshots that one native instance keeps; 0: the
	// engine's default. The plugin has its own.
	CacheBytes int

	// RecycleBytes is the memory past which a plugin instance is replaced once
	// its calls are done, for a Go guest never shrinks; 0: 256 MB.
	// MaxInstanceBytes is what it cannot exceed; 0: 1 GB.
	RecycleBytes, MaxInstanceBytes int64
	// CompileCache is a directory for compiled plugins; "": a folder of the
	// user's cache directory; "off": none.
	CompileCache string

	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

func (c Config) withDefaults() (Config, error) {
	if c.Engine == "" {
		c.Engine = Native
	}
	if c.Engine != Native && c.Engine != Wasm {
		return c, effect.Errorf(effect.InvalidArgument, "open host: no engine is called %q; there are %q and %q", c.Engine, Native, Wasm)
	}
	for _, n := range []int{c.Instances, c.Flows, c.Calls, c.BankCalls, c.CacheBytes, int(c.RecycleBytes), int(c.MaxInstanceBytes)} {
		if n < 0 {
			return c, effect.Errorf(effect.InvalidArgument, "open host: a limit of %d", n)
		}
	}
	setDefault(&c.Instances, runtime.GOMAXPROCS(0))
	setDefault(&c.Flows, flow.DefaultCap)
	c.Flows = min(c.Flows, flow.DefaultCap)
	setDefault(&c.Calls, 1024)
	setDefault(&c.BankCalls, max(1, c.Calls/2))
	setDefault(&c.RecycleBytes, 256<<20)
	setDefault(&c.MaxInstanceBytes, 1<<30)
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Options.LLM = c.Options.LLM || c.Set.LLM != nil
	c.Options.Tagger = c.Options.Tagger || c.Set.Tagger != nil
	return c, nil
}

func setDefault[T int | int64](to *T, value T) {
	if *to == 0 {
		*to = value
	}
}
