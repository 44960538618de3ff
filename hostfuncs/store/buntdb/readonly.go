package buntdb

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/store/internal/view"
)

// openReadOnly reads the state of a file as it stands and lets go of it. It
// needs no lock, for the reason that a backup needs none (BackupFile): records
// are only appended, and a deleted value is overwritten only after its deletion
// is in the file, so what was read to an end that stood still holds the deletion
// of everything that was erased under the reader's eyes.
func openReadOnly(path string, opts Options) (*Store, error) {
	s := &Store{
		path: path, opts: opts, turn: make(chan struct{}, 1), stop: make(chan struct{}),
		broken: effect.Errorf(effect.StoreFailed, "store %s is open for reading only", path),
	}
	for attempt, before := 1, int64(-1); ; attempt++ {
		err := s.readState()
		troubled := err == nil && len(s.report.Damage) > 0 || effect.HasCode(err, effect.StoreCorrupt)
		// A file that stands still is what it is.
		if troubled && s.report.Bytes != before && attempt < copyAttempts {
			before = s.report.Bytes
			time.Sleep(5 * time.Millisecond) // a commit may be under way
			continue
		}
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}

// readState reads the file once.
func (s *Store) readState() error {
	f, err := os.Open(s.path)
	if errors.Is(err, fs.ErrPermission) {
		return effect.Errorf(effect.StoreFailed, "open store %s: permission denied; the process needs to read the file", s.path)
	}
	if err != nil {
		return fileError("open store", s.path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return effect.Errorf(effect.StoreFailed, "open store %s: it is a directory", s.path)
	}
	found, err := scan(f, nil)
	if err != nil {
		return unreadable("open store", s.path, err)
	}
	s.report = Report{Bytes: found.size}
	if found.good > 0 && (found.hole() || !found.tail()) {
		return s.corrupt(found.reason())
	}
	r := newReplay()
	in := reader{f: f, size: found.size}
	for _, p := range found.places {
		p, value, err := in.record(found.salt, p.start)
		if err == nil {
			err = r.apply(found.salt, p, value)
		}
		if err != nil {
			return unreadable("read store", s.path, err)
		}
	}
	if err := s.follow(&found, r, &in); err != nil {
		return unreadable("read store", s.path, err)
	}
	if r.finish(); len(r.lost) > 0 {
		return s.corrupt(errDamaged.Message)
	}
	s.report.Bytes, s.report.Records, s.report.Banks, s.report.Damage = found.size, len(found.places), len(r.banks), found.damage
	for _, b := range r.banks {
		s.report.Entries += b.Len()
	}
	fresh := &view.Banks{}
	fresh.Publish(r.banks)
	s.banks.Replace(fresh)
	return nil
}

// follow reads what was appended since the file was scanned, until its end
// stands still.
func (s *Store) follow(found *scanned, r *replay, in *reader) error {
	for found.good > 0 {
		p, value, err := in.record(found.salt, found.good)
		if err == nil {
			rec, e := decode(found.salt, p.seq, value)
			if e != nil {
				return e
			}
			if !rec.written(value) {
				err = damaged{"the values of a commit were not written"}
			}
		}
		if err == nil {
			if err := r.apply(found.salt, p, value); err != nil {
				return err
			}
			found.places, found.good, found.damage = append(found.places, p), p.end, nil
			continue
		}
		if !errors.Is(err, errShort) && !isDamage(err) {
			return err
		}
		info, e := in.f.Stat()
		if e != nil {
			return e
		}
		if info.Size() == in.size {
			if in.size > found.good {
				found.damage = []Damage{{found.good, in.size - found.good, err.Error()}}
			}
			return nil
		}
		in.size, found.size = info.Size(), info.Size()
	}
	if found.size == 0 {
		found.damage = nil // a file that nobody has written to yet
	}
	return nil
}
