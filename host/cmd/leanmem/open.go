package main

import (
	"context"
	"os"
	"time"

	"github.com/leanmem/leanmem/host"
	"github.com/leanmem/leanmem/host/meter"
	"github.com/leanmem/leanmem/hostfuncs"
)

func env(name, fallback string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return fallback
}

// access is what a command does with the store.
type access int

const (
	reading  access = iota // needs no lock on a file, and no right to write to it
	changing               // a store that is not there is not made: the name is mistyped
	creating
)

// open starts the host over the store.
func (a *app) open(ctx context.Context, wanted access) error {
	if a.flags.engine != host.Native && a.flags.engine != host.Wasm {
		return usagef("--engine %q: there are %s and %s", a.flags.engine, host.Native, host.Wasm)
	}
	store, err := a.openStore(ctx, wanted)
	if err != nil {
		return err
	}
	a.store = store
	set := hostfuncs.Set{Store: store, Progress: a.progress}
	if err := a.providers(&set); err != nil {
		return err
	}
	set, a.meter = meter.Wrap(set)
	options := a.options()
	if set.Embedder != nil {
		options.Embedder = "host"
	}
	a.host, err = host.Open(ctx, host.Config{
		Engine: a.flags.engine, PluginPath: a.flags.plugin, Set: set, Options: options,
		Now: func() time.Time { return a.now },
	})
	return err
}

// measured runs do and gives the milliseconds that it took, split.
func (a *app) measured(do func() error) (meter.Split, error) {
	a.meter.Take(0)
	start := time.Now()
	err := do()
	return a.meter.Take(time.Since(start)), err
}
