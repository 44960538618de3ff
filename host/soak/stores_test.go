//go:build unix

package soak_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/buntdb"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
	"github.com/leanmem/leanmem/hostfuncs/store/postgres"
	"github.com/leanmem/leanmem/hostfuncs/store/redis"
	"github.com/leanmem/leanmem/hostfuncs/store/servertest"
)

var ctx = context.Background()

// long tells that the long form of each test is wanted.
var long = os.Getenv("LEANMEM_SOAK") == "1"

// choose gives the short or the long form's number.
func choose(short, soak int) int {
	if long {
		return soak
	}
	return short
}

// kind is one kind of store.
type kind struct {
	name string
	open func(t testing.TB) hostfuncs.Store // a store of its own
	ops  [2]int                             // of the model test, short and long
}

var serial atomic.Int64

// kinds starts the servers and gives every store. Servers need not survive a
// failure here, so they do not sync.
func kinds(t testing.TB) []kind {
	_, dsn := servertest.Postgres(t, "fsync=off", "synchronous_commit=off")
	_, addr := servertest.Redis(t)
	return []kind{
		{"memory", func(testing.TB) hostfuncs.Store { return memory.New() }, [2]int{4000, 100_000}},
		{"buntdb", openBuntdb, [2]int{800, 5000}},
		{"postgres", func(t testing.TB) hostfuncs.Store { return openPostgres(t, dsn, "") }, [2]int{500, 5000}},
		{"redis", func(t testing.TB) hostfuncs.Store { return openRedis(t, addr, "") }, [2]int{700, 5000}},
	}
}

func openBuntdb(t testing.TB) hostfuncs.Store {
	t.Helper()
	return openFile(t, filepath.Join(t.TempDir(), "memory.db"))
}

func openFile(t testing.TB, path string) *buntdb.Store {
	t.Helper()
	s, err := buntdb.Open(path, buntdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// openPostgres opens a schema, "" for one of its own.
func openPostgres(t testing.TB, dsn, schema string) *postgres.Store {
	t.Helper()
	if schema == "" {
		schema = fmt.Sprintf("own_%d", serial.Add(1))
	}
	s, err := postgres.Open(ctx, dsn, postgres.Options{Schema: schema, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// openRedis opens a prefix, "" for one of its own.
func openRedis(t testing.TB, addr, prefix string) *redis.Store {
	t.Helper()
	if prefix == "" {
		prefix = fmt.Sprintf("own:%d", serial.Add(1))
	}
	s, err := redis.Open(ctx, redis.Options{Addrs: []string{addr}, Prefix: prefix, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// dice makes random numbers from a seed that is printed: always the same one in
// the short form, another each time in the long one. LEANMEM_SEED repeats a run.
func dice(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(1)
	if long {
		seed = uint64(time.Now().UnixNano())
	}
	if v := os.Getenv("LEANMEM_SEED"); v != "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			t.Fatalf("LEANMEM_SEED: %v", err)
		}
		seed = n
	}
	t.Logf("LEANMEM_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 6))
}
