package host

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/host/internal/plugintest"
)

// BenchmarkCall measures a call that does nothing, one with a megabyte in and
// out, and one with eight effects, on both engines.
func BenchmarkCall(b *testing.B) {
	for _, engine := range []string{Native, Wasm} {
		h := openProbe(b, engine, newWorld(), Config{Instances: 1})
		for _, c := range []struct{ name, verb, request string }{
			{"noop", "probe_echo", `{"bank":"a"}`},
			{"megabyte", "probe_echo", `{"bank":"a","text":"` + strings.Repeat("x", 1<<20) + `"}`},
			{"models8", "probe_models", `{"bank":"a","text":"t","count":8}`},
		} {
			b.Run(engine+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					if _, err := h.Call(b.Context(), c.verb, []byte(c.request)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkVerb measures a verb without an effect, and one with a store_get.
func BenchmarkVerb(b *testing.B) {
	for _, engine := range []string{Native, Wasm} {
		h, err := Open(b.Context(), Config{Engine: engine, Plugin: plugintest.Build(b, "step"), Set: newWorld().set(), Instances: 1})
		if err != nil {
			b.Fatal(err)
		}
		defer h.Close()
		for verb, code := range map[string]effect.Code{"version": "", "stats": effect.BankNotFound} {
			b.Run(engine+"/"+verb, func(b *testing.B) {
				for b.Loop() {
					_, err := h.Call(b.Context(), verb, []byte(`{"bank":"none","now":"2026-06-01T00:00:00Z"}`))
					if err != nil && !effect.HasCode(err, code) {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkStep measures the border alone, with nothing and with a megabyte of
// raw bytes: an unknown flow is refused.
func BenchmarkStep(b *testing.B) {
	h := openProbe(b, Wasm, newWorld(), Config{Instances: 1})
	i, err := h.pool.open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer i.Close(b.Context())
	for _, size := range []int{0, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			e := effect.Envelope{Flow: "none", Replies: []effect.Reply{{Values: [][]byte{make([]byte, size)}}}}
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := i.Resume(b.Context(), e); !effect.HasCode(err, effect.UnknownFlow) {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStart measures opening a host without and with compiled code on
// disk, and one more instance.
func BenchmarkStart(b *testing.B) {
	code := plugintest.Build(b, "step")
	open := func(b *testing.B, cache string) *Host {
		h, err := Open(b.Context(), Config{Engine: Wasm, Plugin: code, CompileCache: cache})
		if err != nil {
			b.Fatal(err)
		}
		return h
	}
	warm := b.TempDir()
	open(b, warm).Close()
	for name, cache := range map[string]string{"cold": "off", "cached": warm} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				open(b, cache).Close()
			}
			b.ReportMetric(float64(len(code)), "plugin-bytes")
		})
	}
	h := open(b, warm)
	defer h.Close()
	b.Run("instance", func(b *testing.B) {
		var size int64
		for b.Loop() {
			i, err := h.pool.open(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			size = i.Size()
			i.Close(b.Context())
		}
		b.ReportMetric(float64(size), "memory-bytes")
	})
}

// BenchmarkParallel measures a host under many callers and banks.
func BenchmarkParallel(b *testing.B) {
	for _, engine := range []string{Native, Wasm} {
		h := openProbe(b, engine, newWorld(), Config{})
		b.Run(engine, func(b *testing.B) {
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for i := 0; pb.Next(); i++ {
					request := fmt.Appendf(nil, `{"bank":"b%d","text":"t","count":1}`, i%16)
					if _, err := h.Call(b.Context(), "probe_models", request); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
