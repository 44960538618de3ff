//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/leanmem/leanmem/hostfuncs/store/buntdb"
	"github.com/leanmem/leanmem/hostfuncs/store/servertest"
)

// postgresURL makes a URL of a connection string with a socket folder.
func postgresURL(t *testing.T, settings ...string) string {
	_, dsn := servertest.Postgres(t, settings...)
	dir, _, _ := strings.Cut(strings.TrimPrefix(dsn, "host="), " ")
	return "postgres://leanmem@/postgres?host=" + dir
}

// Every store gives the bank that a file gives, byte for byte, in commands that
// each are a process of their own.
func TestEveryStoreServesTheCommand(t *testing.T) {
	_, addr := servertest.Redis(t, "--appendonly", "yes", "--appendfsync", "always", "--requirepass", "topsecret")
	want := ""
	for _, store := range []string{
		"buntdb:" + filepath.Join(t.TempDir(), "m.db"), postgresURL(t) + "&schema=tenant", "redis://:topsecret@" + addr + "/0?prefix=app",
	} {
		kind, _, _ := strings.Cut(store, ":")
		t.Run(kind, func(t *testing.T) {
			do := func(args ...string) ran {
				t.Helper()
				r := leanmem(t, "", append([]string{"--store", store, "--now", "2025-12-01", "--bank", "ana"}, args...)...).ok(t)
				if strings.Contains(r.out+r.errs, "topsecret") {
					t.Errorf("%s shows the password:\n%s%s", args[0], r.out, r.errs)
				}
				return r
			}
			do("add", testdata("friends.jsonl"))
			if out := do("search", "What is the name of Maren's cat?").out; !strings.Contains(out, "Pixel") {
				t.Errorf("search: %s", out)
			}
			do("rename", "ana", "ben")
			do("rename", "ben", "ana")
			export := do("export").out
			if want == "" {
				want = export
			}
			if export != want {
				t.Errorf("an export of %d bytes, another store gave %d", len(export), len(want))
			}
			if out := do("doctor").out; !strings.HasSuffix(out, "sound\n") || !strings.Contains(out, `bank "ana": 234 turns`) {
				t.Errorf("doctor: %s", out)
			}
			do("drop", "--yes")
			if out := do("banks").out; out != "" {
				t.Errorf("after drop there is %s", out)
			}
		})
	}
}

// What a person typed may hold a password: neither help nor any message shows
// it.
func TestNoMessageShowsAPassword(t *testing.T) {
	_, addr := servertest.Redis(t, "--requirepass", "other")
	for _, store := range []string{
		"postgres://u:topsecret@127.0.0.1:1/db?connect_timeout=1", "postgres://u:topsecret@[::1/db", "postgres://u:topsecret@h/db?migrate=perhaps",
		"redis://:topsecret@" + addr, "redis://u:topsecret@h:port", "redis://:topsecret@h/x", "mysql://u:topsecret@h", "topsecret",
	} {
		for _, args := range [][]string{{"--help"}, {"stats", "--help"}, {"stats"}, {"doctor"}, {"backup", "x"}, {"stats", "--json"}} {
			cmd := exec.Command(binary, args...)
			cmd.Env = append(os.Environ(), "LEANMEM_STORE="+store)
			out, _ := cmd.CombinedOutput()
			if bytes.Contains(out, []byte("topsecret")) {
				t.Errorf("%s with %s:\n%s", args, store, out)
			}
		}
		if strings.HasSuffix(store, "db?connect_timeout=1") || strings.HasPrefix(store, "redis://:topsecret@"+addr) {
			continue // nobody listens, or the server refuses: no wrong way of asking
		}
		if r := leanmem(t, "", "stats", "--store", store); r.code != exitUsage {
			t.Errorf("%s: exit %d, %s", store, r.code, r.errs)
		}
	}
}

func TestDoctorFindsAndRepairs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.db")
	store := "--store=buntdb:" + path
	leanmem(t, "", store, "add", testdata("friends.jsonl")).ok(t)
	leanmem(t, "", store, "--bank", "other", "add", "--text", "I live in Porto", "--speaker", "Ana", "--session", "s").ok(t)
	leanmem(t, "", store, "doctor").ok(t)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spoiled := bytes.Clone(b)
	spoiled[len(b)/3] ^= 0x40
	if err := os.WriteFile(path, spoiled, 0o600); err != nil {
		t.Fatal(err)
	}
	r := leanmem(t, "", store, "stats")
	if r.code != exitFailure || !strings.Contains(r.errs, "leanmem doctor") {
		t.Errorf("a damaged store: exit %d, %s", r.code, r.errs)
	}
	r = leanmem(t, "", store, "doctor")
	if after, _ := os.ReadFile(path); r.code != exitFailure || !strings.Contains(r.out, "not sound") || !bytes.Equal(after, spoiled) {
		t.Errorf("doctor: exit %d, changed %v\n%s%s", r.code, !bytes.Equal(after, spoiled), r.out, r.errs)
	}
	r = leanmem(t, "", store, "--json", "doctor", "--repair")
	var found examined
	if err := json.Unmarshal([]byte(r.out), &found); err != nil {
		t.Fatalf("%v in %s%s", err, r.out, r.errs)
	}
	if kept, _ := os.ReadFile(found.File.Kept); !bytes.Equal(kept, spoiled) {
		t.Errorf("the file as found was not kept: %+v", found.File)
	}
	for _, bank := range found.Banks {
		if bank.Name == "other" && (len(bank.Faults) > 0 || bank.Turns != 1) {
			t.Errorf("the other bank: %+v", bank)
		}
	}
	if len(found.File.Lost) != 1 || found.File.Lost[0].Bank != "default" {
		t.Errorf("lost: %+v", found.File)
	}
	leanmem(t, "", store, "--bank", "default", "drop", "--yes").ok(t)
	leanmem(t, "", store, "doctor").ok(t)
}

func TestATornEndIsReportedAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	store := "--store=buntdb:" + path
	leanmem(t, "", store, "add", testdata("friends.jsonl")).ok(t)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()-3); err != nil {
		t.Fatal(err)
	}
	torn, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := leanmem(t, "", store, "stats").ok(t)
	if after, _ := os.ReadFile(path); !strings.Contains(r.errs, "the next command that writes") || !bytes.Equal(after, torn) {
		t.Errorf("of the torn end a reader says: %s", r.errs)
	}
	r = leanmem(t, "", store, "add", testdata("friends.jsonl")).ok(t)
	if !strings.Contains(r.errs, "damaged-1") {
		t.Errorf("nothing is said of the torn end: %s", r.errs)
	}
	leanmem(t, "", store, "doctor").ok(t)
}

// TestStoreInUse: of what a process uses, others may read and make backups; one
// that would write is refused with a clear word.
func TestStoreInUse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.db")
	store := "--store=buntdb:" + path
	leanmem(t, "", store, "add", testdata("friends.jsonl")).ok(t)
	s, err := buntdb.Open(path, buntdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, args := range [][]string{{"add", testdata("friends.jsonl")}, {"flush"}, {"evolve"}, {"expire"}, {"restore", "--all"}, {"delete", "--session", "s01"}, {"drop", "--bank", "default", "--yes"}} {
		if r := leanmem(t, "", append([]string{store}, args...)...); r.code != exitFailure || !strings.Contains(r.errs, "in use by another process (pid ") {
			t.Errorf("%s: exit %d, %s", args[0], r.code, r.errs)
		}
	}
	for _, args := range [][]string{{"search", "What is the name of Maren's cat?"}, {"answer", "What is the name of Maren's cat?"}, {"list"}, {"stats"}, {"banks"}, {"export"}, {"history", "--subject", "Maren"}, {"get", "s01:5"}, {"delete", "--session", "s01", "--dry-run"}} {
		if r := leanmem(t, "", append([]string{store}, args...)...); r.code != 0 || r.out == "" {
			t.Errorf("%s: exit %d, %s", args[0], r.code, r.errs)
		}
	}
	copied := filepath.Join(dir, "copy.db")
	leanmem(t, "", store, "backup", copied).ok(t)
	if r := leanmem(t, "", store, "backup", copied); r.code != exitFailure || !strings.Contains(r.errs, "exists") {
		t.Errorf("over an older backup: exit %d, %s", r.code, r.errs)
	}
	if out := leanmem(t, "", "--store=buntdb:"+copied, "doctor").ok(t).out; !strings.Contains(out, "234 turns") {
		t.Errorf("doctor of the copy: %s", out)
	}
	if r := leanmem(t, "", "--store", "memory:", "backup", filepath.Join(dir, "x")); r.code != exitUsage || !strings.Contains(r.errs, "export") {
		t.Errorf("backup of memory: exit %d, %s", r.code, r.errs)
	}
}

func TestAFileFromANewerReleaseIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	store := "--store=buntdb:" + path
	leanmem(t, "", store, "add", "--text", "I live in Porto", "--speaker", "Ana", "--session", "s").ok(t)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.ReplaceAll(b, []byte("leanmem store 1 "), []byte("leanmem store 2 "))
	if err := os.WriteFile(path, newer, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"stats", "doctor"} {
		r := leanmem(t, "", store, verb)
		if after, _ := os.ReadFile(path); r.code != exitFailure || !strings.Contains(r.errs, "newer") || !bytes.Equal(after, newer) {
			t.Errorf("%s: exit %d, changed %v, %s", verb, r.code, !bytes.Equal(after, newer), r.errs)
		}
	}
}

// TestAFullDiskIsSaidAndNothingIsLost limits the size of files.
func TestAFullDiskIsSaidAndNothingIsLost(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	path := filepath.Join(t.TempDir(), "m.db")
	cmd := exec.Command("sh", "-c", `trap "" XFSZ; ulimit -f 60; exec "$0" "$@"`, binary, "--store=buntdb:"+path, "--now", "2025-12-01", "add", testdata("friends.jsonl"))
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "Free some space") {
		t.Fatalf("%v\n%s", err, out)
	}
	store := "--store=buntdb:" + path
	leanmem(t, "", store, "--now", "2025-12-01", "add", testdata("friends.jsonl")).ok(t)
	if out := leanmem(t, "", store, "doctor").ok(t).out; !strings.Contains(out, "234 turns") {
		t.Errorf("after the disk has room again: %s", out)
	}
}

// A shutdown leaves cleanly: what was stored stands and the next process enters.
func TestTerminatedAddsLeaveASoundStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	store := "--store=buntdb:" + path
	for i := range 5 {
		cmd := exec.Command(binary, store, "--now", "2025-12-01", "add", testdata("friends.jsonl"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+20*i) * time.Millisecond)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if _, err := os.Stat(path); err == nil {
			leanmem(t, "", store, "doctor").ok(t)
		}
	}
	leanmem(t, "", store, "--now", "2025-12-01", "add", testdata("friends.jsonl")).ok(t)
}
