//go:build unix

package soak_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/host"
	"github.com/leanmem/leanmem/hostfuncs"
)

// begin is when the tests' clock starts.
var begin = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// writer is a host with caches of its own over a store that others use, too.
type writer struct {
	*host.Host
	store *unruly
}

func newWriter(t testing.TB, s hostfuncs.Store) *writer {
	t.Helper()
	u := &unruly{Store: s}
	h, err := host.Open(ctx, host.Config{Set: hostfuncs.Set{Store: u}, Instances: 1, Now: func() time.Time { return begin }})
	if err != nil {
		t.Fatal(err)
	}
	return &writer{h, u}
}

// export gives what a bank holds; none when there is no such bank.
func (w *writer) export(t testing.TB, bank string) (lines []core.ExportLine) {
	t.Helper()
	q := core.ExportRequest{Call: core.Call{Bank: bank}, Limit: 10_000}
	for {
		page, err := w.Export(ctx, q)
		if effect.HasCode(err, effect.BankNotFound) {
			return nil
		}
		if err != nil {
			t.Fatalf("export %q: %v", bank, err)
		}
		lines = append(lines, page.Lines...)
		if page.Next == "" {
			return lines
		}
		q.After = page.Next
	}
}

// text is an export as it is compared.
func text(t testing.TB, lines []core.ExportLine) string {
	t.Helper()
	var out []byte
	for _, l := range lines {
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, b...), '\n')
	}
	return string(out)
}

// unruly is a store that fails at one commit, or lets another writer in just
// before it.
type unruly struct {
	hostfuncs.Store
	mu      sync.Mutex
	left    int    // commits until it happens; 0: nothing will
	written bool   // the commit that fails takes place
	instead func() // what happens; nil: the store fails from then on
	failed  bool
	commits int // seen
}

// arm lets the n-th commit from now fail, before or after it took place.
func (u *unruly) arm(n int, written bool) { u.left, u.written, u.instead = n, written, nil }

// meet lets do happen just before the n-th commit from now.
func (u *unruly) meet(n int, do func()) { u.left, u.instead = n, do }

func (u *unruly) disarm() { u.left, u.instead = 0, nil }

var errUnruly = effect.Retryf(effect.StoreFailed, "the store is made to fail")

func (u *unruly) Commit(ctx context.Context, bank, expected, version string, writes []effect.Write) (bool, string, error) {
	u.mu.Lock()
	u.commits++
	now := false
	if u.left > 0 {
		u.left--
		now = u.left == 0
	}
	do, failed := u.instead, u.failed
	if now && do == nil {
		u.failed = true
	}
	u.mu.Unlock()
	switch {
	case now && do != nil:
		do()
	case now && u.written:
		u.Store.Commit(ctx, bank, expected, version, writes)
		return false, "", errUnruly
	case now || failed:
		return false, "", errUnruly
	}
	return u.Store.Commit(ctx, bank, expected, version, writes)
}

func (u *unruly) Get(ctx context.Context, bank string, keys [][]byte) ([][]byte, string, error) {
	u.mu.Lock()
	failed := u.failed
	u.mu.Unlock()
	if failed {
		return nil, "", errUnruly
	}
	return u.Store.Get(ctx, bank, keys)
}
