package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// kills is how many moments are tried; LEANMEM_KILLS asks for more.
func kills() int {
	if n, err := strconv.Atoi(os.Getenv("LEANMEM_KILLS")); err == nil && n > 0 {
		return n
	}
	return 12
}

// An add that is killed at any moment and run again leaves the bank that an
// undisturbed add leaves.
func TestKilledAddsRunAgainGiveTheUndisturbedBank(t *testing.T) {
	dir := t.TempDir()
	export := func(store string) string {
		t.Helper()
		return leanmem(t, "", store, "--now", "2025-12-01", "export").ok(t).out
	}
	add := []string{"--now", "2025-12-01", "add", testdata("friends.jsonl")}
	store := func(name string) string { return "--store=buntdb:" + filepath.Join(dir, name) }

	start := time.Now()
	leanmem(t, "", append([]string{store("whole.db")}, add...)...).ok(t)
	took := time.Since(start)
	want := export(store("whole.db"))

	random := rand.New(rand.NewPCG(1, 2))
	for i := range kills() {
		name := store(fmt.Sprintf("killed-%d.db", i))
		cmd := exec.Command(binary, append([]string{name}, add...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		moment := time.Duration(random.Int64N(int64(took)))
		time.Sleep(moment)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		leanmem(t, "", append([]string{name}, add...)...).ok(t)
		if got := export(name); got != want {
			t.Errorf("killed after %v of %v: the export has %d bytes, undisturbed %d", moment, took, len(got), len(want))
		}
	}
}
