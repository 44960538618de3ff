package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

func testAbsent(t *testing.T, m Maker) {
	s := m.New(t)
	wantValues(t, s, "none", "", "k", "∅")
	if got := scanAll(t, s, "none", "", 0); len(got) != 0 {
		t.Fatalf("scan gave %d entries", len(got))
	}
	if got := allBanks(t, s, 0); len(got) != 0 {
		t.Fatalf("banks %q", got)
	}
	mustConflict(t, s, "none", "v1", "v2", "", put("k", "x"))
	wantValues(t, s, "none", "", "k", "∅")
}

func testCompareAndSet(t *testing.T, m Maker) {
	s := m.New(t)
	mustCommit(t, s, "b", "", "v1", put("k", "1"))
	mustConflict(t, s, "b", "", "v9", "v1", put("k", "9"))
	mustConflict(t, s, "b", "v0", "v9", "v1", put("k", "9"))
	mustCommit(t, s, "b", "v1", "v2", put("k", "2"))
	mustConflict(t, s, "b", "v1", "v9", "v2", put("k", "9"))
	mustConflict(t, s, "b", "v1", "", "v2")
	wantValues(t, s, "b", "v2", "k", "2")
	mustCommit(t, s, "b", "v2", "v3") // a commit without writes still moves the version
	wantValues(t, s, "b", "v3", "k", "2")
}

func testEmptyValue(t *testing.T, m Maker) {
	s := m.New(t)
	mustCommit(t, s, "b", "", "v1", put("empty", ""), effect.Write{Key: []byte("nil")}, put("k", "x"))
	wantValues(t, s, "b", "v1", "empty", "", "nil", "", "absent", "∅", "k", "x")
	mustCommit(t, s, "b", "v1", "v2", put("k", ""), del("empty"), del("absent"), del("nil"))
	wantValues(t, s, "b", "v2", "empty", "∅", "k", "")
	if err := same(scanAll(t, s, "b", "", 0), []effect.Entry{{Key: []byte("k"), Value: []byte{}}}); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, s, "b", "v2", "v3", del("k"))
	wantValues(t, s, "b", "v3", "k", "∅") // a bank without entries is still a bank
	if got := allBanks(t, s, 0); len(got) != 1 {
		t.Fatalf("banks %q", got)
	}
}

func testAtomic(t *testing.T, m Maker) {
	s := m.New(t)
	mustCommit(t, s, "b", "", "v1", put("a", "1"), put("b", "1"), put("c", "1"))
	_, _, err := s.Commit(ctx, "b", "v1", "v2", []effect.Write{put("a", "2"), put("", "2")})
	wantCode(t, "commit an empty key", err, effect.InvalidArgument)
	_, _, err = s.Commit(ctx, "b", "v1", "v2", []effect.Write{put("a", "2"), put("b", "2"), del("a")})
	wantCode(t, "commit a key twice", err, effect.InvalidArgument)
	wantValues(t, s, "b", "v1", "a", "1", "b", "1", "c", "1")
	mustConflict(t, s, "b", "vX", "v2", "v1", put("a", "2"), del("b"))
	wantValues(t, s, "b", "v1", "a", "1", "b", "1", "c", "1")
	mustCommit(t, s, "b", "v1", "v2", put("a", "2"), del("b"), put("d", "2"))
	wantValues(t, s, "b", "v2", "a", "2", "b", "∅", "c", "1", "d", "2")
}

// awkward are strings that escaping, collation, globbing and splitting get wrong.
var awkward = []string{
	"a", "a-b/ü", "a/b", "a\x00b", "\x00", "\xff\xfe", "a}b{c", "{a}", "a:b", "a*?[", `C:\tmp | a/b -x "q"`, "'; drop table kv; --",
	"\r\n$3\r\nset\r\n", "我每天", "\u00e9", "e\u0301", "A", "a ", " a", "%61", "\\x61", "\x80", strings.Repeat("z", 256),
}

func testBinary(t *testing.T, m Maker) {
	s := m.New(t)
	for i, bank := range awkward {
		var writes []effect.Write
		for j, key := range awkward {
			writes = append(writes, put(key, fmt.Sprintf("%d/%d/%s", i, j, key)))
		}
		mustCommit(t, s, bank, "", "v\x00\xffü"[:2], writes...)
	}
	for i, bank := range awkward {
		var pairs []string
		for j, key := range awkward {
			pairs = append(pairs, key, fmt.Sprintf("%d/%d/%s", i, j, key))
		}
		wantValues(t, s, bank, "v\x00", pairs...)
		if got := scanAll(t, s, bank, "", 3); len(got) != len(awkward) {
			t.Fatalf("scan %q: %d entries, want %d", bank, len(got), len(awkward))
		}
	}
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	mustCommit(t, s, "bytes", "", "v", put(string(all), string(all)))
	wantValues(t, s, "bytes", "v", string(all), string(all))
	want := append(slices.Clone(awkward), "bytes")
	sort.Strings(want)
	if got := allBanks(t, s, 4); !slices.Equal(got, want) {
		t.Fatalf("banks %q, want %q", got, want)
	}
}

func testScan(t *testing.T, m Maker) {
	s := m.New(t)
	keys := []string{"a", "a\x00", "a\x00b", "a\x01", "aa", "ab", "a\xff", "a\xff\xff", "b", "B", "\xff", "\xff\xff", "\xff\xff\x01", "\x00", "ü"}
	var writes []effect.Write
	for _, k := range keys {
		writes = append(writes, put(k, "v"+k))
	}
	mustCommit(t, s, "b", "", "v1", writes...)
	sort.Strings(keys)
	for _, prefix := range []string{"", "a", "a\x00", "a\xff", "\xff", "\xff\xff", "b", "zz", "ü"} {
		var want []effect.Entry
		for _, k := range keys {
			if strings.HasPrefix(k, prefix) {
				want = append(want, effect.Entry{Key: []byte(k), Value: []byte("v" + k)})
			}
		}
		for _, limit := range []int{0, 1, 2, 3, len(want), 10_000_000} {
			if err := same(scanAll(t, s, "b", prefix, limit), want); err != nil {
				t.Fatalf("scan prefix %q, limit %d: %v", prefix, limit, err)
			}
		}
	}
	p, err := s.Scan(ctx, "b", []byte("a"), []byte("zz"), 0)
	if err != nil || len(p.Entries) != 0 || p.More || p.Version != "v1" {
		t.Fatalf("scan beyond the prefix: %+v, %v", p, err)
	}
	p, err = s.Scan(ctx, "b", []byte("b"), []byte("a"), 0)
	if err != nil || len(p.Entries) != 1 || p.More {
		t.Fatalf("scan from before the prefix: %+v, %v", p, err)
	}
}

func testPageBytes(t *testing.T, m Maker) {
	s := m.New(t)
	value := bytes.Repeat([]byte("0123456789abcdef"), hostfuncs.PageBytes/4/16)
	for i := range 6 {
		writes := []effect.Write{{Key: fmt.Appendf(nil, "k%d", i), Value: value}}
		mustCommit(t, s, "b", versionOf(i), versionOf(i+1), writes...)
	}
	p, err := s.Scan(ctx, "b", nil, nil, 0)
	if err != nil || len(p.Entries) == 0 || len(p.Entries) > 4 || !p.More {
		t.Fatalf("a page holds %d entries of a quarter of the page each, more %v, %v", len(p.Entries), p.More, err)
	}
	if got := scanAll(t, s, "b", "", 0); len(got) != 6 || !bytes.Equal(got[5].Value, value) {
		t.Fatalf("%d entries, want 6", len(got))
	}
}

func versionOf(i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprintf("v%d", i)
}

func testIsolation(t *testing.T, m Maker) {
	s := m.New(t)
	names := []string{"a", "a/", "a/b", "a:", "a\x00", "a\x00b", "A", "ab", "b"}
	for i, n := range names {
		mustCommit(t, s, n, "", "v", put("k", fmt.Sprint(i)), put("b", fmt.Sprint(i)), put("\x00b", fmt.Sprint(i)))
	}
	mustCommit(t, s, "a", "v", "")
	mustCommit(t, s, "a/b", "v", "w", del("k"), del("b"))
	if err := s.DropBank(ctx, "a\x00"); err != nil {
		t.Fatal(err)
	}
	for i, n := range names {
		switch n {
		case "a", "a\x00":
			wantValues(t, s, n, "", "k", "∅", "b", "∅")
		case "a/b":
			wantValues(t, s, n, "w", "k", "∅", "b", "∅", "\x00b", fmt.Sprint(i))
		default:
			wantValues(t, s, n, "v", "k", fmt.Sprint(i), "b", fmt.Sprint(i), "\x00b", fmt.Sprint(i))
			if got := scanAll(t, s, n, "", 0); len(got) != 3 {
				t.Fatalf("scan %q: %d entries", n, len(got))
			}
		}
	}
}

func testBanks(t *testing.T, m Maker) {
	s := m.New(t)
	var want []string
	for i := range 300 {
		n := fmt.Sprintf("user/%d", i*7919%1000)
		want = append(want, n)
		mustCommit(t, s, n, "", "v")
	}
	sort.Strings(want)
	for _, limit := range []int{0, 1, 7, 299, 300, 301} {
		if got := allBanks(t, s, limit); !slices.Equal(got, want) {
			t.Fatalf("limit %d: %d banks, want %d", limit, len(got), len(want))
		}
	}
	page, more, err := s.Banks(ctx, "zzz", 0)
	if err != nil || more || len(page) != 0 {
		t.Fatalf("banks after the last: %q, %v, %v", page, more, err)
	}
}

func testRemove(t *testing.T, m Maker) {
	s := m.New(t)
	ok, current, err := s.Commit(ctx, "b", "", "", nil)
	if err != nil || !ok || current != "" {
		t.Fatalf("remove an absent bank: %v %q %v", ok, current, err)
	}
	mustCommit(t, s, "b", "", "v1", put("k", "1"), put("l", "1"))
	mustConflict(t, s, "b", "v0", "", "v1")
	mustCommit(t, s, "b", "v1", "")
	wantValues(t, s, "b", "", "k", "∅", "l", "∅")
	if got := allBanks(t, s, 0); len(got) != 0 {
		t.Fatalf("banks %q", got)
	}
	mustCommit(t, s, "b", "", "v1", put("k", "2")) // born again without its old entries
	wantValues(t, s, "b", "v1", "k", "2", "l", "∅")
	_, _, err = s.Commit(ctx, "b", "v1", "", []effect.Write{put("k", "3")})
	wantCode(t, "remove a bank and write to it", err, effect.InvalidArgument)
	_, _, err = s.Commit(ctx, "b", "v1", "v1", []effect.Write{put("k", "3")})
	wantCode(t, "commit the same version", err, effect.InvalidArgument)
}

func testDrop(t *testing.T, m Maker) {
	s := m.New(t)
	mustCommit(t, s, "b", "", "v1", put("k", "1"))
	for range 2 { // the second time there is nothing to drop
		if err := s.DropBank(ctx, "b"); err != nil {
			t.Fatal(err)
		}
		wantValues(t, s, "b", "", "k", "∅")
	}
	wantCode(t, "drop a bank without a name", s.DropBank(ctx, ""), effect.InvalidArgument)
}

func testRename(t *testing.T, m Maker) {
	s := m.New(t)
	mustCommit(t, s, "old\x00", "", "v1", put("k", "1"), put("l", ""))
	mustCommit(t, s, "other", "", "w1", put("k", "9"))
	wantCode(t, "rename to a taken name", s.RenameBank(ctx, "old\x00", "other"), effect.BankExists)
	wantCode(t, "rename an absent bank", s.RenameBank(ctx, "none", "new"), effect.BankNotFound)
	wantCode(t, "rename to the same name", s.RenameBank(ctx, "other", "other"), effect.InvalidArgument)
	wantCode(t, "rename to no name", s.RenameBank(ctx, "other", ""), effect.InvalidArgument)
	if err := s.RenameBank(ctx, "old\x00", "new/ü"); err != nil {
		t.Fatal(err)
	}
	wantValues(t, s, "new/ü", "v1", "k", "1", "l", "")
	wantValues(t, s, "old\x00", "", "k", "∅")
	wantValues(t, s, "other", "w1", "k", "9")
	mustCommit(t, s, "new/ü", "v1", "v2", put("k", "2"))
	mustCommit(t, s, "old\x00", "", "u1", put("m", "3"))
	wantValues(t, s, "old\x00", "u1", "k", "∅", "m", "3")
	wantValues(t, s, "new/ü", "v2", "k", "2", "m", "∅")
}

func testLimits(t *testing.T, m Maker) {
	s := m.New(t)
	long := strings.Repeat("k", hostfuncs.MaxKey)
	mustCommit(t, s, strings.Repeat("b", hostfuncs.MaxBank), "", strings.Repeat("v", hostfuncs.MaxVersion), put(long, "x"))
	wantValues(t, s, strings.Repeat("b", hostfuncs.MaxBank), strings.Repeat("v", hostfuncs.MaxVersion), long, "x")
	commit := func(bank, expected, version string, writes ...effect.Write) error {
		_, _, err := s.Commit(ctx, bank, expected, version, writes)
		return err
	}
	wantCode(t, "a long key", commit("b", "", "v", put(long+"k", "")), effect.TooLarge)
	wantCode(t, "no bank", commit("", "", "v"), effect.InvalidArgument)
	wantCode(t, "a long bank", commit(strings.Repeat("b", 257), "", "v"), effect.InvalidArgument)
	wantCode(t, "a long version", commit("b", "", strings.Repeat("v", 257)), effect.InvalidArgument)
	wantCode(t, "a big value", commit("b", "", "v", effect.Write{Key: []byte("k"), Value: make([]byte, hostfuncs.MaxValue+1)}), effect.TooLarge)
	wantCode(t, "many writes", commit("b", "", "v", make([]effect.Write, hostfuncs.MaxWrites+1)...), effect.TooLarge)
	wantCode(t, "a delete with a value", commit("b", "", "v", effect.Write{Key: []byte("k"), Value: []byte("x"), Delete: true}), effect.InvalidArgument)
	_, _, err := s.Get(ctx, "", nil)
	wantCode(t, "get from no bank", err, effect.InvalidArgument)
	_, _, err = s.Get(ctx, "b", keysOf(""))
	wantCode(t, "get an empty key", err, effect.InvalidArgument)
	_, err = s.Scan(ctx, "b", nil, nil, -1)
	wantCode(t, "scan -1", err, effect.InvalidArgument)
	_, _, err = s.Banks(ctx, "", -1)
	wantCode(t, "list -1", err, effect.InvalidArgument)
	wantValues(t, s, "b", "", "k", "∅")
}

func testOwnership(t *testing.T, m Maker) {
	s := m.New(t)
	k, v := []byte("k"), []byte("value")
	mustCommit(t, s, "b", "", "v1", effect.Write{Key: k, Value: v})
	k[0], v[0] = 'X', 'X'
	wantValues(t, s, "b", "v1", "k", "value", "X", "∅")
	values, _, err := s.Get(ctx, "b", keysOf("k"))
	if err != nil {
		t.Fatal(err)
	}
	values[0][0] = 'Y'
	p, err := s.Scan(ctx, "b", nil, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	p.Entries[0].Key[0], p.Entries[0].Value[0] = 'Z', 'Z'
	wantValues(t, s, "b", "v1", "k", "value")
}

func testCancelled(t *testing.T, m Maker) {
	s := m.New(t)
	mustCommit(t, s, "b", "", "v1", put("k", "1"))
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, _, err := s.Commit(done, "b", "v1", "v2", []effect.Write{put("k", "2")})
	wantCode(t, "a cancelled commit", err, effect.Canceled)
	_, _, err = s.Get(done, "b", keysOf("k"))
	wantCode(t, "a cancelled get", err, effect.Canceled)
	_, err = s.Scan(done, "b", nil, nil, 0)
	wantCode(t, "a cancelled scan", err, effect.Canceled)
	_, _, err = s.Banks(done, "", 0)
	wantCode(t, "a cancelled list", err, effect.Canceled)
	wantCode(t, "a cancelled drop", s.DropBank(done, "b"), effect.Canceled)
	wantCode(t, "a cancelled rename", s.RenameBank(done, "b", "c"), effect.Canceled)
	wantValues(t, s, "b", "v1", "k", "1")
}

func testBigValue(t *testing.T, m Maker) {
	s := m.New(t)
	size := m.BigValue
	if size == 0 {
		size = hostfuncs.MaxValue
	}
	big := make([]byte, size)
	for i := range big {
		big[i] = byte(uint32(i)*2654435761>>13) ^ byte(i>>8)
	}
	mustCommit(t, s, "b", "", "v1", effect.Write{Key: []byte("big"), Value: big}, put("k", "x"))
	if m.Reopen != nil {
		s = m.Reopen(t, s)
	}
	values, _, err := s.Get(ctx, "b", keysOf("big", "k"))
	if err != nil || !bytes.Equal(values[0], big) || string(values[1]) != "x" {
		t.Fatalf("get a value of %d bytes: %d bytes, %v", len(big), len(values[0]), err)
	}
}

func testManyWrites(t *testing.T, m Maker) {
	s := m.New(t)
	var writes []effect.Write
	for i := range hostfuncs.MaxWrites {
		writes = append(writes, put(fmt.Sprintf("k%05d", i), fmt.Sprint(i)))
	}
	mustCommit(t, s, "b", "", "v1", writes...)
	got := scanAll(t, s, "b", "", 0)
	if len(got) != len(writes) || string(got[777].Value) != "777" {
		t.Fatalf("%d entries, want %d", len(got), len(writes))
	}
	for i := range writes {
		writes[i] = effect.Write{Key: writes[i].Key, Delete: i%2 == 0, Value: map[bool][]byte{true: nil, false: []byte("y")}[i%2 == 0]}
	}
	mustCommit(t, s, "b", "v1", "v2", writes...)
	if got := scanAll(t, s, "b", "", 0); len(got) != len(writes)/2 || string(got[0].Value) != "y" {
		t.Fatalf("%d entries, want %d", len(got), len(writes)/2)
	}
}
