package storetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// testWriters lets writers append to a list under compare-and-set: every
// acknowledged append must be in it once, however they interleave.
func testWriters(t *testing.T, m Maker) {
	s := m.New(t)
	const writers, each = 6, 15
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := appendOnce(s, fmt.Sprintf("bank%d", w%2), fmt.Sprintf("%d.%d", w, i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	for b := range 2 {
		values, version, err := s.Get(ctx, fmt.Sprintf("bank%d", b), keysOf("list"))
		if err != nil {
			t.Fatal(err)
		}
		items := strings.Fields(string(values[0]))
		sort.Strings(items)
		if n := len(slices.Compact(items)); n != writers/2*each {
			t.Errorf("bank%d holds %d of %d appends", b, n, writers/2*each)
		}
		if !strings.HasSuffix(version, fmt.Sprintf("#%d", writers/2*each)) {
			t.Errorf("bank%d: version %s after %d commits", b, version, writers/2*each)
		}
	}
}

func appendOnce(s hostfuncs.Store, bank, item string) error {
	for {
		values, version, err := s.Get(ctx, bank, keysOf("list"))
		if err != nil {
			return err
		}
		n := 0
		if _, after, ok := strings.Cut(version, "#"); ok {
			n, _ = strconv.Atoi(after)
		}
		next := fmt.Sprintf("%s#%d", item, n+1)
		ok, current, err := s.Commit(ctx, bank, version, next, []effect.Write{put("list", string(values[0])+item+" "), put("last", item)})
		if err != nil {
			return err
		}
		if ok {
			return nil
		}
		if current == version {
			return fmt.Errorf("a conflict names the version %q that was expected", current)
		}
	}
}

// testReaders checks that no reader sees half of a commit, in a get or a scan.
func testReaders(t *testing.T, m Maker) {
	s := m.New(t)
	const keys, commits = 20, 40
	writes := func(i int) (out []effect.Write) {
		for k := range keys {
			out = append(out, put(fmt.Sprintf("k%02d", k), versionOf(i)))
		}
		return out
	}
	mustCommit(t, s, "b", "", "v1", writes(1)...)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				p, err := s.Scan(ctx, "b", nil, nil, 0)
				if err != nil || len(p.Entries) != keys {
					t.Errorf("scan: %d entries, %v", len(p.Entries), err)
					return
				}
				for _, e := range p.Entries {
					if string(e.Value) != p.Version {
						t.Errorf("scan at %s shows a value of %s", p.Version, e.Value)
						return
					}
				}
				values, version, err := s.Get(ctx, "b", keysOf("k00", "k19"))
				if err != nil || string(values[0]) != version || string(values[1]) != version {
					t.Errorf("get at %s shows %s and %s, %v", version, values[0], values[1], err)
					return
				}
			}
		})
	}
	for i := 1; i < commits; i++ {
		mustCommit(t, s, "b", versionOf(i), versionOf(i+1), writes(i+1)...)
	}
	close(stop)
	wg.Wait()
}

func testReopen(t *testing.T, m Maker) {
	if m.Reopen == nil {
		t.Skip("the store lives as long as its process")
	}
	s := m.New(t)
	mustCommit(t, s, "a-b/ü", "", "v1", put("k", "1"), put("gone", "1"), put("empty", ""))
	mustCommit(t, s, "a-b/ü", "v1", "v2", put("k", "2"), del("gone"))
	mustCommit(t, s, "dropped", "", "v1", put("k", "1"))
	mustCommit(t, s, "removed", "", "v1", put("k", "1"))
	mustCommit(t, s, "old", "", "v1", put("k", "1"))
	mustCommit(t, s, "bare\x00", "", "v1")
	mustCommit(t, s, "removed", "v1", "")
	if err := s.DropBank(ctx, "dropped"); err != nil {
		t.Fatal(err)
	}
	if err := s.RenameBank(ctx, "old", "new"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s = m.Reopen(t, s)
		wantValues(t, s, "a-b/ü", "v2", "k", "2", "gone", "∅", "empty", "")
		wantValues(t, s, "dropped", "", "k", "∅")
		wantValues(t, s, "new", "v1", "k", "1")
		if got := allBanks(t, s, 0); !slices.Equal(got, []string{"a-b/ü", "bare\x00", "new"}) {
			t.Fatalf("banks %q", got)
		}
	}
	mustCommit(t, s, "a-b/ü", "v2", "v3", put("k", "3"))
	mustConflict(t, s, "a-b/ü", "v2", "v4", "v3", put("k", "4"))
	s = m.Reopen(t, s)
	wantValues(t, s, "a-b/ü", "v3", "k", "3")
}

// testModel compares random operations with a plain map of maps. LEANMEM_SEED
// repeats a run.
func testModel(t *testing.T, m Maker) {
	seed := uint64(time.Now().UnixNano())
	if v := os.Getenv("LEANMEM_SEED"); v != "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			t.Fatalf("LEANMEM_SEED: %v", err)
		}
		seed = n
	}
	t.Logf("LEANMEM_SEED=%d", seed)
	n := m.Operations
	if n == 0 {
		n = 3000
	}
	r := &model{t: t, m: m, s: m.New(t), rnd: rand.New(rand.NewPCG(seed, 1)), banks: map[string]*modelBank{}}
	for i := range n {
		r.step(i)
	}
	r.compare()
	if m.Reopen != nil {
		r.s = m.Reopen(t, r.s)
		r.compare()
	}
}

type modelBank struct {
	version string
	entries map[string]string
}

type model struct {
	t     *testing.T
	m     Maker
	s     hostfuncs.Store
	rnd   *rand.Rand
	banks map[string]*modelBank
}

func (r *model) bank() string { return []string{"a", "a/", "a\x00", "ü", "b"}[r.rnd.IntN(5)] }

func (r *model) key() string {
	parts := []string{"a", "b", "\x00", "\xff", "/", "ü", "k1"}
	k := parts[r.rnd.IntN(len(parts))]
	for r.rnd.IntN(3) > 0 {
		k += parts[r.rnd.IntN(len(parts))]
	}
	return k
}

func (r *model) step(i int) {
	name := r.bank()
	b := r.banks[name]
	version := ""
	if b != nil {
		version = b.version
	}
	switch r.rnd.IntN(20) {
	case 0:
		r.drop(name, version)
	case 1:
		r.rename(name, r.bank())
	case 2:
		r.get(name)
	case 3, 4:
		r.scan(name)
	case 5:
		if r.m.Reopen != nil && r.rnd.IntN(20) == 0 {
			r.s = r.m.Reopen(r.t, r.s)
		}
	case 6:
		mustConflict(r.t, r.s, name, version+"?", "never", version, put(r.key(), "never"))
	default:
		r.commit(name, version, i)
	}
}

func (r *model) commit(name, version string, i int) {
	next := fmt.Sprintf("v%d", i+1)
	b := r.banks[name]
	if b == nil {
		b = &modelBank{entries: map[string]string{}}
	}
	seen := map[string]bool{}
	var writes []effect.Write
	for range r.rnd.IntN(6) {
		k := r.key()
		if seen[k] {
			continue
		}
		seen[k] = true
		if r.rnd.IntN(3) == 0 {
			writes = append(writes, del(k))
			delete(b.entries, k)
			continue
		}
		v := strings.Repeat(fmt.Sprint(r.rnd.IntN(1000)), r.rnd.IntN(40))
		writes = append(writes, put(k, v))
		b.entries[k] = v
	}
	mustCommit(r.t, r.s, name, version, next, writes...)
	b.version = next
	r.banks[name] = b
}

func (r *model) drop(name, version string) {
	delete(r.banks, name)
	if r.rnd.IntN(2) == 0 {
		mustCommit(r.t, r.s, name, version, "")
	} else if err := r.s.DropBank(ctx, name); err != nil {
		r.t.Fatalf("drop %q: %v", name, err)
	}
}

func (r *model) rename(from, to string) {
	err := r.s.RenameBank(ctx, from, to)
	switch {
	case from == to:
		wantCode(r.t, "rename to itself", err, effect.InvalidArgument)
	case r.banks[from] == nil:
		wantCode(r.t, "rename nothing", err, effect.BankNotFound)
	case r.banks[to] != nil:
		wantCode(r.t, "rename onto another", err, effect.BankExists)
	case err != nil:
		r.t.Fatalf("rename %q to %q: %v", from, to, err)
	default:
		r.banks[to] = r.banks[from]
		delete(r.banks, from)
	}
}

func (r *model) get(name string) {
	var keys []string
	for range 5 {
		keys = append(keys, r.key())
	}
	values, _, err := r.s.Get(ctx, name, keysOf(keys...))
	if err != nil {
		r.t.Fatal(err)
	}
	for i, k := range keys {
		want, ok := "", false
		if b := r.banks[name]; b != nil {
			want, ok = b.entries[k]
		}
		if ok != (values[i] != nil) || !bytes.Equal(values[i], []byte(want)) {
			r.t.Fatalf("get %q from %q: %q, want %q (%v)", k, name, values[i], want, ok)
		}
	}
}

func (r *model) scan(name string) {
	prefix := ""
	if r.rnd.IntN(2) == 0 {
		prefix = r.key()
	}
	if err := same(scanAll(r.t, r.s, name, prefix, r.rnd.IntN(4)), r.want(name, prefix)); err != nil {
		r.t.Fatalf("scan %q, prefix %q: %v", name, prefix, err)
	}
}

func (r *model) want(name, prefix string) (out []effect.Entry) {
	b := r.banks[name]
	if b == nil {
		return nil
	}
	for k, v := range b.entries {
		if strings.HasPrefix(k, prefix) {
			out = append(out, effect.Entry{Key: []byte(k), Value: []byte(v)})
		}
	}
	sort.Slice(out, func(i, j int) bool { return bytes.Compare(out[i].Key, out[j].Key) < 0 })
	return out
}

func (r *model) compare() {
	var names []string
	for n, b := range r.banks {
		names = append(names, n)
		wantValues(r.t, r.s, n, b.version)
		if err := same(scanAll(r.t, r.s, n, "", 0), r.want(n, "")); err != nil {
			r.t.Fatalf("bank %q: %v", n, err)
		}
	}
	sort.Strings(names)
	if got := allBanks(r.t, r.s, 0); !slices.Equal(got, names) {
		r.t.Fatalf("banks %q, want %q", got, names)
	}
}
