//go:build unix

package soak_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/host"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/buntdb"
	"github.com/leanmem/leanmem/hostfuncs/store/servertest"
)

const clients = 4

// TestMain also runs the child of the tests below: the test binary itself.
func TestMain(m *testing.M) {
	if path := os.Getenv("LEANMEM_CHILD_FILE"); path != "" {
		liveOn(path)
		return
	}
	os.Exit(m.Run())
}

// fatal kills its process before or after a commit.
type fatal struct {
	hostfuncs.Store
	left  atomic.Int64
	after bool
}

func (f *fatal) Commit(ctx context.Context, bank, expected, version string, writes []effect.Write) (bool, string, error) {
	last := f.left.Add(-1) == 0
	if last && !f.after {
		die()
	}
	ok, current, err := f.Store.Commit(ctx, bank, expected, version, writes)
	if last {
		die()
	}
	return ok, current, err
}

func die() {
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// liveOn goes on with the histories of the clients over a file, and prints each
// step that was acknowledged. LEANMEM_CHILD_STEPS says where each begins, and
// LEANMEM_CHILD_UNTIL where they end.
func liveOn(path string) {
	s, err := buntdb.Open(path, buntdb.Options{})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	f := &fatal{Store: s, after: os.Getenv("LEANMEM_CHILD_AFTER") == "1"}
	kill, _ := strconv.Atoi(os.Getenv("LEANMEM_CHILD_KILL"))
	f.left.Store(int64(kill))
	h, err := host.Open(ctx, host.Config{Set: hostfuncs.Set{Store: f}})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	until, _ := strconv.Atoi(os.Getenv("LEANMEM_CHILD_UNTIL"))
	var wg sync.WaitGroup
	var mu sync.Mutex
	for client, from := range strings.Split(os.Getenv("LEANMEM_CHILD_STEPS"), ",") {
		wg.Go(func() {
			step, _ := strconv.Atoi(from)
			for ; step < until; step++ {
				if err := perform(h, client, step); err != nil {
					fmt.Println("error", client, step, err)
					os.Exit(1)
				}
				mu.Lock()
				fmt.Println("acked", client, step+1)
				mu.Unlock()
			}
		})
	}
	fmt.Println("begun")
	wg.Wait()
	h.Close()
	s.Close()
}

// life runs a child and tells what it acknowledged. after 0 waits for its end;
// otherwise it is killed so long after it began.
func life(t *testing.T, path string, acked []int, until int, after time.Duration, env ...string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	steps := strings.Trim(strings.ReplaceAll(fmt.Sprint(acked), " ", ","), "[]")
	cmd.Env = append(append(os.Environ(), "LEANMEM_CHILD_FILE="+path, "LEANMEM_CHILD_STEPS="+steps, fmt.Sprint("LEANMEM_CHILD_UNTIL=", until)), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var client, step int
		switch line := lines.Text(); {
		case line == "begun" && after > 0:
			time.AfterFunc(after, func() { cmd.Process.Kill() })
		case line == "begun":
		case strings.HasPrefix(line, "acked"):
			if n, _ := fmt.Sscanf(line, "acked %d %d", &client, &step); n == 2 {
				acked[client] = step
			}
		default:
			t.Errorf("child: %s", line)
		}
	}
	cmd.Wait()
}

// inspect opens the file that a killed process left and checks every bank.
func inspect(t *testing.T, path string, acked []int) {
	t.Helper()
	s, err := buntdb.Open(path, buntdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r := s.Report(); len(r.Lost) > 0 {
		t.Fatalf("%+v", r)
	}
	h, err := host.Open(ctx, host.Config{Set: hostfuncs.Set{Store: s}, Now: func() time.Time { return begin }})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for client, n := range acked {
		sound(t, h, client, n)
	}
}

// wantPredicted compares every bank with the one of an undisturbed history.
func wantPredicted(t *testing.T, p *predictions, h *host.Host, done []int) {
	t.Helper()
	w := &writer{Host: h}
	for client, n := range done {
		if got, want := text(t, w.export(t, bankOf(client))), p.export(client, n); got != want {
			t.Errorf("client %d after %d steps: an export of %d bytes, undisturbed %d", client, n, len(got), len(want))
		}
	}
}

// TestProcessKilledUnderLoad kills a process that writes four banks of one file
// at random moments: 12 times, 200 in the long form.
func TestProcessKilledUnderLoad(t *testing.T) {
	rnd, path := dice(t), filepath.Join(t.TempDir(), "memory.db")
	acked := make([]int, clients)
	kills := choose(12, 200)
	for range kills {
		life(t, path, acked, 1<<30, time.Duration(1+rnd.IntN(120))*time.Millisecond)
		inspect(t, path, acked)
		if t.Failed() {
			return
		}
	}
	last := max(acked[0], acked[1], acked[2], acked[3]) + 1
	life(t, path, acked, last, 0)
	p := &predictions{t: t}
	wantPredicted(t, p, newHost(t, openFile(t, path)), acked)
	t.Logf("%d kills, %v steps acknowledged", kills, acked)
}

// TestProcessKilledAtEveryCommit kills before and after each commit of a
// history (every third in the short form), goes on and compares.
func TestProcessKilledAtEveryCommit(t *testing.T) {
	const steps = 18 // two deletions, two evolutions
	dir := t.TempDir()
	p := &predictions{t: t}
	kills := 0
	for n := 1; ; n += choose(3, 1) {
		killed := false
		for _, after := range []string{"0", "1"} {
			path := filepath.Join(dir, fmt.Sprintf("%d-%s.db", n, after))
			acked := make([]int, 1)
			life(t, path, acked, steps, 0, fmt.Sprint("LEANMEM_CHILD_KILL=", n), "LEANMEM_CHILD_AFTER="+after)
			if acked[0] == steps {
				continue
			}
			killed = true
			kills++
			inspect(t, path, acked)
			life(t, path, acked, steps, 0)
			s := openFile(t, path)
			wantPredicted(t, p, newHost(t, s), acked)
			s.Close()
			os.Remove(path)
		}
		if t.Failed() {
			t.Fatalf("at commit %d", n)
		}
		if !killed {
			break
		}
	}
	if kills < 10 {
		t.Errorf("only %d kills", kills)
	}
	t.Logf("%d kills", kills)
}

// TestServerKilledUnderLoad kills PostgreSQL and Redis: 3 times, 50 in the long
// form. The clients go on as if nothing had happened.
func TestServerKilledUnderLoad(t *testing.T) {
	t.Run("postgres", func(t *testing.T) {
		server, dsn := servertest.Postgres(t)
		serverKilled(t, openPostgres(t, dsn, ""), func() {
			server.Kill()
			os.Remove(filepath.Join(server.Dir, ".s.PGSQL.5432"))
			server.Start(t)
		})
	})
	t.Run("redis", func(t *testing.T) {
		server, addr := servertest.Redis(t, "--appendonly", "yes", "--appendfsync", "always")
		serverKilled(t, openRedis(t, addr, ""), func() {
			server.Kill()
			server.Start(t)
		})
	})
}

func serverKilled(t *testing.T, s hostfuncs.Store, kill func()) {
	rnd, h := dice(t), newHost(t, s)
	var acked [clients]atomic.Int64
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for step := 0; ; step++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := tolerant(h, client, step); err != nil {
					t.Errorf("client %d, step %d: %v", client, step, err)
					return
				}
				acked[client].Store(int64(step + 1))
			}
		})
	}
	kills := choose(3, 50)
	for range kills {
		time.Sleep(time.Duration(50+rnd.IntN(250)) * time.Millisecond)
		before := [clients]int{}
		for i := range acked {
			before[i] = int(acked[i].Load())
		}
		kill()
		fresh, err := host.Open(ctx, host.Config{Set: hostfuncs.Set{Store: s}, Now: func() time.Time { return begin }})
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range before {
			present(t, fresh, i, n)
		}
		fresh.Close()
	}
	close(stop)
	wg.Wait()
	done := make([]int, clients)
	for i := range acked {
		done[i] = int(acked[i].Load())
		sound(t, h, i, done[i])
	}
	wantPredicted(t, &predictions{t: t}, newHost(t, s), done)
	t.Logf("%d kills, %v steps acknowledged", kills, done)
}

// present checks, while its client goes on, that the acknowledged turns of a
// bank are there.
func present(t *testing.T, h *host.Host, client, acked int) {
	t.Helper()
	there := map[string]bool{}
	w := &writer{Host: h}
	for _, l := range w.export(t, bankOf(client)) {
		if l.Turn != nil {
			there[l.Turn.Source] = true
		}
	}
	for step := range acked {
		for _, turn := range turnsOf(client, step).Turns {
			if !there[turn.ID] && step%9 > 2 { // no step deletes these
				t.Errorf("client %d: after the kill the acknowledged turn %s is lost", client, turn.ID)
			}
		}
	}
}
