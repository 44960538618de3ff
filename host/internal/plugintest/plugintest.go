// Package plugintest builds the plugin for tests, so that they run in a clean
// clone with nothing built. Artefacts go to the user's cache directory, where
// the go command leaves them alone while they are up to date.
package plugintest

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Build gives the bytes of the plugin under build tags: none for leanmem.wasm,
// "step" for leanmem-step.wasm.
func Build(t testing.TB, tags ...string) []byte {
	t.Helper()
	path, err := build(tags)
	if err != nil {
		t.Fatalf("build plugin with tags %v: %v", tags, err)
	}
	code, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read built plugin: %v", err)
	}
	return code
}

func build(tags []string) (string, error) {
	root, err := moduleDir()
	if err != nil {
		return "", err
	}
	// Two checkouts must not take each other's artefacts.
	h := fnv.New64a()
	h.Write([]byte(root))
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	name := strings.Join(append([]string{"leanmem"}, tags...), "-") + ".wasm"
	path := filepath.Join(base, "leanmem", "test", fmt.Sprintf("%x", h.Sum64()), name)
	cmd := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-ldflags=-s -w",
		"-tags="+strings.Join(tags, ","), "-o", path, "./plugin")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
}

// moduleDir is the directory of the root module, also as seen from a nested one.
func moduleDir() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/leanmem/leanmem").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return string(bytes.TrimSpace(out)), nil
}
