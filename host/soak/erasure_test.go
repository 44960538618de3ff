//go:build unix

package soak_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/servertest"
)

// remember writes a bank of many sessions, one of which is a secret from its
// name to its memories, has it merged, evolved and corrected, and deletes it.
func remember(t *testing.T, w *writer, lookBefore func()) {
	t.Helper()
	call := core.Call{Bank: "user", Now: at(1000)}
	for i := range 40 {
		in := core.InputSession{ID: fmt.Sprint("s", i), Time: at(i).Format(time.RFC3339), Close: true}
		in.Turns = []core.InputTurn{{ID: fmt.Sprint(i), Speaker: "Ana", Text: fmt.Sprintf(sayings[i%len(sayings)], letters(i+1))}}
		if i%10 == 3 { // early and late: in merged blocks and in the last one
			in.ID, in.Turns[0].Speaker, in.Turns[0].ID = fmt.Sprint("Zorblat-", i), "Zorblat", fmt.Sprint("Zorblat:", i)
			in.Turns[0].Text = "I moved to Zorblat last week. I love Zorblat. My sister Zorblat adopted a dog."
			in.Turns[0].Labels = map[string]string{"user": "Zorblat"}
		}
		if _, err := w.Add(ctx, core.AddRequest{Call: call, Sessions: []core.InputSession{in}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Evolve(ctx, core.EvolveRequest{Call: call}); err != nil {
		t.Fatal(err)
	}
	list, err := w.List(ctx, core.ListRequest{Call: call, Filter: mem.Filter{About: "Zorblat", Kinds: []mem.Kind{mem.KindProfile}}})
	if err != nil || len(list.Entries) == 0 {
		t.Fatal("nothing to correct", err)
	}
	value := "Zorblat the second"
	if _, err := w.Update(ctx, core.UpdateRequest{Call: call, ID: list.Entries[0].ID, Value: &value}); err != nil {
		t.Fatal(err)
	}
	lookBefore()
	for _, f := range []mem.Filter{{About: "Zorblat"}, {Speakers: []string{"Zorblat"}}} {
		if _, err := w.Delete(ctx, core.DeleteRequest{Call: call, Filter: f}); err != nil {
			t.Fatal(err)
		}
	}
	if lines := text(t, w.export(t, "user")); strings.Contains(lines, "orblat") || !strings.Contains(lines, letters(40)) {
		t.Fatalf("the export after the deletion:\n%s", lines)
	}
}

func holds(b []byte) bool { return bytes.Contains(bytes.ToLower(b), []byte("zorblat")) }

// TestDeletedBytesAreGone looks for the bytes of what was deleted: in the file of
// buntdb when the deletion returns, in PostgreSQL's rows then and in its files
// after Compact, in the log of Redis after Compact.
func TestDeletedBytesAreGone(t *testing.T) {
	t.Run("buntdb", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "memory.db")
		s := openFile(t, path)
		look := func(want bool) {
			t.Helper()
			if b, err := os.ReadFile(path); err != nil || holds(b) != want {
				t.Errorf("the file holds the bytes: %v, want %v, %v", !want, want, err)
			}
		}
		remember(t, newWriter(t, s), func() { look(true) })
		look(false)
	})
	t.Run("postgres", erasedFromPostgres)
	t.Run("redis", func(t *testing.T) {
		server, addr := servertest.Redis(t, "--appendonly", "yes", "--appendfsync", "always")
		s := openRedis(t, addr, "")
		remember(t, newWriter(t, s), func() {})
		wantNoValue(t, s)
		if err := s.Compact(ctx); err != nil {
			t.Fatal(err)
		}
		// The server removes the old log in the background.
		for deadline := time.Now().Add(10 * time.Second); len(files(t, server.Dir)) > 0; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("after Compact the bytes are in %q", files(t, server.Dir))
			}
		}
	})
}

func erasedFromPostgres(t *testing.T) {
	server, dsn := servertest.Postgres(t)
	s := openPostgres(t, dsn, "erasure")
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	rows := func() (n int) {
		t.Helper()
		err := conn.QueryRow(ctx, `SELECT count(*) FROM erasure.leanmem_kv WHERE position('orblat'::bytea in v) > 0 OR position('orblat'::bytea in k) > 0`).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	remember(t, newWriter(t, s), func() {
		if rows() == 0 {
			t.Error("no row holds the bytes before the deletion")
		}
	})
	if n := rows(); n > 0 {
		t.Errorf("%d rows hold the bytes", n)
	}
	if err := s.Compact(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
		t.Fatal(err)
	}
	if holding := files(t, filepath.Join(server.Dir, "data", "base")); len(holding) > 0 {
		t.Errorf("after Compact the bytes are in %q", holding)
	}
}

func wantNoValue(t *testing.T, s hostfuncs.Store) {
	t.Helper()
	p, err := s.Scan(ctx, "user", nil, nil, 0)
	if err != nil || len(p.Entries) == 0 {
		t.Fatal(err)
	}
	for _, e := range p.Entries {
		if holds(e.Key) || holds(e.Value) {
			t.Errorf("the value %q holds the bytes", e.Key)
		}
	}
}

// files lists the files below a folder that hold the bytes.
func files(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // a server may remove files meanwhile
		}
		if b, _ := os.ReadFile(path); holds(b) {
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
