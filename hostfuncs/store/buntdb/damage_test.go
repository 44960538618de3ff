package buntdb

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
)

// history makes a file of commits and tells, for each, the size of the file and
// the state after it. Commits below deletes delete a value, too.
func history(t *testing.T, path string, n, deletes int) (sizes []int64, states []string) {
	s := mustOpen(t, path, Options{})
	note := func() {
		sizes, states = append(sizes, s.size), append(states, state(s))
	}
	note()
	for i := range n {
		expected := ""
		if i > 1 {
			expected = fmt.Sprint(i - 2)
		}
		writes := []effect.Write{put(fmt.Sprintf("k%d", i), strings.Repeat(fmt.Sprintf("value %d ", i), 12)), put("manifest", fmt.Sprint(i))}
		if i > 5 && i < deletes {
			writes = append(writes, effect.Write{Key: fmt.Appendf(nil, "k%d", i-4), Delete: true})
		}
		commit(t, s, fmt.Sprintf("bank%d", i%2), expected, fmt.Sprint(i), writes...)
		note()
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return sizes, states
}

// fastDir is a directory in memory where there is one: these tests open
// thousands of files, and what they show does not depend on the disk.
func fastDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "leanmem")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Every commit whose bytes are all there survives; what is cut off is kept
// beside the file and reported. Where an acknowledged deletion is cut off, what
// it erased is missing: that is never taken for a state.
func TestTruncatedAtEveryByte(t *testing.T) {
	for name, deletes := range map[string]int{"no deletion in the last 4 KB": 10, "deletions": 40} {
		t.Run(name, func(t *testing.T) {
			dir := fastDir(t)
			path := filepath.Join(dir, "memory.db")
			sizes, states := history(t, path, 30, deletes)
			whole := read(t, path)
			refused, step := 0, 1
			if deletes == 40 && os.Getenv("LEANMEM_SOAK") != "1" {
				step = 7 // each of these opens searches the file and is repaired
			}
			for size := len(whole) - 4096; size < len(whole); size += step {
				last := 0
				for i, s := range sizes {
					if s <= int64(size) {
						last = i
					}
				}
				file := filepath.Join(dir, "cut.db")
				writeFile(t, file, whole[:size])
				os.Remove(file + ".damaged-1")
				s, err := Open(file, Options{})
				if deletes == 40 && effect.HasCode(err, effect.StoreCorrupt) {
					if refused++; refused%16 == 0 {
						checkRepair(t, file, read(t, file))
					}
					continue
				}
				if err != nil || state(s) != states[last] {
					t.Fatalf("truncated at %d: %v", size, err)
				}
				r := s.Report()
				if clean := sizes[last] == int64(size); clean != r.Sound() || (!clean && !bytes.Equal(read(t, r.Kept), whole[sizes[last]:size])) {
					t.Fatalf("truncated at %d: report %+v", size, r)
				}
				s.Close()
			}
			if (deletes == 40) != (refused > 0) {
				t.Errorf("%d refused", refused)
			}
		})
	}
}

// A torn write is all that a crash leaves: the file as it stood before the
// commit, and a part of the commit. Here nothing was erased for the future.
func TestTornCommitAtEveryByte(t *testing.T) {
	dir := fastDir(t)
	path := filepath.Join(dir, "memory.db")
	sizes, states := history(t, path, 12, 99)
	before := read(t, path)
	want := states[len(states)-1]
	s := mustOpen(t, path, Options{})
	commit(t, s, "bank0", "10", "next", put("a", strings.Repeat("x", 300)), put("b", strings.Repeat("y", 50)))
	after := state(s)
	s.Close()
	torn := read(t, path)[sizes[len(sizes)-1]:]
	for _, tail := range []string{"", "\x00", strings.Repeat("\x00", 5000), "garbage", "\r\n"} {
		for n := 0; n <= len(torn); n += 1 + len(tail)*3 {
			file := filepath.Join(dir, "torn.db")
			os.Remove(file + ".damaged-1")
			writeFile(t, file, append(append(bytes.Clone(before), torn[:n]...), tail...))
			for range 2 { // the second opening finds nothing to mend
				s, err := Open(file, Options{})
				if err != nil {
					t.Fatalf("%d bytes and %.10q: %v", n, tail, err)
				}
				got, whole := state(s), n == len(torn) || n == len(torn)-2 && tail == "\r\n"
				if (whole && got != after) || (!whole && got != want) {
					t.Fatalf("%d bytes and %.10q: state %s", n, tail, got)
				}
				s.Close()
			}
		}
	}
}

func TestNULTailIsCutOff(t *testing.T) {
	path := filepath.Join(fastDir(t), "memory.db")
	sizes, states := history(t, path, 5, 99)
	writeFile(t, path, append(read(t, path), make([]byte, 10_000)...))
	s := mustOpen(t, path, Options{})
	if r := s.Report(); len(r.Damage) != 1 || r.Damage[0].Bytes != 10_000 || r.Kept != "" {
		t.Fatalf("%+v", r)
	}
	commit(t, s, "bank0", "4", "next", put("k", "x"))
	s.Close()
	if got := mustOpen(t, path, Options{}); !got.Report().Sound() || !strings.Contains(state(got), `"bank0"@next`) {
		t.Fatalf("%s\n%s %d", state(got), states[5], sizes[5])
	}
}

// Unwritten pages within the last commit: its frame is sound, its values not.
func TestUnwrittenPageInTheLastCommit(t *testing.T) {
	path := filepath.Join(fastDir(t), "memory.db")
	sizes, states := history(t, path, 5, 99)
	b := read(t, path)
	for i := len(b) - 60; i < len(b)-20; i++ {
		b[i] = 0
	}
	writeFile(t, path, b)
	s := mustOpen(t, path, Options{})
	if state(s) != states[4] || s.Report().Sound() || int64(len(b))-sizes[4] != int64(len(read(t, s.Report().Kept))) {
		t.Fatalf("%s\n%+v", state(s), s.Report())
	}
}

// Every flipped bit is either harmless (in what is dead already), a salvaged
// tail, or refused; repair opens it and keeps the file as found.
func TestFlippedBits(t *testing.T) {
	dir := fastDir(t)
	path := filepath.Join(dir, "memory.db")
	sizes, states := history(t, path, 14, 99)
	s := mustOpen(t, path, Options{})
	if err := s.Compact(ctx); err != nil {
		t.Fatal(err)
	}
	commit(t, s, "bank0", "12", "14", put("new", strings.Repeat("n", 40)))
	commit(t, s, "bank1", "13", "15", put("new", strings.Repeat("n", 40)))
	want := state(s)
	s.Close()
	whole := read(t, path)
	counts := map[string]int{}
	step := 3
	if os.Getenv("LEANMEM_SOAK") == "1" {
		step = 1
	}
	for i := 0; i < len(whole); i += step {
		b := bytes.Clone(whole)
		b[i] ^= 1 << (i % 8)
		file := filepath.Join(dir, "flip.db")
		writeFile(t, file, b)
		os.Remove(file + ".damaged-1")
		s, err := Open(file, Options{})
		switch {
		case err == nil && state(s) == want && s.Report().Sound():
			counts["harmless"]++
		case err == nil && !s.Report().Sound() && s.Report().Kept != "":
			counts["salvaged"]++
		case effect.HasCode(err, effect.StoreCorrupt) || effect.HasCode(err, effect.FormatTooNew):
			counts["refused"]++
			if !bytes.Equal(read(t, file), b) {
				t.Fatalf("byte %d: a refused file was changed", i)
			}
			if _, err := Check(file); err == nil {
				counts["repaired"]++
				checkRepair(t, file, b)
			}
		default:
			if err == nil {
				t.Logf("%+v\n%s\nwant %s", s.Report(), state(s), want)
			}
			t.Fatalf("byte %d of %d: %v", i, len(whole), err)
		}
		if err == nil {
			s.Close()
		}
	}
	if counts["salvaged"] > 500 || counts["repaired"] == 0 {
		t.Errorf("%v (%d, %d)", counts, len(sizes), len(states))
	}
	t.Log(counts)
}

func checkRepair(t *testing.T, file string, found []byte) {
	t.Helper()
	r, err := Repair(file)
	if err != nil || !bytes.Equal(read(t, r.Kept), found) || r.Sound() {
		t.Fatalf("repair: %v, %+v", err, r)
	}
	s := mustOpen(t, file, Options{})
	defer s.Close()
	if !s.Report().Sound() {
		t.Fatalf("after repair: %+v", s.Report())
	}
}

// A memory whose text is a record must not be taken for one.
func TestForgedRecordInAValue(t *testing.T) {
	dir := fastDir(t)
	path := filepath.Join(dir, "memory.db")
	s := mustOpen(t, path, Options{})
	commit(t, s, "b", "", "v1", put("k", "x"))
	value := encode(salt{}, 3, record{kind: kindCommit, bank: "b", expected: "v1", version: "evil"}, nil)
	commit(t, s, "b", "v1", "v2", put("forged", strings.Repeat("-", 100)+command(recordKey(3), value)+strings.Repeat("-", 100)))
	s.Close()
	b := read(t, path)
	writeFile(t, path, b[:len(b)-50])
	s = mustOpen(t, path, Options{Repair: true})
	if got := state(s); got != "\"b\"@v1 \"k\"=\"x\"\n" {
		t.Fatal(got)
	}
}

func TestForeignAndNewerFiles(t *testing.T) {
	dir := fastDir(t)
	head, _ := header(0)
	for _, c := range []struct {
		name, content string
		code          effect.Code
	}{
		{"newer", strings.ReplaceAll(head, headerPrefix+"1", headerPrefix+"2"), effect.FormatTooNew},
		{"much newer", command(headerKey, headerPrefix+"12 something else"), effect.FormatTooNew},
		{"foreign", "SQLite format 3\x00 and so on", effect.StoreCorrupt},
		{"buntdb", command("user:1", "x"), effect.StoreCorrupt},
		{"zeros", strings.Repeat("\x00", 4096), effect.StoreCorrupt},
		{"no salt", command(headerKey, headerPrefix+"1"), effect.StoreCorrupt},
	} {
		path := filepath.Join(dir, c.name)
		writeFile(t, path, []byte(c.content))
		for _, o := range []Options{{}, {Repair: true}} {
			if _, err := Open(path, o); !effect.HasCode(err, c.code) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v, want %s", c.name, err, c.code)
			}
		}
		if string(read(t, path)) != c.content {
			t.Errorf("%s: the file was changed", c.name)
		}
		if _, err := Check(path); !effect.HasCode(err, c.code) {
			t.Errorf("check %s: %v", c.name, err)
		}
	}
	if _, err := Open(dir, Options{}); !effect.HasCode(err, effect.StoreFailed) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "no", "such", "file"), Options{}); !effect.HasCode(err, effect.StoreFailed) {
		t.Errorf("no directory: %v", err)
	}
	if _, err := Check(filepath.Join(dir, "none")); err == nil {
		t.Error("check of no file")
	}
	for n := range len(head) {
		path := filepath.Join(dir, fmt.Sprint("header", n))
		writeFile(t, path, []byte(head[:n]))
		s := mustOpen(t, path, Options{})
		commit(t, s, "b", "", "v", put("k", "x"))
		if r := s.Report(); (n > 0 && int64(n) != copyAt) == r.Sound() {
			t.Errorf("%d bytes of a header: %+v", n, r)
		}
	}
}

func TestCheckChangesNothing(t *testing.T) {
	path := filepath.Join(fastDir(t), "memory.db")
	_, states := history(t, path, 10, 99)
	r, err := Check(path)
	if err != nil || !r.Sound() || r.Banks != 2 || r.Records != 10 || r.Entries == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	b := append(read(t, path), "torn"...)
	writeFile(t, path, b)
	if r, err = Check(path); err != nil || r.Sound() || !bytes.Equal(read(t, path), b) {
		t.Fatalf("%+v, %v", r, err)
	}
	s := mustOpen(t, path, Options{})
	if state(s) != states[10] {
		t.Fatal(state(s))
	}
	if _, err := Check(path); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Fatalf("check of an open store: %v", err)
	}
}
