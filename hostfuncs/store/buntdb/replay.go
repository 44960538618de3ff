package buntdb

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/tidwall/buntdb"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/store/internal/view"
)

// replay builds the state of the banks from records in order.
type replay struct {
	banks map[string]*view.Bank
	dead  []view.Item      // values that no bank holds any more and that are legible
	due   int              // how many of dead a later deletion wants erased
	bad   map[int64]string // by place: the bank of a value that fails its checksum and is not dead
	lost  map[string]*Loss
	parts map[string]uint64 // parts of a bank's base that are still missing
}

// Loss tells what a repair gave up of a bank.
type Loss struct {
	Bank    string `json:"bank"`
	Version string `json:"version"` // the version at which the bank stands now; "" if it is gone
	Commits int    `json:"commits"` // sound commits that follow a damaged one
	Entries int    `json:"entries"` // damaged values
	Parts   int    `json:"parts"`   // damaged parts of many entries each, as compaction writes them
}

func newReplay() *replay {
	return &replay{banks: map[string]*view.Bank{}, bad: map[int64]string{}, lost: map[string]*Loss{}, parts: map[string]uint64{}}
}

// apply performs one record. A commit takes place only on the version that it
// expects: one whose predecessor was lost is lost, too.
func (r *replay) apply(s salt, p place, value string) error {
	rec, err := decode(s, p.seq, value)
	if err != nil {
		return err
	}
	old := r.banks[rec.bank]
	if rec.kind == kindBase {
		if old == nil {
			r.parts[rec.bank] = rec.parts
		}
		r.parts[rec.bank]--
	} else if view.VersionOf(old) != rec.expected {
		r.lose(rec.bank).Commits++
		return nil
	}
	switch rec.kind {
	case kindCommit, kindBase:
		next, dead := old.Next(rec.version, r.writes(rec, p, value))
		r.banks[rec.bank] = next
		r.bury(dead)
		if slices.ContainsFunc(rec.writes, func(w write) bool { return w.del }) {
			r.due = len(r.dead)
		}
	case kindRemove:
		if old != nil {
			r.bury(items(old))
			r.due = len(r.dead)
			delete(r.banks, rec.bank)
		}
	case kindRename:
		if old == nil || r.banks[rec.to] != nil {
			r.lose(rec.bank).Commits++
			return nil
		}
		r.banks[rec.to] = old
		delete(r.banks, rec.bank)
	default:
		return effect.Errorf(effect.FormatTooNew, "record %d is of the unknown kind %d", p.seq, rec.kind)
	}
	return nil
}

func items(b *view.Bank) (out []view.Item) {
	b.Each(func(_ string, it view.Item) bool {
		out = append(out, it)
		return true
	})
	return out
}

func (r *replay) writes(rec record, p place, value string) []view.Write {
	out := make([]view.Write, len(rec.writes))
	for i, w := range rec.writes {
		out[i] = view.Write{Key: w.key, Delete: w.del}
		if w.del {
			continue
		}
		it := view.Item{Value: value[w.at : w.at+w.size], At: p.value + int64(w.at)}
		if checksum(it.Value) != w.sum {
			r.bad[it.At] = rec.bank
		}
		out[i].Item = it
	}
	return out
}

// bury notes values that are dead. One that fails its checksum was erased.
func (r *replay) bury(dead []view.Item) {
	for _, it := range dead {
		if len(it.Value) == 0 {
			continue
		}
		delete(r.bad, it.At)
		if !erased(it.Value) {
			r.dead = append(r.dead, it)
		}
	}
}

func (r *replay) lose(bank string) *Loss {
	if r.lost[bank] == nil {
		r.lost[bank] = &Loss{Bank: bank}
	}
	return r.lost[bank]
}

// finish removes the entries whose values are damaged and counts what is
// missing.
func (r *replay) finish() {
	for bank, missing := range r.parts {
		if missing > 0 {
			r.lose(bank).Parts = int(missing)
		}
	}
	if len(r.bad) == 0 {
		return
	}
	for name, b := range r.banks {
		var drop []view.Write
		b.Each(func(key string, it view.Item) bool {
			if _, bad := r.bad[it.At]; bad && len(it.Value) > 0 {
				drop = append(drop, view.Write{Key: key, Delete: true})
			}
			return true
		})
		if len(drop) > 0 {
			r.banks[name], _ = b.Next(b.Version, drop)
			r.lose(name).Entries += len(drop)
		}
	}
}

func (r *replay) losses() (out []Loss) {
	for name, l := range r.lost {
		l.Version = view.VersionOf(r.banks[name])
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b Loss) int { return cmp.Compare(a.Bank, b.Bank) })
	return out
}

// errDamaged is load's finding that current values or commits are damaged.
var errDamaged = effect.Errorf(effect.StoreCorrupt, "values or commits that were acknowledged are damaged")

// load opens the sound file with buntdb and replays it.
func (s *Store) load(found scanned) error {
	db, err := buntdb.Open(s.path)
	if err != nil {
		return fileError("open store", s.path, err)
	}
	s.db = db
	// Syncing and compaction are done here: buntdb ignores a failed sync, and
	// its shrinking renames a file that it has not synced.
	if err := db.SetConfig(buntdb.Config{SyncPolicy: buntdb.Never, AutoShrinkDisabled: true}); err != nil {
		return fileError("open store", s.path, err)
	}
	if s.file, err = os.OpenFile(s.path, os.O_RDWR, 0); err != nil {
		return fileError("open store", s.path, err)
	}
	r := newReplay()
	if err := s.replay(r, found); err != nil {
		return unreadable("read store", s.path, err)
	}
	if r.finish(); len(r.lost) > 0 {
		return errDamaged
	}
	s.salt, s.size = found.salt, found.good
	s.seq = 0
	if n := len(found.places); n > 0 {
		s.seq = found.places[n-1].seq
	}
	s.dead, s.due = r.dead, r.due
	s.live = 0
	for _, b := range r.banks {
		s.live += b.Bytes
	}
	s.retryAt = 0
	fresh := &view.Banks{}
	fresh.Publish(r.banks)
	s.banks.Replace(fresh)
	return nil
}

func (s *Store) replay(r *replay, found scanned) error {
	n := 0
	var failed error
	err := s.db.View(func(tx *buntdb.Tx) error {
		return tx.AscendRange("", "c", "d", func(key, value string) bool {
			if n == len(found.places) || recordKey(found.places[n].seq) != key {
				failed = fmt.Errorf("record %q was not there when the file was checked", key)
				return false
			}
			failed = r.apply(found.salt, found.places[n], value)
			n++
			return failed == nil
		})
	})
	if err == nil {
		err = failed
	}
	if err == nil && n != len(found.places) {
		err = fmt.Errorf("%d records, %d when the file was checked", n, len(found.places))
	}
	return err
}
