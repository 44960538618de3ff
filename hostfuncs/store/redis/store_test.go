//go:build unix

package redis_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/redis"
	"github.com/leanmem/leanmem/hostfuncs/store/servertest"
	"github.com/leanmem/leanmem/hostfuncs/store/storetest"
)

var (
	ctx      = context.Background()
	prefixes atomic.Int64
	durable  = []string{"--appendonly", "yes", "--appendfsync", "always"}
)

func open(t testing.TB, o redis.Options) *redis.Store {
	t.Helper()
	s, err := redis.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func fresh(t testing.TB, addr string) *redis.Store {
	return open(t, redis.Options{Addrs: []string{addr}, Prefix: fmt.Sprint("test:", prefixes.Add(1))})
}

func TestStore(t *testing.T) {
	_, addr := servertest.Redis(t, durable...)
	storetest.Run(t, storetest.Maker{
		New: func(t testing.TB) hostfuncs.Store { return fresh(t, addr) },
		Reopen: func(t testing.TB, s hostfuncs.Store) hostfuncs.Store {
			s.Close()
			return open(t, redis.Options{Addrs: []string{addr}, Prefix: fmt.Sprint("test:", prefixes.Load())})
		},
		Operations: 5000,
	})
}

func TestAnswersAreLost(t *testing.T) {
	_, addr := servertest.Redis(t)
	between := servertest.NewLossy(t, "tcp", addr)
	storetest.LostAnswers(t, fresh(t, between.Addr), between)
}

func TestOthersBuildOnALostCommit(t *testing.T) {
	_, addr := servertest.Redis(t)
	between := servertest.NewLossy(t, "tcp", addr)
	storetest.LostAmidOthers(t, fresh(t, between.Addr), open(t, redis.Options{Addrs: []string{addr}, Prefix: fmt.Sprint("test:", prefixes.Load())}), between)
}

func BenchmarkStore(b *testing.B) {
	_, addr := servertest.Redis(b, durable...)
	storetest.Bench(b, func(t testing.TB) hostfuncs.Store { return fresh(t, addr) })
}

func TestPrefixesAreSeparate(t *testing.T) {
	_, addr := servertest.Redis(t)
	a, b := fresh(t, addr), fresh(t, addr)
	if ok, _, err := a.Commit(ctx, "bank", "", "v1", nil); !ok || err != nil {
		t.Fatal(err)
	}
	if _, v, err := b.Get(ctx, "bank", nil); v != "" || err != nil {
		t.Fatal(v, err)
	}
	if names, _, err := b.Banks(ctx, "", 0); len(names) > 0 || err != nil {
		t.Fatal(names, err)
	}
	for _, p := range []string{"a{b", "a}b", "a b", "ü"} {
		if _, err := redis.Open(ctx, redis.Options{Addrs: []string{addr}, Prefix: p}); !effect.HasCode(err, effect.InvalidArgument) {
			t.Errorf("%q: %v", p, err)
		}
	}
}

func TestSettingsOfTheServer(t *testing.T) {
	for name, c := range map[string]struct {
		args    []string
		refused bool
		warning string
	}{
		"durable":      {durable, false, ""},
		"every second": {[]string{"--appendonly", "yes"}, false, "last second"},
		"no log":       {nil, false, "since the last snapshot"},
		"eviction":     {[]string{"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"}, true, ""},
	} {
		_, addr := servertest.Redis(t, c.args...)
		s, err := redis.Open(ctx, redis.Options{Addrs: []string{addr}})
		if (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			if w := strings.Join(s.Warnings(), "; "); (w == "") != (c.warning == "") || !strings.Contains(w, c.warning) {
				t.Errorf("%s: %q", name, w)
			}
			s.Close()
		}
	}
}

func TestNoServerAndBadPassword(t *testing.T) {
	_, addr := servertest.Redis(t, "--requirepass", "topsecret")
	for _, o := range []redis.Options{{Addrs: []string{"127.0.0.1:1"}}, {Addrs: []string{addr}}, {Addrs: []string{addr}, Password: "topsecretx"}, {}} {
		o.Patience = 50 * time.Millisecond
		if _, err := redis.Open(ctx, o); err == nil || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%v", err)
		}
	}
	open(t, redis.Options{Addrs: []string{addr}, Password: "topsecret"})
}

func TestFullMemory(t *testing.T) {
	_, addr := servertest.Redis(t, "--maxmemory", "8mb", "--maxmemory-policy", "noeviction")
	s := fresh(t, addr)
	value := bytes.Repeat([]byte("x"), 1<<20)
	version := ""
	for i := range 20 {
		next := fmt.Sprint("v", i)
		_, _, err := s.Commit(ctx, "b", version, next, []effect.Write{{Key: []byte(next), Value: value}, {Key: []byte("last"), Value: []byte(next)}})
		if err == nil {
			version = next
			continue
		}
		if !effect.HasCode(err, effect.StoreFull) {
			t.Fatal(err)
		}
		values, v, err := s.Get(ctx, "b", [][]byte{[]byte("last"), []byte(next)})
		if err != nil || v != version || string(values[0]) != version || values[1] != nil {
			t.Fatalf("after a refused commit the bank is at %s, last %s, %v", v, values[0], err)
		}
		return
	}
	t.Fatal("the memory was never full")
}

func TestCompactionErases(t *testing.T) {
	server, addr := servertest.Redis(t, durable...)
	s := fresh(t, addr)
	secret := []byte("Zorblat lives at 12 Elm Street")
	for i, writes := range [][]effect.Write{
		{{Key: []byte("k"), Value: secret}, {Key: []byte("keep"), Value: []byte("kept alive")}},
		{{Key: []byte("k"), Delete: true}},
	} {
		if ok, _, err := s.Commit(ctx, "user", []string{"", "v1"}[i], []string{"v1", "v2"}[i], writes); !ok || err != nil {
			t.Fatal(err)
		}
		if err := s.Compact(ctx); err != nil {
			t.Fatal(err)
		}
		// The server removes the old log in the background.
		for deadline := time.Now().Add(5 * time.Second); inFiles(server.Dir, secret) != (i == 0); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("commit %d: the value is in the log: %v", i+1, i != 0)
			}
		}
		if !inFiles(server.Dir, []byte("kept alive")) {
			t.Fatal("the other value is not")
		}
	}
}

func inFiles(dir string, what []byte) (found bool) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			b, _ := os.ReadFile(path)
			found = found || bytes.Contains(b, what)
		}
		return nil
	})
	return found
}

// TestServerIsKilled kills the server under load: 5 times, 50 with
// LEANMEM_SOAK=1. Writers go on as if nothing had happened.
func TestServerIsKilled(t *testing.T) {
	server, addr := servertest.Redis(t, durable...)
	s := open(t, redis.Options{Addrs: []string{addr}, Patience: 60 * time.Second})
	kills := 5
	if os.Getenv("LEANMEM_SOAK") == "1" {
		kills = 50
	}
	check := storetest.Load(t, s, 4)
	for range kills {
		time.Sleep(time.Duration(100+rand.IntN(300)) * time.Millisecond)
		server.Kill()
		server.Start(t)
	}
	time.Sleep(300 * time.Millisecond)
	check()
}

// TestCluster runs the suite on a cluster of one node, which refuses a script
// whose keys are of different slots as any cluster does.
func TestCluster(t *testing.T) {
	_, addr := servertest.Redis(t, "--cluster-enabled", "yes")
	servertest.RedisCluster(t, addr)
	o := redis.Options{Addrs: []string{addr}, Cluster: true}
	s := open(t, o)
	for i, name := range []string{"a", "a}b{c", "ü"} {
		if ok, _, err := s.Commit(ctx, name, "", "v1", []effect.Write{{Key: []byte("k"), Value: []byte(name)}}); !ok || err != nil {
			t.Fatal(err)
		}
		if values, v, err := s.Get(ctx, name, [][]byte{[]byte("k")}); err != nil || v != "v1" || string(values[0]) != name {
			t.Fatal(values, v, err)
		}
		if names, _, err := s.Banks(ctx, "", 0); err != nil || len(names) != i+1 {
			t.Fatal(names, err)
		}
	}
	if err := s.RenameBank(ctx, "a", "b"); !effect.HasCode(err, effect.Unavailable) {
		t.Fatal(err)
	}
	if err := s.DropBank(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if err := s.Compact(ctx); err != nil {
		t.Fatal(err)
	}
}
