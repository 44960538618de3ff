// Package requirement is how the tests of this room treat what a machine may
// lack: a server, a tool, evaluation data. It is imported by tests only.
package requirement

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Missing skips a test for want of something that could be installed. Where
// LEANMEM_REQUIRE=1 (continuous integration) the skip is a failure.
func Missing(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("LEANMEM_REQUIRE") == "1" {
		t.Fatalf("required but missing: %s", reason)
	}
	t.Skip(reason)
}

// Data gives the path of a file or folder of evaluation data below
// $LEANMEM_DATA or, when that is not set, ../shared/data beside the module. The
// data are third-party and cannot be installed, so a test is skipped without
// them; but a LEANMEM_DATA that does not hold them is a failure.
func Data(t testing.TB, parts ...string) string {
	t.Helper()
	root, given := os.LookupEnv("LEANMEM_DATA")
	if !given {
		root = filepath.Join(ModuleRoot(), "..", "shared", "data")
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		if given {
			t.Fatalf("LEANMEM_DATA is set, but: %v", err)
		}
		t.Skipf("no evaluation data: set LEANMEM_DATA (%v)", err)
	}
	return path
}

// ModuleRoot is the folder with go.mod.
func ModuleRoot() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}
