// Package memory is a store that lives as long as its process: for tests, for
// evaluation and for hosts that persist by export. It never blocks readers.
package memory

import (
	"context"
	"sync"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/internal/view"
)

// Store is a hostfuncs.Store in memory.
type Store struct {
	write sync.Mutex // held by a writer from its check of the version to its publication
	banks view.Banks
}

var _ hostfuncs.Store = (*Store)(nil)

// New returns an empty store.
func New() *Store { return &Store{} }

// Get implements hostfuncs.Store.
func (s *Store) Get(ctx context.Context, bank string, keys [][]byte) ([][]byte, string, error) {
	if err := hostfuncs.CheckGet(bank, keys); err != nil {
		return nil, "", err
	}
	if err := hostfuncs.ContextError(ctx, "get"); err != nil {
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
	if err := hostfuncs.ContextError(ctx, "scan"); err != nil {
		return hostfuncs.Page{}, err
	}
	return s.banks.Find(bank).Scan(prefix, after, limit), nil
}

// Commit implements hostfuncs.Store.
func (s *Store) Commit(ctx context.Context, bank, expected, version string, writes []effect.Write) (bool, string, error) {
	if err := hostfuncs.CheckCommit(bank, expected, version, writes); err != nil {
		return false, "", err
	}
	if err := hostfuncs.ContextError(ctx, "commit"); err != nil {
		return false, "", err
	}
	owned := view.Own(writes)
	s.write.Lock()
	defer s.write.Unlock()
	b := s.banks.Find(bank)
	if current := view.VersionOf(b); current != expected {
		return false, current, nil
	}
	var next *view.Bank
	if version != "" {
		next, _ = b.Next(version, owned)
	}
	s.banks.Publish(map[string]*view.Bank{bank: next})
	return true, version, nil
}

// Banks implements hostfuncs.Store.
func (s *Store) Banks(ctx context.Context, after string, limit int) ([]string, bool, error) {
	limit, err := hostfuncs.CheckBanks(after, limit)
	if err != nil {
		return nil, false, err
	}
	if err := hostfuncs.ContextError(ctx, "list banks"); err != nil {
		return nil, false, err
	}
	names, more := s.banks.Names(after, limit)
	return names, more, nil
}

// DropBank implements hostfuncs.Store.
func (s *Store) DropBank(ctx context.Context, bank string) error {
	if err := hostfuncs.CheckBank(bank); err != nil {
		return err
	}
	if err := hostfuncs.ContextError(ctx, "drop bank"); err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	s.banks.Publish(map[string]*view.Bank{bank: nil})
	return nil
}

// RenameBank implements hostfuncs.Store.
func (s *Store) RenameBank(ctx context.Context, from, to string) error {
	if err := hostfuncs.CheckRename(from, to); err != nil {
		return err
	}
	if err := hostfuncs.ContextError(ctx, "rename bank"); err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	b, err := view.Renamed(from, to, s.banks.Find)
	if err != nil {
		return err
	}
	s.banks.Publish(map[string]*view.Bank{from: nil, to: b})
	return nil
}

// Close implements hostfuncs.Store. The banks are gone with it.
func (s *Store) Close() error {
	s.write.Lock()
	defer s.write.Unlock()
	s.banks.Replace(&view.Banks{})
	return nil
}
