package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// years writes a long dialogue: the friends' months, year after year.
func years(t *testing.T, n int) string {
	t.Helper()
	raw, err := os.ReadFile(testdata("friends.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for y := range n {
		for line := range bytes.Lines(raw) {
			var turn map[string]any
			if err := json.Unmarshal(line, &turn); err != nil {
				t.Fatal(err)
			}
			turn["session"] = fmt.Sprintf("%d-%v", 2001+y, turn["session"])
			turn["id"] = fmt.Sprintf("%d-%v", 2001+y, turn["id"])
			turn["time"] = fmt.Sprintf("%d%s", 2001+y, turn["time"].(string)[4:])
			if err := json.NewEncoder(&b).Encode(turn); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "years.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestALongAddSurvivesAnyDisturbance kills or interrupts an add at random
// moments, up to three times on the way to its end, and holds the bank to that of an
// undisturbed add.
func TestALongAddSurvivesAnyDisturbance(t *testing.T) {
	moments := 9
	if os.Getenv("LEANMEM_SOAK") != "" {
		moments = 50
	}
	long := years(t, 8)
	dir := t.TempDir()
	at := func(name string, args ...string) []string {
		return append([]string{"--store=buntdb:" + filepath.Join(dir, name), "--now", "2026-01-01"}, args...)
	}
	begin := time.Now()
	leanmem(t, "", at("whole.db", "add", long)...).ok(t)
	took := time.Since(begin)
	want := leanmem(t, "", at("whole.db", "export")...).ok(t).out

	signals := []os.Signal{syscall.SIGKILL}
	if runtime.GOOS != "windows" {
		signals = append(signals, os.Interrupt)
	}
	random := rand.New(rand.NewPCG(3, 4))
	broken, tries := 0, 0
	for ; broken < moments && tries < 5*moments; tries++ {
		name := fmt.Sprintf("disturbed-%d.db", tries)
		for i := range 3 {
			cmd := exec.Command(binary, at(name, "add", long)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// What is stored already goes by faster.
			time.Sleep(time.Duration(random.Int64N(int64(took) / int64(i+1))))
			_ = cmd.Process.Signal(signals[(tries+i)%len(signals)])
			if cmd.Wait() == nil {
				break
			}
			broken++
		}
		leanmem(t, "", at(name, "add", long)...).ok(t)
		if got := leanmem(t, "", at(name, "export")...).ok(t).out; got != want {
			t.Errorf("dialogue %d: the export has %d bytes, undisturbed %d", tries, len(got), len(want))
		}
	}
	if broken < moments {
		t.Errorf("only %d of %d adds were broken off", broken, moments)
	}
	t.Logf("%d adds of %d dialogues were broken off; an undisturbed one takes %v", broken, tries, took)
}
