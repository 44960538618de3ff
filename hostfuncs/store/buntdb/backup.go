package buntdb

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// copyAttempts bounds how often BackupFile begins again.
const copyAttempts = 10

// BackupFile writes a store file with one consistent state of all banks from a
// file that may be in use, by this process or another; nobody waits for it. to
// must not exist. Report is of what was copied.
//
// Records are only appended, and a deleted value is overwritten only after its
// deletion is in the file: a copy that was read to an end which stood still
// holds the deletion of everything that it saw erased.
func BackupFile(ctx context.Context, from, to string) (Report, error) {
	from, err := resolve(from)
	if err != nil {
		return Report{}, err
	}
	if _, err := os.Lstat(to); err == nil {
		return Report{}, effect.Errorf(effect.InvalidArgument, "back up to %s: it exists", to)
	}
	dir, err := os.MkdirTemp(filepath.Dir(to), ".backup-*")
	if err != nil {
		return Report{}, fileError("back up to", to, err)
	}
	defer os.RemoveAll(dir)
	draft := filepath.Join(dir, "memory.db")
	var report Report
	for range copyAttempts {
		if err := copyFile(ctx, from, draft); err != nil {
			return Report{}, err
		}
		if report, err = Check(draft); err == nil && sound(report) {
			break
		}
		// A value that was being erased while it was read, or real damage.
		if err == nil {
			err = effect.Errorf(effect.StoreCorrupt, "back up store %s: it is damaged; check it", from)
		}
	}
	if err != nil {
		return report, err
	}
	if err := compactFile(ctx, draft); err != nil {
		return report, err
	}
	if err := os.Rename(draft, to); err != nil {
		return report, fileError("back up to", to, err)
	}
	return report, syncDir(to)
}

// sound reports whether nothing is missing but perhaps a commit under way.
func sound(r Report) bool {
	end := int64(0)
	for _, d := range r.Damage {
		end = d.Offset + d.Bytes
	}
	return len(r.Lost) == 0 && (len(r.Damage) == 0 || len(r.Damage) == 1 && end == r.Bytes)
}

// copyFile copies until the end of the file stands still.
func copyFile(ctx context.Context, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return fileError("back up store", from, err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fileError("back up to", to, err)
	}
	defer out.Close()
	for at := int64(0); ; {
		if err := hostfuncs.ContextError(ctx, "back up"); err != nil {
			return err
		}
		info, err := in.Stat()
		if err != nil {
			return fileError("back up store", from, err)
		}
		if info.Size() <= at {
			return nil
		}
		n, err := io.Copy(out, io.NewSectionReader(in, at, info.Size()-at))
		if err != nil {
			return fileError("back up to", to, err)
		}
		at += n
	}
}

// compactFile opens a copy, which cuts off a torn end, and rewrites it.
func compactFile(ctx context.Context, path string) error {
	s, err := Open(path, Options{})
	if err != nil {
		return err
	}
	return errors.Join(s.Compact(ctx), s.Close())
}
