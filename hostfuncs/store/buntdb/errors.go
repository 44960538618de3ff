package buntdb

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/leanmem/leanmem/core/effect"
)

const (
	lockSuffix    = ".lock"
	compactSuffix = ".compact"
)

// fileError gives an error of the file system its code.
func fileError(doing, path string, err error) error {
	if e := (*effect.Error)(nil); errors.As(err, &e) {
		return err
	}
	cause := err
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		cause = e.Err
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		cause = e.Err
	}
	code := effect.StoreFailed
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) {
			code = effect.StoreFull
		}
	}
	hint := ""
	if errors.Is(err, fs.ErrPermission) {
		hint = "; the process needs to read and write the file and its directory"
	}
	return effect.Errorf(code, "%s %s: %v%s", doing, path, cause, hint)
}

// acquire takes the exclusive lock of a store. It stands beside the file, since
// compaction replaces the file itself.
func acquire(path string) (*flock.Flock, error) {
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, fileError("open store", path, err)
	}
	name := path + lockSuffix
	lock := flock.New(name, flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fileError("lock store", path, err)
	}
	if !ok {
		return nil, effect.Retryf(effect.StoreFailed, "open store %s: it is in use by another process%s; one process at a time may write to a store file", path, holder(name))
	}
	// Only a hint for the next one's message.
	os.WriteFile(name, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600)
	return lock, nil
}

func holder(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return ""
	}
	return " (pid " + strconv.Itoa(pid) + ")"
}

func syncDir(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
