//go:build unix

package buntdb

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
)

// Whatever a crash leaves, a reader finds what the next writer would, and leaves
// the file as it was.
func TestAReaderFindsWhatAWriterWould(t *testing.T) {
	dir := fastDir(t)
	path := filepath.Join(dir, "memory.db")
	history(t, path, 30, 40)
	whole := read(t, path)
	refused := 0
	for size := 0; size <= len(whole); size += 37 {
		file := filepath.Join(dir, "cut.db")
		writeFile(t, file, whole[:size])
		r, err := Open(file, Options{ReadOnly: true})
		got := ""
		if err == nil {
			got = state(r)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if left, _ := filepath.Glob(file + "*"); len(left) != 1 || !bytes.Equal(read(t, file), whole[:size]) {
			t.Fatalf("cut at %d: the reader left %q", size, left)
		}
		s, e := Open(file, Options{})
		if e != nil {
			if refused++; !effect.HasCode(err, effect.AsError(e).Code) {
				t.Fatalf("cut at %d: a writer is refused with %v, a reader with %v", size, e, err)
			}
		} else if err != nil || got != state(s) || r.Report().Sound() != s.Report().Sound() {
			t.Fatalf("cut at %d: %v, state %q, want %q", size, err, got, state(s))
		}
		if e == nil {
			s.Close()
		}
		kept, _ := filepath.Glob(file + "*")
		for _, k := range kept {
			os.Remove(k)
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// Readers of a file that is being written, erased in and compacted see whole
// states only.
func TestReadersBesideAWriter(t *testing.T) {
	path := filepath.Join(fastDir(t), "memory.db")
	w := mustOpen(t, path, Options{CompactSlack: 64 << 10})
	const commits = 300
	value := func(i int) string { return strings.Repeat(fmt.Sprintf("%08d", i), 2000) }
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			seen := -1
			for {
				select {
				case <-done:
					return
				default:
				}
				r, err := Open(path, Options{ReadOnly: true})
				if err != nil {
					t.Error(err)
					return
				}
				values, version, err := r.Get(ctx, "b", [][]byte{[]byte("manifest")})
				if err != nil || version == "" {
					r.Close()
					continue
				}
				i := 0
				fmt.Sscan(version, &i)
				all, _, _ := r.Get(ctx, "b", [][]byte{fmt.Appendf(nil, "k%d", i)})
				if i < seen || string(values[0]) != version || string(all[0]) != value(i) {
					t.Errorf("version %q after %d, manifest %q, a value of %d bytes", version, seen, values[0], len(all[0]))
				}
				if ok, _, err := r.Commit(ctx, "b", version, "x", []effect.Write{put("k", "v")}); ok || !effect.HasCode(err, effect.StoreFailed) {
					t.Errorf("a reader commits: %v, %v", ok, err)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
				seen = i
			}
		})
	}
	version := ""
	for i := range commits {
		writes := []effect.Write{put("manifest", fmt.Sprint(i)), put(fmt.Sprintf("k%d", i), value(i))}
		if i > 0 {
			writes = append(writes, effect.Write{Key: fmt.Appendf(nil, "k%d", i-1), Delete: true})
		}
		commit(t, w, "b", version, fmt.Sprint(i), writes...)
		version = fmt.Sprint(i)
	}
	close(done)
	readers.Wait()
}

func TestAReaderNeedsAFile(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "none.db")} {
		if _, err := Open(path, Options{ReadOnly: true}); !effect.HasCode(err, effect.StoreFailed) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("a reader made %q", left)
	}
}

// What is no regular file is not replaced by a store.
func TestADeviceIsNoStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Open(path, Options{}); !effect.HasCode(err, effect.StoreFailed) {
		t.Errorf("open a pipe: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		t.Error("it was replaced")
	}
}
