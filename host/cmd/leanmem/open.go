package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/host"
	"github.com/leanmem/leanmem/host/meter"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/buntdb"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

func env(name, fallback string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return fallback
}

// open starts the host over the store. create says whether the command may make
// a store that is not there: a search in a mistyped file should not.
func (a *app) open(ctx context.Context, create bool) error {
	if a.flags.engine != host.Native && a.flags.engine != host.Wasm {
		return usagef("--engine %q: there are %s and %s", a.flags.engine, host.Native, host.Wasm)
	}
	store, err := openStore(a.flags.store, create)
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

// openStore opens the store that a URL names.
func openStore(url string, create bool) (hostfuncs.Store, error) {
	kind, rest, ok := strings.Cut(url, ":")
	if !ok {
		return nil, usagef("--store %q names no kind: write buntdb:%s", url, url)
	}
	switch kind {
	case "memory":
		return memory.New(), nil
	case "buntdb":
		return openFile(rest, create)
	}
	return nil, usagef("--store %q: this build knows buntdb:FILE and memory:", url)
}

func openFile(path string, create bool) (hostfuncs.Store, error) {
	if path == "" {
		return nil, usagef("--store buntdb: names no file: write buntdb:FILE")
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, usagef("--store buntdb:%s is a folder; name a file in it", path)
	case os.IsNotExist(err) && !create:
		return nil, effect.Errorf(effect.StoreFailed, "there is no store %s yet; 'add' and 'import' make one", path)
	case os.IsNotExist(err):
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return nil, effect.Errorf(effect.StoreFailed, "there is no folder %s for the store", filepath.Dir(path))
		}
	}
	store, err := buntdb.Open(path, buntdb.Options{})
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	return store, nil
}

// measured runs do and gives the milliseconds that it took, split.
func (a *app) measured(do func() error) (meter.Split, error) {
	a.meter.Take(0)
	start := time.Now()
	err := do()
	return a.meter.Take(time.Since(start)), err
}
