//go:build unix

package buntdb

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
)

// TestBackupOfAFileThatAnotherProcessUses copies while commits, deletions and
// compactions go on in a process that knows nothing of it.
func TestBackupOfAFileThatAnotherProcessUses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "memory.db")
	opened := make(chan struct{})
	cmd := child(t, "load", path)
	wait := watch(t, cmd, opened)
	<-opened
	records := 0
	for range 15 {
		to := filepath.Join(dir, "backup.db")
		r, err := BackupFile(ctx, path, to)
		if err != nil {
			t.Fatalf("%+v %v", r, err)
		}
		records = r.Records
		verify(t, to, [crashBanks]int{})
		if b, err := BackupFile(ctx, path, to); !effect.HasCode(err, effect.InvalidArgument) {
			t.Fatalf("an older backup is written over: %+v %v", b, err)
		}
		os.Remove(to)
	}
	cmd.Process.Kill()
	wait()
	if left, _ := filepath.Glob(filepath.Join(dir, ".backup-*")); len(left) > 0 || records == 0 {
		t.Errorf("left over: %q; %d records in the last backup", left, records)
	}
}

func TestADamagedFileIsNotBackedUpAsIfItWereSound(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "memory.db")
	history(t, path, 30, 10)
	b := read(t, path)
	b[len(b)/2] ^= 1
	writeFile(t, path, b)
	if _, err := BackupFile(ctx, path, filepath.Join(dir, "backup.db")); !effect.HasCode(err, effect.StoreCorrupt) {
		t.Fatal(err)
	}
}
