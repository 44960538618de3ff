// Package storetest is the one suite that every store passes. A store that
// passes it may serve banks; what it cannot show (a crash, a full disk) each
// store tests beside its own code.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// Maker gives stores to the suite.
type Maker struct {
	// New opens an empty store that is closed when the test ends.
	New func(t testing.TB) hostfuncs.Store
	// Reopen closes a store that New gave and opens what it left. nil: the
	// store does not outlive its process.
	Reopen func(t testing.TB, s hostfuncs.Store) hostfuncs.Store
	// Operations of the comparison with a model; 0: 3,000.
	Operations int
	// BigValue is the size of the largest value tried, in bytes; 0: 64 MB.
	BigValue int
}

// Run runs the suite.
func Run(t *testing.T, m Maker) {
	tests := []struct {
		name string
		run  func(t *testing.T, m Maker)
	}{
		{"an absent bank is empty", testAbsent},
		{"a commit takes place only on the expected version", testCompareAndSet},
		{"an empty value is not an absent one", testEmptyValue},
		{"a commit writes all or nothing", testAtomic},
		{"keys, values and bank names are any bytes", testBinary},
		{"keys come in byte order, page by page", testScan},
		{"a page ends at its size in bytes", testPageBytes},
		{"banks do not touch each other", testIsolation},
		{"bank names are listed page by page", testBanks},
		{"version \"\" removes a bank", testRemove},
		{"a bank is dropped", testDrop},
		{"a bank is renamed with its version", testRename},
		{"limits are checked", testLimits},
		{"slices are not shared", testOwnership},
		{"a cancelled call does nothing", testCancelled},
		{"a big value passes", testBigValue},
		{"many writes pass at once", testManyWrites},
		{"of many writers one wins each version", testWriters},
		{"readers see whole commits", testReaders},
		{"what was committed is there after reopening", testReopen},
		{"it agrees with a plain map", testModel},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, m) })
	}
}

var ctx = context.Background()

func put(key, value string) effect.Write {
	return effect.Write{Key: []byte(key), Value: []byte(value)}
}

func del(key string) effect.Write { return effect.Write{Key: []byte(key), Delete: true} }

func keysOf(keys ...string) [][]byte {
	out := make([][]byte, len(keys))
	for i, k := range keys {
		out[i] = []byte(k)
	}
	return out
}

func mustCommit(t testing.TB, s hostfuncs.Store, bank, expected, version string, writes ...effect.Write) {
	t.Helper()
	ok, current, err := s.Commit(ctx, bank, expected, version, writes)
	if err != nil || !ok || current != version {
		t.Fatalf("commit %q → %q on %q: ok %v, current %q, err %v", expected, version, bank, ok, current, err)
	}
}

func mustConflict(t testing.TB, s hostfuncs.Store, bank, expected, version, stands string, writes ...effect.Write) {
	t.Helper()
	ok, current, err := s.Commit(ctx, bank, expected, version, writes)
	if err != nil || ok || current != stands {
		t.Fatalf("commit %q → %q on %q: ok %v, current %q, err %v; want a conflict with %q", expected, version, bank, ok, current, err, stands)
	}
}

// wantValues checks keys and version of a bank. "∅" stands for an absent key.
func wantValues(t testing.TB, s hostfuncs.Store, bank, version string, pairs ...string) {
	t.Helper()
	var keys, want []string
	for i := 0; i < len(pairs); i += 2 {
		keys, want = append(keys, pairs[i]), append(want, pairs[i+1])
	}
	values, got, err := s.Get(ctx, bank, keysOf(keys...))
	if err != nil || got != version || len(values) != len(keys) {
		t.Fatalf("get from %q: %d values, version %q, err %v; want %d and version %q", bank, len(values), got, err, len(keys), version)
	}
	for i, v := range values {
		if (want[i] == "∅") != (v == nil) || (v != nil && string(v) != want[i]) {
			t.Fatalf("get %q from %q: %.60q (nil: %v), want %.60q", keys[i], bank, v, v == nil, want[i])
		}
	}
}

func scanAll(t testing.TB, s hostfuncs.Store, bank, prefix string, limit int) (entries []effect.Entry) {
	t.Helper()
	var after []byte
	for {
		p, err := s.Scan(ctx, bank, []byte(prefix), after, limit)
		if err != nil {
			t.Fatalf("scan %q: %v", bank, err)
		}
		if limit > 0 && len(p.Entries) > limit {
			t.Fatalf("scan %q: %d entries, limit %d", bank, len(p.Entries), limit)
		}
		if p.More && len(p.Entries) == 0 {
			t.Fatalf("scan %q: more after an empty page", bank)
		}
		entries = append(entries, p.Entries...)
		if !p.More {
			return entries
		}
		after = p.Entries[len(p.Entries)-1].Key
	}
}

func allBanks(t testing.TB, s hostfuncs.Store, limit int) (names []string) {
	t.Helper()
	after := ""
	for {
		page, more, err := s.Banks(ctx, after, limit)
		if err != nil {
			t.Fatalf("banks: %v", err)
		}
		if limit > 0 && len(page) > limit {
			t.Fatalf("banks: %d names, limit %d", len(page), limit)
		}
		names = append(names, page...)
		if !more {
			return names
		}
		if len(page) == 0 {
			t.Fatal("banks: more after an empty page")
		}
		after = page[len(page)-1]
	}
}

func wantCode(t testing.TB, doing string, err error, code effect.Code) {
	t.Helper()
	if !effect.HasCode(err, code) {
		t.Fatalf("%s: %v, want code %s", doing, err, code)
	}
}

func same(a, b []effect.Entry) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d entries, want %d", len(a), len(b))
	}
	for i := range a {
		if !bytes.Equal(a[i].Key, b[i].Key) || !bytes.Equal(a[i].Value, b[i].Value) {
			return fmt.Errorf("entry %d is %.40q=%.40q, want %.40q=%.40q", i, a[i].Key, a[i].Value, b[i].Key, b[i].Value)
		}
		if a[i].Value == nil {
			return errors.New("an entry has a nil value")
		}
	}
	return nil
}
