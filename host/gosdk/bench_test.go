package main

import (
	"context"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

var answer = hostfuncs.Set{Store: memory.New()}.Dispatch

// BenchmarkStart measures from the bytes of an artefact to the answer of
// version, with nothing compiled and with compiled code on disk, and one more
// instance.
func BenchmarkStart(b *testing.B) {
	for name := range artefacts {
		wasm := artefact(b, name)
		start := func(b *testing.B) {
			p, err := open(b.Context(), wasm, answer)
			if err != nil {
				b.Fatal(err)
			}
			defer p.close(context.Background())
			version(b, p, started(b, p))
		}
		b.Run(name+"/cold", func(b *testing.B) {
			for b.Loop() {
				b.Setenv("XDG_CACHE_HOME", b.TempDir())
				start(b)
			}
		})
		b.Run(name+"/cached", func(b *testing.B) {
			b.Setenv("XDG_CACHE_HOME", b.TempDir())
			start(b)
			for b.Loop() {
				start(b)
			}
		})
		b.Run(name+"/instance", func(b *testing.B) {
			p := opened(b, name, answer)
			for b.Loop() {
				i, err := p.instance(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				i.Close(b.Context())
			}
		})
	}
}

// BenchmarkCall measures a call without an effect, and one with a store_get.
func BenchmarkCall(b *testing.B) {
	for name := range artefacts {
		p := opened(b, name, answer)
		i := started(b, p)
		b.Run(name+"/version", func(b *testing.B) {
			for b.Loop() {
				version(b, p, i)
			}
		})
		b.Run(name+"/stats", func(b *testing.B) {
			for b.Loop() {
				err := p.call(b.Context(), i, "stats", core.Call{ABI: core.ABI, Bank: "none", Now: time.Now()}, &core.StatsResult{})
				if !effect.HasCode(err, effect.BankNotFound) {
					b.Fatal(err)
				}
			}
		})
	}
}

func version(b *testing.B, p *plugin, i *extism.Plugin) {
	b.Helper()
	if err := p.call(b.Context(), i, "version", core.Call{ABI: core.ABI}, &core.VersionResult{}); err != nil {
		b.Fatal(err)
	}
}
