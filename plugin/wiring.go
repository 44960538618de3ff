//go:build wasip1

package main

import (
	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/strategy/leanmem"
)

// engine has the strategies of this build, the default first. The native engine
// wires the same ones in host/wiring.go.
var engine = core.NewEngine(0, leanmem.New())

// call is what the exports run.
var call = wrap(engine.Call)
