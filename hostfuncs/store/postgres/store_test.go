//go:build unix

package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/postgres"
	"github.com/leanmem/leanmem/hostfuncs/store/servertest"
	"github.com/leanmem/leanmem/hostfuncs/store/storetest"
)

var (
	ctx     = context.Background()
	schemas atomic.Int64
)

func open(t testing.TB, dsn string, o postgres.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(ctx, dsn, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fresh opens a store in a schema of its own.
func fresh(t testing.TB, dsn string, o postgres.Options) *postgres.Store {
	o.Schema = fmt.Sprintf("test_%d", schemas.Add(1))
	return open(t, dsn, o)
}

func TestStore(t *testing.T) {
	_, dsn := servertest.Postgres(t)
	t.Run("exec", func(t *testing.T) {
		last := postgres.Options{}
		storetest.Run(t, storetest.Maker{
			New: func(t testing.TB) hostfuncs.Store {
				last.Schema = fmt.Sprintf("test_%d", schemas.Add(1))
				return open(t, dsn, last)
			},
			BigValue: bigValue(), Operations: operations(),
			Reopen: func(t testing.TB, s hostfuncs.Store) hostfuncs.Store {
				s.Close()
				return open(t, dsn, last)
			},
		})
	})
	t.Run("simple protocol", func(t *testing.T) {
		storetest.Run(t, storetest.Maker{
			New:        func(t testing.TB) hostfuncs.Store { return fresh(t, dsn, postgres.Options{SimpleProtocol: true}) },
			Operations: 500, BigValue: 1 << 20,
		})
	})
}

// lossy starts a server and gives the connection strings of a way to it that
// loses answers and of one that does not.
func lossy(t *testing.T) (between *servertest.Lossy, dsn, direct string) {
	server, direct := servertest.Postgres(t, "fsync=off")
	between = servertest.NewLossy(t, "unix", filepath.Join(server.Dir, ".s.PGSQL.5432"))
	host, port, _ := strings.Cut(between.Addr, ":")
	return between, fmt.Sprintf("host=%s port=%s user=leanmem dbname=postgres sslmode=disable", host, port), direct
}

func TestOthersBuildOnALostCommit(t *testing.T) {
	between, dsn, direct := lossy(t)
	s := fresh(t, dsn, postgres.Options{})
	others := open(t, direct, postgres.Options{Schema: fmt.Sprintf("test_%d", schemas.Load())})
	storetest.LostAmidOthers(t, s, others, between)
}

func TestAnswersAreLost(t *testing.T) {
	between, dsn, _ := lossy(t)
	for name, o := range map[string]postgres.Options{"exec": {}, "simple protocol": {SimpleProtocol: true}} {
		t.Run(name, func(t *testing.T) {
			storetest.LostAnswers(t, fresh(t, dsn, o), between)
		})
	}
}

func BenchmarkStore(b *testing.B) {
	_, dsn := servertest.Postgres(b)
	storetest.Bench(b, func(t testing.TB) hostfuncs.Store { return fresh(t, dsn, postgres.Options{}) })
}

func TestSchemasAreSeparate(t *testing.T) {
	_, dsn := servertest.Postgres(t)
	a, b := open(t, dsn, postgres.Options{Schema: "tenant_a"}), open(t, dsn, postgres.Options{Schema: "tenant_b"})
	if ok, _, err := a.Commit(ctx, "bank", "", "v1", nil); !ok || err != nil {
		t.Fatal(err)
	}
	if _, v, err := b.Get(ctx, "bank", nil); v != "" || err != nil {
		t.Fatal(v, err)
	}
	for _, schema := range []string{`a"b`, "a;b", "", strings.Repeat("x", 64), "ü"} {
		if schema == "" {
			continue
		}
		if _, err := postgres.Open(ctx, dsn, postgres.Options{Schema: schema}); !effect.HasCode(err, effect.InvalidArgument) {
			t.Errorf("%q: %v", schema, err)
		}
	}
}

func TestMigrations(t *testing.T) {
	_, dsn := servertest.Postgres(t)
	var wg sync.WaitGroup
	for range 5 { // hosts that start at the same time
		wg.Go(func() {
			s, err := postgres.Open(ctx, dsn, postgres.Options{Schema: "shared"})
			if err != nil {
				t.Error(err)
				return
			}
			s.Close()
		})
	}
	wg.Wait()
	open(t, dsn, postgres.Options{Schema: "shared", NoMigrate: true})
	if _, err := postgres.Open(ctx, dsn, postgres.Options{Schema: "none", NoMigrate: true}); !effect.HasCode(err, effect.StoreFailed) {
		t.Errorf("no tables: %v", err)
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "INSERT INTO shared.leanmem_schema VALUES (99)"); err != nil {
		t.Fatal(err)
	}
	for _, no := range []bool{false, true} {
		if _, err := postgres.Open(ctx, dsn, postgres.Options{Schema: "shared", NoMigrate: no}); !effect.HasCode(err, effect.FormatTooNew) {
			t.Errorf("newer tables: %v", err)
		}
	}
}

func TestNoServerAndBadStrings(t *testing.T) {
	for _, dsn := range []string{"host=/nonexistent user=u password=topsecret", "postgres://u:topsecret@127.0.0.1:1/db?connect_timeout=1", "postgres://u:topsecret@[::1/db", "port=topsecret"} {
		_, err := postgres.Open(ctx, dsn, postgres.Options{Patience: 50 * time.Millisecond})
		if err == nil || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%v", err)
		}
	}
}

func TestCompactionErases(t *testing.T) {
	server, dsn := servertest.Postgres(t)
	s := fresh(t, dsn, postgres.Options{})
	secret := []byte("Zorblat lives at 12 Elm Street")
	big := bytes.Repeat(append(secret, " and elsewhere "...), 1000) // kept in a table of its own
	for i, writes := range [][]effect.Write{
		{{Key: []byte("k"), Value: secret}, {Key: []byte("big"), Value: big}, {Key: []byte("keep"), Value: []byte("kept alive")}},
		{{Key: []byte("k"), Delete: true}, {Key: []byte("big"), Delete: true}},
	} {
		if ok, _, err := s.Commit(ctx, "user", []string{"", "v1"}[i], []string{"v1", "v2"}[i], writes); !ok || err != nil {
			t.Fatal(err)
		}
		if err := s.Compact(ctx); err != nil {
			t.Fatal(err)
		}
		conn, err := pgx.Connect(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
			t.Fatal(err)
		}
		conn.Close(ctx)
		if found := inTables(t, server.Dir, secret); found != (i == 0) {
			t.Fatalf("commit %d: the value is in the tables: %v", i+1, found)
		}
		if !inTables(t, server.Dir, []byte("kept alive")) {
			t.Fatal("the other value is not")
		}
	}
}

func inTables(t *testing.T, dir string, what []byte) (found bool) {
	err := filepath.WalkDir(filepath.Join(dir, "data", "base"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		b, _ := os.ReadFile(path)
		found = found || bytes.Contains(b, what)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestServerIsKilled kills the server under load: 5 times, 50 with
// LEANMEM_SOAK=1. Writers go on as if nothing had happened.
func TestServerIsKilled(t *testing.T) {
	server, dsn := servertest.Postgres(t)
	s := fresh(t, dsn, postgres.Options{Patience: 60 * time.Second})
	kills := 5
	if os.Getenv("LEANMEM_SOAK") == "1" {
		kills = 50
	}
	check := storetest.Load(t, s, 4)
	for range kills {
		time.Sleep(time.Duration(100+rand.IntN(300)) * time.Millisecond)
		server.Kill()
		os.Remove(filepath.Join(server.Dir, ".s.PGSQL.5432"))
		server.Start(t)
	}
	time.Sleep(300 * time.Millisecond)
	check()
}

func TestADeadlineEndsARequest(t *testing.T) {
	_, dsn := servertest.Postgres(t)
	s := fresh(t, dsn, postgres.Options{Schema: "x"})
	if ok, _, err := s.Commit(ctx, "b", "", "v1", nil); !ok || err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	schema := fmt.Sprintf("test_%d", schemas.Load())
	if _, err := tx.Exec(ctx, "LOCK TABLE "+schema+".leanmem_bank"); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if _, _, err := s.Commit(short, "b", "v1", "v2", nil); !effect.HasCode(err, effect.Deadline) {
		t.Fatal(err)
	}
	tx.Rollback(ctx)
	// Whether the commit took place in the end, the version tells.
	if _, v, err := s.Get(ctx, "b", nil); err != nil || (v != "v1" && v != "v2") {
		t.Fatal(v, err)
	}
}

// bigValue is 16 MB, and the limit of 64 MB with LEANMEM_SOAK=1.
func bigValue() int {
	if os.Getenv("LEANMEM_SOAK") == "1" {
		return hostfuncs.MaxValue
	}
	return 16 << 20
}

// operations is 3,000 of the comparison with a model, and 5,000 with
// LEANMEM_SOAK=1.
func operations() int {
	if os.Getenv("LEANMEM_SOAK") == "1" {
		return 5000
	}
	return 3000
}
