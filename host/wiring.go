package host

import (
	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/strategy/leanmem"
)

// strategies are those of the native engine, the default first. The plugin
// wires the same ones in plugin/wiring.go; the parity test holds them together.
func strategies() []core.Strategy { return []core.Strategy{leanmem.New()} }
