package host

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/leanmem/leanmem/core/effect"
)

const (
	pageSize = 64 << 10
	// leastLimit keeps a guest's collector from running all the time.
	leastLimit = 64 << 20
	// stepFile is the artefact that this host drives.
	stepFile = "leanmem-step.wasm"
)

// machine is a compiled plugin, from which instances are made.
type machine struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache // nil: none
	module  wazero.CompiledModule
	config  wazero.ModuleConfig
}

// openMachine compiles the plugin once for all instances.
func openMachine(ctx context.Context, c Config) (*machine, error) {
	code := c.Plugin
	if code == nil {
		var err error
		if code, err = readPlugin(c.PluginPath); err != nil {
			return nil, err
		}
	}
	m := &machine{}
	// One page short of 4 GB, whose size would not fit into 32 bits.
	limit := uint32(min(c.MaxInstanceBytes/pageSize, 1<<16-1))
	settings := wazero.NewRuntimeConfig().WithMemoryLimitPages(max(1, limit))
	var err error
	if m.cache, err = compileCache(c.CompileCache); err != nil {
		return nil, err
	}
	if m.cache != nil {
		settings = settings.WithCompilationCache(m.cache)
	}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, settings)
	// The plugin reads neither clock nor randomness, but the Go runtime inside
	// seeds its maps; wazero's own sources repeat.
	m.config = wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").
		WithRandSource(rand.Reader).WithSysWalltime().WithSysNanotime().
		WithEnv("GOMEMLIMIT", strconv.FormatInt(max(c.RecycleBytes, leastLimit), 10))
	if err := m.load(ctx, code); err != nil {
		m.close(ctx)
		return nil, err
	}
	return m, nil
}

func (m *machine) load(ctx context.Context, code []byte) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, m.runtime); err != nil {
		return effect.Errorf(effect.Internal, "open plugin: WASI: %v", err)
	}
	if err := instantiateEnv(ctx, m.runtime); err != nil {
		return effect.Errorf(effect.Internal, "open plugin: %s: %v", envModule, err)
	}
	var err error
	if m.module, err = m.runtime.CompileModule(ctx, code); err != nil {
		return effect.Errorf(effect.InvalidArgument, "open plugin: compile %d bytes: %v", len(code), err)
	}
	for _, name := range stepNames {
		if _, ok := m.module.ExportedFunctions()[name]; !ok {
			return effect.Errorf(effect.InvalidArgument, "open plugin: it does not export %q; this host drives %s", name, stepFile)
		}
	}
	return nil
}

// close frees the runtime with everything made in it.
func (m *machine) close(ctx context.Context) error {
	err := m.runtime.Close(ctx)
	if m.cache != nil {
		err = errors.Join(err, m.cache.Close(ctx))
	}
	return err
}

// compileCache opens the directory of compiled plugins. Without a directory
// that can be used by default, there is none; one that was asked for must be
// usable.
func compileCache(dir string) (wazero.CompilationCache, error) {
	if dir == "off" {
		return nil, nil
	}
	named := dir != ""
	if !named {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, nil
		}
		dir = filepath.Join(base, "leanmem", "compiled")
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil && named {
		return nil, effect.Errorf(effect.InvalidArgument, "open compile cache: %v", err)
	}
	if err != nil {
		return nil, nil
	}
	return cache, nil
}

func readPlugin(path string) ([]byte, error) {
	if path == "" {
		var err error
		if path, err = FindPlugin(); err != nil {
			return nil, err
		}
	}
	code, err := os.ReadFile(path)
	if err != nil {
		return nil, effect.Errorf(effect.InvalidArgument, "read plugin: %v", err)
	}
	return code, nil
}

// FindPlugin gives the path of leanmem-step.wasm: what LEANMEM_WASM names, else
// the file beside the running program, else in the folder dist beside the
// program's folder, where ./build.sh build puts it.
func FindPlugin() (string, error) {
	if path := os.Getenv("LEANMEM_WASM"); path != "" {
		return path, nil
	}
	program, err := os.Executable()
	if err != nil {
		return "", effect.Errorf(effect.InvalidArgument, "find plugin: LEANMEM_WASM is not set, and %v", err)
	}
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	dir := filepath.Dir(program)
	tried := []string{filepath.Join(dir, stepFile), filepath.Join(dir, "..", "dist", stepFile)}
	for _, path := range tried {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", effect.Errorf(effect.InvalidArgument, "find plugin: LEANMEM_WASM is not set and there is none of %v; ./build.sh build makes it", fmt.Sprint(tried))
}
