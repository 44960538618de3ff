//go:build unix

package buntdb

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
)

// TestMain runs the children of the tests below: the test binary itself, with
// what to do in its environment.
func TestMain(m *testing.M) {
	path := os.Getenv("LEANMEM_CHILD_FILE")
	switch os.Getenv("LEANMEM_CHILD") {
	case "load":
		underLoad(path)
	case "full":
		fullDisk(path)
	case "open":
		_, err := Open(path, Options{})
		fmt.Println(err)
	case "read":
		if _, err := Open(path, Options{ReadOnly: true}); err != nil {
			fmt.Println(err)
		} else if r, err := Check(path); err != nil || !r.Sound() {
			fmt.Println(r, err)
		} else {
			fmt.Println("read")
		}
	default:
		os.Exit(m.Run())
	}
}

func child(t *testing.T, what, path string, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), "LEANMEM_CHILD="+what, "LEANMEM_CHILD_FILE="+path), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

const crashBanks = 3

// crashWrites are what commit i of a bank writes: known from i alone.
func crashWrites(bank, i int) []effect.Write {
	writes := []effect.Write{put("manifest", fmt.Sprint(i)), put(fmt.Sprintf("block/%d", i), crashBlock(bank, i))}
	if i > 4 {
		writes = append(writes, effect.Write{Key: fmt.Appendf(nil, "block/%d", i-4), Delete: true})
	}
	return writes
}

func crashBlock(bank, i int) string {
	return strings.Repeat(fmt.Sprintf("bank %d block %d;", bank, i), 1+i*37%400)
}

// underLoad commits until it is killed, and prints each commit once it is
// acknowledged.
func underLoad(path string) {
	point := os.Getenv("LEANMEM_FAILPOINT")
	skip, _ := strconv.Atoi(os.Getenv("LEANMEM_FAILPOINT_SKIP"))
	var mu sync.Mutex
	policy := SyncAlways
	if os.Getenv("LEANMEM_SYNC") == "second" {
		policy = SyncEverySecond
	}
	s, err := open(path, Options{Sync: policy, CompactSlack: 100 << 10}, func(at string) error {
		mu.Lock()
		defer mu.Unlock()
		if at != point {
			return nil
		}
		if skip--; skip < 0 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println("open")
	var wg sync.WaitGroup
	for bank := range crashBanks {
		wg.Go(func() {
			name := fmt.Sprintf("bank%d", bank)
			_, version, _ := s.Get(ctx, name, nil)
			i, _ := strconv.Atoi(version)
			for ; ; i++ {
				ok, current, err := s.Commit(ctx, name, version, fmt.Sprint(i+1), crashWrites(bank, i+1))
				if err != nil || !ok {
					fmt.Println("error", ok, current, err)
					os.Exit(1)
				}
				version = fmt.Sprint(i + 1)
				mu.Lock()
				fmt.Println("acked", bank, i+1)
				mu.Unlock()
			}
		})
	}
	wg.Go(func() { // a bank that comes and goes
		for i := 0; ; i++ {
			s.Commit(ctx, "temp", "", fmt.Sprint("t", i), []effect.Write{put("k", "temporary")})
			s.RenameBank(ctx, "temp", "temp2")
			s.DropBank(ctx, "temp2")
			time.Sleep(5 * time.Millisecond)
		}
	})
	wg.Wait()
}

// watch reads what a child acknowledges until it ends.
func watch(t *testing.T, cmd *exec.Cmd, opened chan<- struct{}) func() (acked [crashBanks]int) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var acked [crashBanks]int
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var bank, i int
			switch line := lines.Text(); {
			case line == "open":
				close(opened)
			case strings.HasPrefix(line, "acked"):
				if n, _ := fmt.Sscanf(line, "acked %d %d", &bank, &i); n == 2 {
					acked[bank] = i
				}
			default:
				t.Errorf("child: %s", line)
			}
		}
	}()
	return func() [crashBanks]int {
		<-done
		cmd.Wait()
		return acked
	}
}

// verify checks that every acknowledged commit is there whole, at most one more
// for each bank, and nothing else.
func verify(t *testing.T, path string, acked [crashBanks]int) {
	t.Helper()
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r := s.Report(); len(r.Lost) > 0 {
		t.Fatalf("%+v", r)
	}
	for bank := range crashBanks {
		name := fmt.Sprintf("bank%d", bank)
		p, err := s.Scan(ctx, name, nil, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		at, _ := strconv.Atoi(p.Version)
		if acked[bank] > 0 && (at < acked[bank] || at > acked[bank]+1) {
			t.Fatalf("%s stands at %d, acknowledged %d", name, at, acked[bank])
		}
		want := map[string]string{}
		for i := max(1, at-3); i <= at; i++ {
			want[fmt.Sprintf("block/%d", i)] = crashBlock(bank, i)
		}
		if at > 0 {
			want["manifest"] = fmt.Sprint(at)
		}
		if len(p.Entries) != len(want) {
			t.Fatalf("%s at %d has %d entries", name, at, len(p.Entries))
		}
		for _, e := range p.Entries {
			if want[string(e.Key)] != string(e.Value) {
				t.Fatalf("%s at %d: %q is not what was written", name, at, e.Key)
			}
		}
	}
	names, _, _ := s.Banks(ctx, "", 0)
	for _, n := range names {
		if !strings.HasPrefix(n, "bank") && !strings.HasPrefix(n, "temp") {
			t.Fatalf("banks %q", names)
		}
	}
}

// TestKilledUnderLoad kills the process at random moments: 20 times, 200 with
// LEANMEM_SOAK=1. A killed process loses nothing under either policy.
func TestKilledUnderLoad(t *testing.T) {
	for _, sync := range []string{"always", "second"} {
		t.Run(sync, func(t *testing.T) { killedUnderLoad(t, sync) })
	}
}

func killedUnderLoad(t *testing.T, sync string) {
	kills := 20
	if os.Getenv("LEANMEM_SOAK") == "1" {
		kills = 200
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 2))
	path := filepath.Join(t.TempDir(), "memory.db")
	total := 0
	for range kills {
		opened := make(chan struct{})
		cmd := child(t, "load", path, "LEANMEM_SYNC="+sync)
		wait := watch(t, cmd, opened)
		<-opened
		time.Sleep(time.Duration(rnd.IntN(60_000)) * time.Microsecond)
		cmd.Process.Kill()
		acked := wait()
		verify(t, path, acked)
		total = acked[0] + acked[1] + acked[2]
		if t.Failed() {
			return
		}
	}
	t.Logf("%d commits survived %d kills", total, kills)
}

// TestKilledAtEveryFailpoint kills the process at each step of a commit and of
// a compaction.
func TestKilledAtEveryFailpoint(t *testing.T) {
	for _, point := range []string{
		"append", "sync", "erase", "compact: write", "compact: sync", "compact: rename", "compact: sync directory", "compact: reopen",
	} {
		for _, skip := range []int{1, 2, 7} {
			t.Run(fmt.Sprintf("%s %d", point, skip), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "memory.db")
				for range 2 {
					cmd := child(t, "load", path, "LEANMEM_FAILPOINT="+point, fmt.Sprintf("LEANMEM_FAILPOINT_SKIP=%d", skip))
					acked := watch(t, cmd, make(chan struct{}))()
					verify(t, path, acked)
				}
			})
		}
	}
}

// fullDisk lets writes fail by a limit on the size of files.
func fullDisk(path string) {
	signal.Ignore(syscall.SIGXFSZ)
	limit := func(n uint64) {
		var old syscall.Rlimit
		syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: old.Max}); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	s, err := Open(path, Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	limit(50_000)
	i := 0
	for ; i < 1000 && err == nil; i++ {
		_, _, err = s.Commit(ctx, "b", strings.TrimPrefix(fmt.Sprint(i), "0"), fmt.Sprint(i+1), []effect.Write{put(fmt.Sprint(i), strings.Repeat("x", 3000))})
	}
	_, v, _ := s.Get(ctx, "b", nil)
	compact := s.Compact(ctx)
	limit(40_000)
	compact2 := s.Compact(ctx)
	limit(10_000_000)
	_, _, again := s.Commit(ctx, "b", v, "after", []effect.Write{put("after", "x")})
	fmt.Println(effect.HasCode(err, effect.StoreFull), v == fmt.Sprint(i-1), compact, effect.HasCode(compact2, effect.StoreFull), again)
	s.Close()
}

func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	out, err := child(t, "full", path).Output()
	if err != nil || strings.TrimSpace(string(out)) != "true true <nil> true <nil>" {
		t.Fatalf("%s %v", out, err)
	}
	s := mustOpen(t, path, Options{})
	if _, v, _ := s.Get(ctx, "b", nil); v != "after" || !s.Report().Sound() {
		t.Fatalf("version %q, %+v", v, s.Report())
	}
	if left, _ := filepath.Glob(path + compactSuffix); len(left) > 0 {
		t.Fatal("a half-written file stays")
	}
}

// openAsNobody opens the file in a process without rights of its own.
func openAsNobody(t *testing.T, what, path string) string {
	cmd := child(t, what, path)
	if os.Getuid() == 0 {
		self, err := os.ReadFile(cmd.Path)
		if err != nil {
			t.Fatal(err)
		}
		dir, err := os.MkdirTemp("", "nobody")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		os.Chmod(dir, 0o755)
		cmd.Path = filepath.Join(dir, "test")
		if err := os.WriteFile(cmd.Path, self, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v", out, err)
	}
	return string(out)
}

func TestWithoutPermission(t *testing.T) {
	dir, err := os.MkdirTemp("", "leanmem")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "memory.db")
	mustOpen(t, path, Options{}).Close()
	os.Remove(path + lockSuffix)
	for _, c := range []struct {
		name      string
		dir, file os.FileMode
	}{{"file not readable", 0o777, 0o000}, {"file read-only", 0o777, 0o444}, {"directory read-only", 0o555, 0o666}} {
		os.Chmod(dir, c.dir)
		os.Chmod(path, c.file)
		if out := openAsNobody(t, "open", path); !strings.Contains(out, "permission denied") || !strings.Contains(out, path) || !strings.Contains(out, "store_failed") {
			t.Errorf("%s: %s", c.name, out)
		}
		if out := openAsNobody(t, "read", path); (c.file == 0) != strings.Contains(out, "permission denied") || (c.file == 0) == (out == "read\n") {
			t.Errorf("%s, reading: %s", c.name, out)
		}
		os.Remove(path + lockSuffix)
	}
}

// TestReadOnlyFileSystem opens a store, and the place for one, on a file system
// that takes no writes. It needs the right to mount one.
func TestReadOnlyFileSystem(t *testing.T) {
	dir := t.TempDir()
	script := `mount -t tmpfs -o size=4m none "$0" && LEANMEM_CHILD=open LEANMEM_CHILD_FILE="$0/memory.db" "$1" >/dev/null &&
		mount -o remount,ro "$0" || exit 77
		for f in memory.db new.db; do LEANMEM_CHILD=open LEANMEM_CHILD_FILE="$0/$f" "$1"; done`
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script += `
		LEANMEM_CHILD=read LEANMEM_CHILD_FILE="$0/memory.db" "$1"`
	out, err := exec.Command("unshare", "-m", "sh", "-c", script, dir, self).CombinedOutput()
	if err != nil {
		t.Skipf("nothing can be mounted here: %v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 3 || lines[2] != "read" {
		t.Fatalf("%s", out)
	}
	for _, line := range lines[:2] {
		if !strings.Contains(line, "read-only") || !strings.Contains(line, dir) || !strings.Contains(line, "store_failed") {
			t.Errorf("%s", line)
		}
	}
}
