//go:build unix

package soak_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/llm/scripted"
	"github.com/leanmem/leanmem/hostfuncs/store/servertest"
)

// fleet is hosts that share nothing but a server.
func fleet(t *testing.T, n int, open func() hostfuncs.Store) (hosts []*host.Host) {
	t.Helper()
	for range n {
		h, err := host.Open(ctx, host.Config{Set: hostfuncs.Set{Store: open()}, Now: func() time.Time { return begin }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close() })
		hosts = append(hosts, h)
	}
	return hosts
}

// servers gives what a fleet shares: a PostgreSQL schema, a Redis prefix.
func servers(t *testing.T) map[string]func() hostfuncs.Store {
	_, dsn := servertest.Postgres(t)
	_, addr := servertest.Redis(t, "--appendonly", "yes", "--appendfsync", "always")
	return map[string]func() hostfuncs.Store{
		"postgres": func() hostfuncs.Store { return openPostgres(t, dsn, "fleet") },
		"redis":    func() hostfuncs.Store { return openRedis(t, addr, "fleet") },
	}
}

func oneTurn(session, id, text string) []core.InputSession {
	return []core.InputSession{{ID: session, Time: "2026-03-01T09:00:00Z", Close: true, Turns: []core.InputTurn{{ID: id, Speaker: "Ana", Text: text}}}}
}

// TestAFleetServesTheSameBanks: clients write through one of three hosts and
// read at once through another. Every write succeeds, however many writers a
// bank has, and what a client wrote it finds wherever it asks.
func TestAFleetServesTheSameBanks(t *testing.T) {
	for name, open := range servers(t) {
		t.Run(name, func(t *testing.T) {
			hosts := fleet(t, 3, open)
			const clients, banks = 6, 2
			each := choose(12, 100)
			var wg sync.WaitGroup
			var stale atomic.Int64
			for c := range clients {
				wg.Go(func() {
					bank := fmt.Sprintf("shared%d", c%banks)
					for i := range each {
						token := letters(1 + c + clients*i)
						write, read := hosts[(c+i)%3].Bank(bank), hosts[(c+i+1)%3].Bank(bank)
						if _, err := write.Add(ctx, oneTurn(fmt.Sprintf("s%d.%d", c, i), fmt.Sprintf("%d.%d", c, i), "I moved to "+token+" last week.")...); err != nil {
							t.Errorf("client %d, add %d: %v", c, i, err)
							return
						}
						found, err := read.Search(ctx, "Who moved to "+token+"?")
						if err != nil || !strings.Contains(found.Text, token) {
							stale.Add(1)
							t.Errorf("client %d reads its write %d stale: %v\n%s", c, i, err, found.Text)
						}
					}
				})
			}
			wg.Wait()
			for b := range banks {
				wantAll(t, hosts, fmt.Sprintf("shared%d", b), clients/banks*each)
			}
		})
	}
}

// wantAll checks that every host shows the same bank with so many turns, each
// once and each made a memory.
func wantAll(t *testing.T, hosts []*host.Host, bank string, turns int) {
	t.Helper()
	first := ""
	for i, h := range hosts {
		w := &writer{Host: h}
		lines := w.export(t, bank)
		got := text(t, lines)
		if i == 0 {
			first = got
		}
		if got != first {
			t.Errorf("%s: hosts show different banks", bank)
		}
		ids, derived := map[string]bool{}, map[string]bool{}
		n := 0
		for _, l := range lines {
			if l.Turn != nil {
				n++
				ids[l.Turn.ID] = true
			}
			if l.Memory != nil {
				for _, s := range l.Memory.Sources {
					derived[s] = true
				}
			}
		}
		if n != turns || len(ids) != turns || len(derived) != turns {
			t.Errorf("%s: %d turns of %d ids, %d of them in memories, want %d", bank, n, len(ids), len(derived), turns)
		}
	}
}

// TestADroppedBankIsGoneOnEveryHost: another host has it cached, and it is born
// again under its name.
func TestADroppedBankIsGoneOnEveryHost(t *testing.T) {
	for name, open := range servers(t) {
		t.Run(name, func(t *testing.T) {
			hosts := fleet(t, 2, open)
			a, b := hosts[0].Bank("reborn"), hosts[1].Bank("reborn")
			for i := range 5 {
				old, fresh := letters(100+i), letters(200+i)
				if _, err := a.Add(ctx, oneTurn("s", "1", "I love "+old+".")...); err != nil {
					t.Fatal(err)
				}
				if r, err := b.Search(ctx, "Who loves "+old+"?"); err != nil || !strings.Contains(r.Text, old) {
					t.Fatal(r.Text, err)
				}
				if _, err := a.Drop(ctx); err != nil {
					t.Fatal(err)
				}
				if r, err := b.Search(ctx, "Who loves "+old+"?"); !effect.HasCode(err, effect.BankNotFound) {
					t.Fatal(r.Text, err)
				}
				if _, err := a.Add(ctx, oneTurn("s", "1", "I love "+fresh+".")...); err != nil {
					t.Fatal(err)
				}
				if r, err := b.Search(ctx, "Who loves what?"); err != nil || !strings.Contains(r.Text, fresh) || strings.Contains(r.Text, old) {
					t.Fatalf("%v\n%s", err, r.Text)
				}
				if _, err := b.Drop(ctx); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestManyGoroutinesInOneHost floods one bank of a file while others go on, and
// shuts down in the midst: what was acknowledged is in the file, and every call
// ended with a result, busy or unavailable.
func TestManyGoroutinesInOneHost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	store := openFile(t, path)
	h, err := host.Open(ctx, host.Config{
		Set: hostfuncs.Set{Store: store}, Instances: 2, Flows: 8, Calls: 120, BankCalls: 60, Now: func() time.Time { return begin },
	})
	if err != nil {
		t.Fatal(err)
	}
	f := &flood{t: t, h: h, acked: map[string][]string{}}
	var wg sync.WaitGroup
	for c := range 100 { // a hundred at once on one bank
		wg.Go(func() {
			for i := 0; f.add("flood", c, i); i++ {
			}
		})
	}
	for c := range 10 {
		wg.Go(func() {
			for i := 0; f.add(fmt.Sprintf("calm%d", c), 100+c, i); i++ {
			}
		})
	}
	time.Sleep(time.Duration(choose(2, 20)) * time.Second)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d adds to the flooded bank, %d busy, %d refused at the end; calm banks %d, slowest %v",
		len(f.acked["flood"]), f.busy, f.refused, len(f.acked["calm0"]), f.slowest)
	wantAcked(t, newWriter(t, openFile(t, path)), f.acked)
	if f.busy == 0 {
		t.Error("nobody was told that the host is busy")
	}
	if f.slowest > 5*time.Second {
		t.Errorf("a bank waited %v for another's flood", f.slowest)
	}
}

// flood counts what became of adds.
type flood struct {
	t *testing.T
	h *host.Host

	mu            sync.Mutex
	acked         map[string][]string // ids by bank
	busy, refused int
	slowest       time.Duration // of a bank that is not flooded
}

// add adds a turn and tells whether the host still takes any.
func (f *flood) add(bank string, client, i int) bool {
	id := fmt.Sprintf("%d.%d", client, i)
	start := time.Now()
	_, err := f.h.Bank(bank).Add(ctx, oneTurn("s"+id, id, "I moved to "+letters(1+client+1000*i)+" last week.")...)
	if effect.HasCode(err, effect.Busy) {
		time.Sleep(10 * time.Millisecond) // as a client should
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err == nil:
		f.acked[bank] = append(f.acked[bank], id)
		if bank != "flood" {
			f.slowest = max(f.slowest, time.Since(start))
		}
	case effect.HasCode(err, effect.Busy):
		f.busy++
	case effect.HasCode(err, effect.Unavailable), effect.HasCode(err, effect.Canceled):
		f.refused++
		return false
	default:
		f.t.Errorf("add to %s: %v", bank, err)
	}
	return true
}

// wantAcked checks that every acknowledged turn is there once.
func wantAcked(t *testing.T, w *writer, acked map[string][]string) {
	t.Helper()
	for bank, ids := range acked {
		there := map[string]int{}
		for _, l := range w.export(t, bank) {
			if l.Turn != nil {
				there[l.Turn.Source]++
			}
		}
		for _, id := range ids {
			if there[id] != 1 {
				t.Errorf("%s: turn %s is there %d times", bank, id, there[id])
			}
		}
	}
}

// TestNoInstanceIsHeldDuringAModelCall: with one instance, a bank is written
// and read while the model is asked about it and about others.
func TestNoInstanceIsHeldDuringAModelCall(t *testing.T) {
	asked, release := make(chan struct{}, 100), make(chan struct{})
	model := scripted.New(scripted.Rule{Answer: func(effect.Prompt) string {
		asked <- struct{}{}
		<-release
		return `{"segments":[]}`
	}})
	h, err := host.Open(ctx, host.Config{
		Set: hostfuncs.Set{Store: openBuntdb(t), LLM: model}, Instances: 1, Now: func() time.Time { return begin },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			long := "The lantern room of the old lighthouse smells of oil, and the keeper's log ends in the middle of a word about " + letters(i+1) + "."
			if _, err := h.Bank(fmt.Sprintf("b%d", i%5)).Add(ctx, oneTurn(fmt.Sprint("s", i), fmt.Sprint(i), long)...); err != nil {
				t.Error(err)
			}
		})
	}
	<-asked
	short, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for i := range 5 {
		r, err := h.List(short, core.ListRequest{Call: core.Call{Bank: "b0"}, Filter: mem.Filter{Kinds: []mem.Kind{mem.KindTurn}}})
		if err != nil && !effect.HasCode(err, effect.BankNotFound) {
			t.Fatal(err)
		}
		if _, err := h.Add(short, core.AddRequest{Call: core.Call{Bank: "b0"}, Defer: true, Sessions: oneTurn(fmt.Sprint("d", i), fmt.Sprint("d", i), "I love jazz.")}); err != nil {
			t.Fatal(err, len(r.Entries))
		}
	}
	close(release)
	wg.Wait()
	r, err := h.List(short, core.ListRequest{Call: core.Call{Bank: "b0"}, Filter: mem.Filter{Kinds: []mem.Kind{mem.KindTurn}}})
	if err != nil || r.Total != 7 || !slices.ContainsFunc(r.Entries, func(e core.Entry) bool { return strings.Contains(e.Text, "lantern") }) {
		t.Errorf("%d turns, %v", r.Total, err)
	}
}
