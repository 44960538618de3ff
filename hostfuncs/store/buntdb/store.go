// Package buntdb is the embedded default: all banks in one file, which one
// process at a time writes and any number may read.
//
// The file is a buntdb log of SET commands, and each commit is exactly one of
// them, with a checksum (record.go). The state of the banks is what replaying
// the commits in order gives (replay.go); it lives in memory and points into
// the strings that buntdb holds, so that a value is there once. Before buntdb
// sees a file it is read and verified here (scan.go, salvage.go), since buntdb
// itself refuses or misreads damaged ones. RATIONALE.md has the why.
package buntdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/tidwall/buntdb"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/internal/view"
)

// SyncPolicy says when a commit is on the disk.
type SyncPolicy int

const (
	// SyncAlways returns from a commit when it is on the disk. The default.
	SyncAlways SyncPolicy = iota
	// SyncEverySecond may lose the last second of acknowledged commits when the
	// machine fails, and erases deleted values up to a second later. Nothing is
	// lost when only the process is killed.
	SyncEverySecond
)

// Options of Open. The zero value is what most want.
type Options struct {
	Sync SyncPolicy
	// Repair opens a file even if damage lies before sound commits: what is
	// damaged is given up, the file as found is kept beside it, and Report says
	// what was lost. Without it such a file is refused with store_corrupt.
	Repair bool
	// ReadOnly opens the banks as they stand in the file at that moment, without
	// a lock and without touching anything: while another process writes, or on
	// a file system that nobody may write to. What is written later is not seen,
	// and commits are refused. A torn end stays where it is; Report names it.
	ReadOnly bool
	// CompactSlack is how many bytes of dead weight beyond the size of the live
	// data the file may hold before it is compacted; 0: 4 MB.
	CompactSlack int64
}

// Store is a hostfuncs.Store in one file.
type Store struct {
	path string
	opts Options
	lock *flock.Flock

	banks view.Banks // what readers see: committed and synced

	turn chan struct{} // of capacity 1: held by whoever writes to the file

	queueMu sync.Mutex
	queue   []*job // waiting commits; whoever gets the turn performs them all

	// What follows belongs to the holder of the turn.
	db      *buntdb.DB
	file    *os.File // the same file as db's, for sync, erasure and truncation
	salt    salt
	seq     uint64      // of the last record
	size    int64       // of the file
	live    int64       // bytes of keys and values that are current
	retryAt int64       // a failed compaction is tried again at this size
	dirty   bool        // there are bytes that were not synced (SyncEverySecond)
	dead    []view.Item // values that no bank holds and that are still legible in the file
	due     int         // how many of dead are to be erased with the next sync
	broken  error       // set when the state of the file is unknown; no more writes
	closed  bool
	fail    func(point string) error // failpoints of tests

	report Report
	stop   chan struct{}
	work   sync.WaitGroup
}

var (
	_ hostfuncs.Store     = (*Store)(nil)
	_ hostfuncs.Compacter = (*Store)(nil)
)

// Open opens the file, or creates it. A second process is refused, unless it
// only reads. A tail that
// a crash or a full disk tore is cut off and kept beside the file; Report says
// so.
func Open(path string, opts Options) (*Store, error) {
	return open(path, opts, nil)
}

func open(path string, opts Options, fail func(string) error) (*Store, error) {
	path, err := resolve(path)
	if err != nil {
		return nil, err
	}
	if opts.ReadOnly {
		return openReadOnly(path, opts)
	}
	lock, err := acquire(path)
	if err != nil {
		return nil, err
	}
	s := &Store{
		path: path, opts: opts, lock: lock, fail: fail,
		turn: make(chan struct{}, 1), stop: make(chan struct{}),
	}
	if s.opts.CompactSlack <= 0 {
		s.opts.CompactSlack = 4 << 20
	}
	if err := s.start(); err != nil {
		s.closeFiles()
		lock.Unlock()
		return nil, err
	}
	if opts.Sync == SyncEverySecond {
		s.work.Go(s.syncEverySecond)
	}
	return s, nil
}

// resolve follows links, since compaction replaces the file that it names.
func resolve(path string) (string, error) {
	if path == "" || path == ":memory:" {
		return "", effect.Errorf(effect.InvalidArgument, "open store %q: not the name of a file", path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fileError("open store", path, err)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path, nil
}

// start brings the file into a sound state, loads it and completes the report.
func (s *Store) start() error {
	if err := s.mendAndLoad(); err != nil {
		return err
	}
	_, banks := s.banks.All()
	s.report.Banks, s.report.Records = len(banks), int(s.seq)
	for _, b := range banks {
		s.report.Entries += b.Len()
	}
	// Values that died just before a crash were not erased yet.
	return s.erase()
}

func (s *Store) mendAndLoad() error {
	os.Remove(s.path + compactSuffix) // a compaction that a crash ended
	if err := create(s.path); err != nil {
		return err
	}
	found, err := s.mend()
	if err != nil {
		return err
	}
	err = s.load(found)
	if !errors.Is(err, errDamaged) {
		return err
	}
	if !s.opts.Repair {
		return s.corrupt(errDamaged.Message)
	}
	s.closeFiles()
	f, err := os.Open(s.path)
	if err != nil {
		return fileError("repair store", s.path, err)
	}
	defer f.Close()
	if found, err = s.repair(f); err != nil {
		return err
	}
	return s.load(found)
}

// Report tells what Open found and did.
func (s *Store) Report() Report { return s.report }

// Get implements hostfuncs.Store.
func (s *Store) Get(ctx context.Context, bank string, keys [][]byte) ([][]byte, string, error) {
	if err := hostfuncs.CheckGet(bank, keys); err != nil {
		return nil, "", err
	}
	if err := s.readable(ctx, "get"); err != nil {
		return nil, "", err
	}
	return s.banks.Find(bank).Get(keys)
}

// Scan implements hostfuncs.Store.
func (s *Store) Scan(ctx context.Context, bank string, prefix, after []byte, limit int) (hostfuncs.Page, error) {
	limit, err := hostfuncs.CheckScan(bank, prefix, after, limit)
	if err != nil {
		return hostfuncs.Page{}, err
	}
	if err := s.readable(ctx, "scan"); err != nil {
		return hostfuncs.Page{}, err
	}
	return s.banks.Find(bank).Scan(prefix, after, limit), nil
}

// Banks implements hostfuncs.Store.
func (s *Store) Banks(ctx context.Context, after string, limit int) ([]string, bool, error) {
	limit, err := hostfuncs.CheckBanks(after, limit)
	if err != nil {
		return nil, false, err
	}
	if err := s.readable(ctx, "list banks"); err != nil {
		return nil, false, err
	}
	names, more := s.banks.Names(after, limit)
	return names, more, nil
}

func (s *Store) readable(ctx context.Context, doing string) error {
	if err := hostfuncs.ContextError(ctx, doing); err != nil {
		return err
	}
	select {
	case <-s.stop:
		return effect.Errorf(effect.StoreFailed, "%s: the store is closed", doing)
	default:
		return nil
	}
}

// Close syncs, closes the file and lets the next process in.
func (s *Store) Close() error {
	s.turn <- struct{}{}
	if s.closed {
		<-s.turn
		return nil
	}
	s.closed = true
	close(s.stop)
	s.lead() // whoever still waits is told that the store is closed
	<-s.turn
	s.work.Wait()
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	var err error
	if s.broken == nil {
		err = s.sync()
	}
	s.closeFiles()
	s.banks.Replace(&view.Banks{})
	if s.lock == nil { // open for reading only
		return nil
	}
	if e := s.lock.Unlock(); err == nil && e != nil {
		err = fileError("close store", s.path, e)
	}
	return err
}

func (s *Store) closeFiles() {
	if s.db != nil {
		s.db.Close()
		s.db = nil
	}
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

// sync brings everything to the disk and only then erases what is dead: an
// erasure that outlives the commit which made the value dead would lose it.
func (s *Store) sync() error {
	if err := s.hit("sync"); err != nil {
		return s.breakWith("sync", err)
	}
	if err := s.file.Sync(); err != nil {
		return s.breakWith("sync", err)
	}
	s.dirty = false
	return s.erase()
}

// erase overwrites the dead values that are due where they stand in the file.
func (s *Store) erase() error {
	if err := s.hit("erase"); err != nil {
		return s.breakWith("erase", err)
	}
	for _, it := range s.dead[:s.due] {
		for at, left := it.At, int64(len(it.Value)); left > 0; {
			n := min(left, int64(len(fill)))
			if _, err := s.file.WriteAt(fill[:n], at); err != nil {
				return s.breakWith("erase deleted values", err)
			}
			at, left = at+n, left-n
		}
	}
	s.dead, s.due = s.dead[s.due:], 0
	return nil
}

// filler stands for what was erased. It is not zero, so that an erased value is
// told from one that a crash left unwritten.
const filler = 0xE5

var fill = bytes.Repeat([]byte{filler}, 64<<10)

func erased(value string) bool {
	for i := range len(value) {
		if value[i] != filler {
			return false
		}
	}
	return true
}

func (s *Store) syncEverySecond() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		s.turn <- struct{}{}
		if s.dirty && s.broken == nil {
			s.sync() // a failure stays in s.broken and meets the next commit
		}
		<-s.turn
	}
}

// breakWith ends writing: after a failed sync nobody knows what is on the disk.
func (s *Store) breakWith(doing string, err error) error {
	s.broken = fmt.Errorf("%w; close the store and open it again", fileError(doing, s.path, err))
	return s.broken
}

func (s *Store) hit(point string) error {
	if s.fail == nil {
		return nil
	}
	return s.fail(point)
}
