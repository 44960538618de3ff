package buntdb

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tidwall/buntdb"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/internal/view"
)

// job is one waiting change of a bank. Whoever gets the turn performs every
// waiting job and syncs once for all of them, so that many writers share the
// price of a sync.
type job struct {
	rec    record
	writes []view.Write
	force  bool // a drop: whatever the version

	state   atomic.Int32 // waiting, taken or withdrawn
	done    chan struct{}
	ok      bool
	current string
	err     error
}

const (
	waiting = iota
	taken
	withdrawn
)

// Commit implements hostfuncs.Store.
func (s *Store) Commit(ctx context.Context, bank, expected, version string, writes []effect.Write) (bool, string, error) {
	if err := hostfuncs.CheckCommit(bank, expected, version, writes); err != nil {
		return false, "", err
	}
	j := &job{rec: record{kind: kindCommit, bank: bank, expected: expected, version: version}, writes: view.Own(writes)}
	if version == "" {
		j.rec.kind = kindRemove
	}
	err := s.submit(ctx, "commit", j)
	return j.ok, j.current, err
}

// DropBank implements hostfuncs.Store.
func (s *Store) DropBank(ctx context.Context, bank string) error {
	if err := hostfuncs.CheckBank(bank); err != nil {
		return err
	}
	return s.submit(ctx, "drop bank", &job{rec: record{kind: kindRemove, bank: bank}, force: true})
}

// RenameBank implements hostfuncs.Store.
func (s *Store) RenameBank(ctx context.Context, from, to string) error {
	if err := hostfuncs.CheckRename(from, to); err != nil {
		return err
	}
	return s.submit(ctx, "rename bank", &job{rec: record{kind: kindRename, bank: from, to: to}, force: true})
}

// submit waits until the job is done, by another or by the caller itself.
func (s *Store) submit(ctx context.Context, doing string, j *job) error {
	if err := hostfuncs.ContextError(ctx, doing); err != nil {
		return err
	}
	j.done = make(chan struct{})
	s.queueMu.Lock()
	s.queue = append(s.queue, j)
	s.queueMu.Unlock()
	select {
	case <-j.done:
		return j.err
	case s.turn <- struct{}{}:
		s.lead()
		<-s.turn
	case <-ctx.Done():
		if j.state.CompareAndSwap(waiting, withdrawn) {
			return hostfuncs.ContextError(ctx, doing)
		}
	}
	<-j.done
	return j.err
}

// lead performs all waiting jobs, in the caller's turn.
func (s *Store) lead() {
	s.queueMu.Lock()
	queue := s.queue
	s.queue = nil
	s.queueMu.Unlock()
	g := group{s: s, banks: map[string]*view.Bank{}}
	var mine []*job
	for _, j := range queue {
		if !j.state.CompareAndSwap(waiting, taken) {
			continue
		}
		mine = append(mine, j)
		if j.err = s.writable("commit"); j.err == nil {
			j.err = g.perform(j)
		}
	}
	if err := g.finish(); err != nil {
		for _, j := range mine {
			if j.err == nil { // a conflict with what is not on the disk is none
				j.ok, j.err = false, err
			}
		}
	}
	for _, j := range mine {
		close(j.done)
	}
	s.compactIfDue()
}

// group is what one turn changes before it is synced and published.
type group struct {
	s      *Store
	banks  map[string]*view.Bank
	dead   []view.Item
	live   int64
	wrote  bool
	delete bool // a value was deleted: it is erased before the commit returns
	unname bool // a bank name is to go: only compaction erases it
}

func (g *group) find(bank string) *view.Bank {
	if b, ok := g.banks[bank]; ok {
		return b
	}
	return g.s.banks.Find(bank)
}

// perform writes one record, or leaves everything as it is.
func (g *group) perform(j *job) error {
	bank := g.find(j.rec.bank)
	j.current = view.VersionOf(bank)
	if j.force {
		j.rec.expected = j.current
	}
	if j.current != j.rec.expected {
		return nil
	}
	switch j.rec.kind {
	case kindRemove:
		if bank == nil {
			j.ok = true
			return nil
		}
	case kindRename:
		if _, err := view.Renamed(j.rec.bank, j.rec.to, g.find); err != nil {
			return err
		}
		j.rec.version = j.current
	}
	if err := g.s.append(j.rec, j.writes); err != nil {
		return err
	}
	g.wrote = true
	j.ok, j.current = true, j.rec.version
	g.change(j, bank)
	return nil
}

func (g *group) change(j *job, bank *view.Bank) {
	switch j.rec.kind {
	case kindCommit:
		next, dead := bank.Next(j.rec.version, j.writes)
		g.banks[j.rec.bank] = next
		g.dead = append(g.dead, dead...)
		g.live += next.Bytes
		for _, w := range j.writes {
			g.delete = g.delete || w.Delete
		}
	case kindRemove:
		g.banks[j.rec.bank] = nil
		g.dead = append(g.dead, items(bank)...)
		g.delete, g.unname = true, true
	case kindRename:
		g.banks[j.rec.bank], g.banks[j.rec.to] = nil, bank
		g.unname = true
		return
	}
	if bank != nil {
		g.live -= bank.Bytes
	}
}

// finish brings the group to the disk and shows it to readers.
func (g *group) finish() error {
	if !g.wrote {
		return nil
	}
	s := g.s
	if s.broken != nil {
		return s.broken
	}
	s.dirty = true
	s.dead = append(s.dead, g.dead...)
	// A deletion erases what was overwritten before it, too: earlier values of
	// its key are among that. Without one, overwritten values stay, so that a
	// file whose end is damaged can be read as it stood before.
	if g.delete {
		s.due = len(s.dead)
	}
	if s.opts.Sync == SyncAlways {
		if err := s.sync(); err != nil {
			return err
		}
		// Erased values are to be gone from the disk, too, when a delete returns.
		if g.delete {
			if err := s.sync(); err != nil {
				return err
			}
		}
	}
	s.live += g.live
	s.banks.Publish(g.banks)
	if g.unname {
		s.compact() // on failure the values are erased all the same; the next compaction takes the name
	}
	return nil
}

// append adds a record to the file: one SET. It sets the writes' items to where
// the record holds them.
func (s *Store) append(rec record, writes []view.Write) (err error) {
	if err := s.hit("append"); err != nil {
		return fileError("commit to store", s.path, err)
	}
	seq := s.seq + 1
	value := encode(s.salt, seq, rec, writes)
	key := recordKey(seq)
	from := s.size + int64(len(commandHead(keyLen, key, len(value))))
	defer func() {
		// buntdb panics when it cannot take back half of a write.
		if p := recover(); p != nil {
			err = s.breakWith("commit", fmt.Errorf("%v", p))
		}
	}()
	err = s.db.Update(func(tx *buntdb.Tx) error {
		_, _, err := tx.Set(key, value, nil)
		return err
	})
	if err != nil {
		return s.refused(err)
	}
	for i := range writes {
		writes[i].Item.At += from
	}
	s.seq, s.size = seq, from+int64(len(value))+2
	return nil
}

// refused tells why a write failed, and makes sure that nothing of it is left.
func (s *Store) refused(err error) error {
	info, e := s.file.Stat()
	if e == nil && info.Size() != s.size {
		e = errors.New("half of a commit could not be taken back")
	}
	if e != nil {
		return s.breakWith("commit", e)
	}
	return fileError("commit to store", s.path, err)
}
