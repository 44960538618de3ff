package buntdb

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/store/internal/view"
)

// Report tells what Open or Check found in a file, and what Open did about it.
type Report struct {
	Bytes   int64    `json:"bytes"`   // of the file as found
	Records int      `json:"records"` // commits, and parts of many entries that compaction wrote
	Banks   int      `json:"banks"`
	Entries int      `json:"entries"`
	Damage  []Damage `json:"damage,omitempty"` // parts of the file as found that are no sound records
	Kept    string   `json:"kept,omitempty"`   // where the damaged part, or the whole file as found, was kept
	Lost    []Loss   `json:"lost,omitempty"`   // of banks, where damage lies before sound commits
}

// Sound reports whether nothing was damaged.
func (r Report) Sound() bool { return len(r.Damage) == 0 && len(r.Lost) == 0 }

// create makes an empty store if there is no file. It appears under its name
// only when its header is on the disk.
func create(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return effect.Errorf(effect.StoreFailed, "open store %s: it is a directory", path)
	}
	if err == nil && !info.Mode().IsRegular() {
		return effect.Errorf(effect.StoreFailed, "open store %s: it is no regular file", path) // a device would be replaced
	}
	if err == nil && info.Size() > 0 {
		return nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fileError("open store", path, err)
	}
	f, err := os.OpenFile(path+compactSuffix, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fileError("create store", path, err)
	}
	head, _ := header(0)
	_, err = io.WriteString(f, head)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(path+compactSuffix, path)
	}
	if err == nil {
		err = syncDir(path)
	}
	if err != nil {
		os.Remove(path + compactSuffix)
		return fileError("create store", path, err)
	}
	return nil
}

// mend brings the file into a state that buntdb reads as it is meant: a damaged
// tail is cut off; damage before sound commits is refused or, with
// Options.Repair, given up. What is taken from the file is kept beside it.
func (s *Store) mend() (scanned, error) {
	f, err := os.OpenFile(s.path, os.O_RDWR, 0)
	if err != nil {
		return scanned{}, fileError("open store", s.path, err)
	}
	defer f.Close()
	found, err := scan(f, nil)
	if err != nil {
		return scanned{}, unreadable("open store", s.path, err)
	}
	s.report = Report{Bytes: found.size, Damage: found.damage}
	switch {
	case len(found.damage) == 0 && !found.hole():
		return found, nil
	case found.good == 0:
		return s.reborn(f)
	case found.hole() || !found.tail():
		if !s.opts.Repair {
			return scanned{}, s.corrupt(found.reason())
		}
		return s.repair(f)
	}
	if !found.nul {
		if s.report.Kept, err = keep(f, s.path, found.good); err != nil {
			return scanned{}, fileError("keep the damaged tail of store", s.path, err)
		}
	}
	if err := f.Truncate(found.good); err != nil {
		return scanned{}, fileError("cut the damaged tail of store", s.path, err)
	}
	if err := f.Sync(); err != nil {
		return scanned{}, fileError("sync store", s.path, err)
	}
	return found, nil
}

func (s *Store) corrupt(reason string) error {
	return effect.Errorf(effect.StoreCorrupt, "open store %s: %s; repair gives up what is damaged and keeps the file as found", s.path, reason)
}

func unreadable(doing, path string, err error) error {
	if e := (*effect.Error)(nil); errors.As(err, &e) {
		return &effect.Error{Code: e.Code, Message: fmt.Sprintf("%s %s: %s", doing, path, e.Message)}
	}
	if e := (*os.PathError)(nil); errors.As(err, &e) {
		return fileError(doing, path, err)
	}
	return effect.Errorf(effect.StoreCorrupt, "%s %s: %v", doing, path, err)
}

// reborn replaces a file that ends within its header.
func (s *Store) reborn(f *os.File) (scanned, error) {
	var err error
	if s.report.Kept, err = keep(f, s.path, 0); err != nil {
		return scanned{}, fileError("keep the damaged store", s.path, err)
	}
	if err := f.Truncate(0); err != nil {
		return scanned{}, fileError("cut store", s.path, err)
	}
	if err := create(s.path); err != nil {
		return scanned{}, err
	}
	return rescan(s.path)
}

// repair gives up what is damaged and writes the rest to a new file.
func (s *Store) repair(f *os.File) (scanned, error) {
	e, err := examine(f)
	if err != nil {
		return scanned{}, unreadable("repair store", s.path, err)
	}
	if s.report.Kept, err = keep(f, s.path, 0); err != nil {
		return scanned{}, fileError("keep the damaged store", s.path, err)
	}
	s.report.Damage, s.report.Lost = e.found.damage, e.lost
	var state view.Banks
	state.Publish(e.banks)
	if _, err := s.rewrite(&state); err != nil {
		return scanned{}, err
	}
	return rescan(s.path)
}

func rescan(path string) (scanned, error) {
	f, err := os.Open(path)
	if err != nil {
		return scanned{}, fileError("open store", path, err)
	}
	defer f.Close()
	found, err := scan(f, nil)
	if err != nil {
		return scanned{}, unreadable("open store", path, err)
	}
	return found, nil
}

// keep copies the file from an offset on to FILE.damaged-N.
func keep(f *os.File, path string, from int64) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.damaged-%d", path, n)
		out, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = io.Copy(out, io.NewSectionReader(f, from, 1<<62))
		if err == nil {
			err = out.Sync()
		}
		if e := out.Close(); err == nil {
			err = e
		}
		if err == nil {
			err = syncDir(path)
		}
		if err != nil {
			os.Remove(name)
			return "", err
		}
		return name, nil
	}
}

// examined is a scan and what replaying it gives.
type examined struct {
	found scanned
	banks map[string]*view.Bank
	lost  []Loss
}

// examine reads a file and verifies all that is current in it.
func examine(f *os.File) (examined, error) {
	r := newReplay()
	var failed error
	found, err := scan(f, func(s salt, p place, value string) {
		if failed == nil {
			failed = r.apply(s, p, value)
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return examined{}, err
	}
	r.finish()
	return examined{found, r.banks, r.losses()}, nil
}

// Check reads a store file that no process has open and changes nothing. The
// report is of what Open would meet; an error means that the file cannot be
// read as a store at all.
func Check(path string) (Report, error) {
	path, err := resolve(path)
	if err != nil {
		return Report{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return Report{}, fileError("check store", path, err)
	}
	defer f.Close()
	lock, err := acquire(path)
	if err != nil && effect.AsError(err).Retryable { // where no lock can be made, nobody writes
		return Report{}, err
	}
	if lock != nil {
		defer lock.Unlock()
	}
	e, err := examine(f)
	if err != nil {
		return Report{}, unreadable("check store", path, err)
	}
	report := Report{
		Bytes: e.found.size, Records: len(e.found.places), Banks: len(e.banks),
		Damage: e.found.damage, Lost: e.lost,
	}
	for _, b := range e.banks {
		report.Entries += b.Len()
	}
	return report, nil
}

// Repair opens the file with Options.Repair, closes it and tells what it did.
func Repair(path string) (Report, error) {
	s, err := Open(path, Options{Repair: true})
	if err != nil {
		return Report{}, err
	}
	return s.Report(), s.Close()
}
