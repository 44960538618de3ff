package buntdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/storetest"
)

var ctx = context.Background()

func opener(o Options) func(t testing.TB) hostfuncs.Store {
	return func(t testing.TB) hostfuncs.Store {
		return mustOpen(t, filepath.Join(t.TempDir(), "memory.db"), o)
	}
}

func mustOpen(t testing.TB, path string, o Options) *Store {
	t.Helper()
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func reopener(o Options) func(t testing.TB, s hostfuncs.Store) hostfuncs.Store {
	return func(t testing.TB, s hostfuncs.Store) hostfuncs.Store {
		t.Helper()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		next := mustOpen(t, s.(*Store).path, o)
		if !next.Report().Sound() {
			t.Fatalf("report after a clean close: %+v", next.Report())
		}
		return next
	}
}

func TestStore(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		big  int
	}{
		{"always", Options{}, 0},
		{"every second", Options{Sync: SyncEverySecond}, 1 << 20},
		{"compacting", Options{CompactSlack: 1}, 5 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			storetest.Run(t, storetest.Maker{New: opener(c.o), Reopen: reopener(c.o), Operations: 5000, BigValue: c.big})
		})
	}
}

func BenchmarkStore(b *testing.B) {
	b.Run("Always", func(b *testing.B) { storetest.Bench(b, opener(Options{})) })
	b.Run("EverySecond", func(b *testing.B) { storetest.Bench(b, opener(Options{Sync: SyncEverySecond})) })
}

func BenchmarkGrowth(b *testing.B) { storetest.Growth(b, opener(Options{})) }

// BenchmarkOpen opens a file of 10,000 blocks of 4 KB; BenchmarkCompact rewrites
// it.
func BenchmarkOpen(b *testing.B) {
	path := big(b)
	for b.Loop() {
		mustOpen(b, path, Options{}).Close()
	}
}

func BenchmarkCompact(b *testing.B) {
	s := mustOpen(b, big(b), Options{})
	for b.Loop() {
		if err := s.Compact(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

func big(b *testing.B) string {
	path := filepath.Join(b.TempDir(), "memory.db")
	s := mustOpen(b, path, Options{})
	for i := range 100 {
		expected := ""
		if i > 0 {
			expected = fmt.Sprint(i - 1)
		}
		var writes []effect.Write
		for k := range 100 {
			writes = append(writes, put(fmt.Sprintf("block/%d/%d", i, k), strings.Repeat("x", 4<<10)))
		}
		commit(b, s, "bank", expected, fmt.Sprint(i), writes...)
	}
	s.Close()
	return path
}

func put(key, value string) effect.Write {
	return effect.Write{Key: []byte(key), Value: []byte(value)}
}

func commit(t testing.TB, s *Store, bank, expected, version string, writes ...effect.Write) {
	t.Helper()
	ok, current, err := s.Commit(ctx, bank, expected, version, writes)
	if !ok || err != nil {
		t.Fatalf("commit %s → %s: %v, current %s, %v", expected, version, ok, current, err)
	}
}

// state is all banks, readable and comparable.
func state(s *Store) string {
	var b strings.Builder
	names, banks := s.banks.All()
	for i, n := range names {
		fmt.Fprintf(&b, "%q@%s", n, banks[i].Version)
		p := banks[i].Scan(nil, nil, 1000)
		for _, e := range p.Entries {
			fmt.Fprintf(&b, " %q=%q", e.Key, e.Value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestSecondOpenerIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s := mustOpen(t, path, Options{})
	_, err := Open(path, Options{})
	if !effect.HasCode(err, effect.StoreFailed) || !strings.Contains(err.Error(), fmt.Sprintf("in use by another process (pid %d)", os.Getpid())) {
		t.Fatalf("second open: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(link, Options{}); err == nil {
		t.Fatal("a second open through a link")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, link, Options{}).Close()
}

func TestFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s := mustOpen(t, path, Options{})
	for range 2 {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("mode %v, %v", info.Mode(), err)
		}
		if err := s.Compact(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDeletedBytesAreGoneFromTheFile(t *testing.T) {
	const secret = "Zorblat lives at 12 Elm Street"
	path := filepath.Join(t.TempDir(), "memory.db")
	s := mustOpen(t, path, Options{})
	has := func(what string) bool {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(b, []byte(what))
	}
	commit(t, s, "b", "", "v1", put("k", "old "+secret), put("keep", "kept"))
	commit(t, s, "b", "v1", "v2", put("k", "new "+secret))
	if !has("new " + secret) {
		t.Fatal("a value is not in the file")
	}
	commit(t, s, "b", "v2", "v3", effect.Write{Key: []byte("k"), Delete: true})
	if has("Zorblat") || !has("kept") {
		t.Fatal("a deleted value stays")
	}
	commit(t, s, "user/Zorblat", "", "w1", put("k", secret))
	commit(t, s, "user/Zorblat", "w1", "")
	if has("Zorblat") {
		t.Fatal("a removed bank stays")
	}
	commit(t, s, "user/Zorblat", "", "w1", put("k", "x"))
	if err := s.RenameBank(ctx, "user/Zorblat", "user/1"); err != nil || has("Zorblat") {
		t.Fatal("a former name stays", err)
	}
	commit(t, s, "b", "v3", "v4", put("Zorblat", "x"))
	commit(t, s, "b", "v4", "v5", effect.Write{Key: []byte("Zorblat"), Delete: true})
	if err := s.Compact(ctx); err != nil || has("Zorblat") {
		t.Fatal("a deleted key stays after compaction", err)
	}
	want := state(s)
	s.Close()
	if s = mustOpen(t, path, Options{}); state(s) != want || !s.Report().Sound() {
		t.Fatalf("%s, want %s, %+v", state(s), want, s.Report())
	}
}

func TestErasureThatACrashPreventedIsMadeUpFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	crash := errors.New("crash")
	s, err := open(path, Options{}, func(point string) error {
		if point == "erase" {
			return crash
		}
		return nil
	})
	if err == nil {
		t.Fatal("the failpoint was not hit at the start")
	}
	armed := false
	s, err = open(path, Options{}, func(point string) error {
		if armed && point == "erase" {
			return crash
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	commit(t, s, "b", "", "v1", put("k", "Zorblat"))
	armed = true
	if _, _, err := s.Commit(ctx, "b", "v1", "v2", []effect.Write{{Key: []byte("k"), Delete: true}}); err == nil {
		t.Fatal("the commit succeeded")
	}
	s.Close()
	s = mustOpen(t, path, Options{})
	if b, _ := os.ReadFile(path); bytes.Contains(b, []byte("Zorblat")) {
		t.Fatal("the value is still there")
	}
	if got := state(s); got != "\"b\"@v2\n" {
		t.Fatal(got)
	}
}

func TestEverySecondErasesAndSyncsLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s := mustOpen(t, path, Options{Sync: SyncEverySecond})
	commit(t, s, "b", "", "v1", put("k", "Zorblat"))
	commit(t, s, "b", "v1", "v2", effect.Write{Key: []byte("k"), Delete: true})
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if b, _ := os.ReadFile(path); !bytes.Contains(b, []byte("Zorblat")) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the value is still there")
		}
	}
}

func TestDeadWeightIsBounded(t *testing.T) {
	s := mustOpen(t, filepath.Join(t.TempDir(), "memory.db"), Options{CompactSlack: 64 << 10})
	for i := range 1000 {
		expected := ""
		if i > 0 {
			expected = fmt.Sprint(i - 1)
		}
		commit(t, s, "b", expected, fmt.Sprint(i), put(fmt.Sprintf("k%d", i%10), strings.Repeat("x", 1000)))
	}
	info, err := os.Stat(s.path)
	if err != nil || info.Size() > 128<<10 {
		t.Fatalf("%d bytes, %v", info.Size(), err)
	}
	if info.Size() != s.size {
		t.Fatalf("%d bytes, the store counts %d", info.Size(), s.size)
	}
}

func TestBackupIsAStoreOfOneState(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, filepath.Join(dir, "memory.db"), Options{})
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			expected := ""
			if i > 0 {
				expected = fmt.Sprint(i)
			}
			s.Commit(ctx, "b", expected, fmt.Sprint(i+1), []effect.Write{put("a", fmt.Sprint(i+1)), put("b", fmt.Sprint(i+1))})
		}
	}()
	for i := range 10 {
		path := filepath.Join(dir, fmt.Sprintf("backup%d.db", i))
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Backup(ctx, f); err != nil {
			t.Fatal(err)
		}
		f.Close()
		b := mustOpen(t, path, Options{})
		values, version, err := b.Get(ctx, "b", [][]byte{[]byte("a"), []byte("b")})
		if err != nil || string(values[0]) != version || string(values[1]) != version || !b.Report().Sound() {
			t.Fatalf("backup at %q holds %q, %v, %+v", version, values, err, b.Report())
		}
		b.Close()
	}
	close(stop)
	<-done
}

func TestAClosedStoreSaysSo(t *testing.T) {
	s := mustOpen(t, filepath.Join(t.TempDir(), "memory.db"), Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal("closing twice:", err)
	}
	_, _, err := s.Commit(ctx, "b", "", "v1", nil)
	_, _, err2 := s.Get(ctx, "b", nil)
	for _, err := range []error{err, err2, s.Compact(ctx), s.Backup(ctx, &bytes.Buffer{})} {
		if !effect.HasCode(err, effect.StoreFailed) || !strings.Contains(err.Error(), "closed") {
			t.Error(err)
		}
	}
}

func TestAFailedSyncStopsWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	armed := false
	s, err := open(path, Options{}, func(point string) error {
		if armed && point == "sync" {
			return errors.New("input/output error")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	commit(t, s, "b", "", "v1", put("k", "1"))
	armed = true
	for range 2 {
		if _, _, err := s.Commit(ctx, "b", "v1", "v2", []effect.Write{put("k", "2")}); !effect.HasCode(err, effect.StoreFailed) {
			t.Fatal(err)
		}
		armed = false // the disk is well again, but what it holds is unknown
	}
	if values, v, err := s.Get(ctx, "b", [][]byte{[]byte("k")}); err != nil || v != "v1" || string(values[0]) != "1" {
		t.Fatal(values, v, err)
	}
}
