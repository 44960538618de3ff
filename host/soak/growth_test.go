//go:build unix

package soak_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
	"github.com/leanmem/leanmem/hostfuncs/store/servertest"
)

// scales is a store that weighs what goes through it.
type scales struct {
	hostfuncs.Store
	commits, bytes, read atomic.Int64
	took                 []time.Duration // of each commit
}

func (s *scales) Commit(ctx context.Context, bank, expected, version string, writes []effect.Write) (bool, string, error) {
	n := 0
	for _, w := range writes {
		n += len(w.Key) + len(w.Value)
	}
	s.commits.Add(1)
	s.bytes.Add(int64(n))
	start := time.Now()
	ok, current, err := s.Store.Commit(ctx, bank, expected, version, writes)
	s.took = append(s.took, time.Since(start))
	return ok, current, err
}

func (s *scales) Get(ctx context.Context, bank string, keys [][]byte) ([][]byte, string, error) {
	values, version, err := s.Store.Get(ctx, bank, keys)
	for _, v := range values {
		s.read.Add(int64(len(v)))
	}
	return values, version, err
}

func (s *scales) reset() {
	s.commits.Store(0)
	s.bytes.Store(0)
	s.read.Store(0)
	s.took = nil
}

// TestAnAddCostsTheSameInALargeBank grows a bank to 1,000 memories (100,000 in
// the long form) and weighs adds of one turn on the way.
func TestAnAddCostsTheSameInALargeBank(t *testing.T) {
	_, dsn := servertest.Postgres(t)
	_, addr := servertest.Redis(t, "--appendonly", "yes", "--appendfsync", "always")
	for _, k := range []struct {
		name string
		open func() hostfuncs.Store
	}{
		{"memory", func() hostfuncs.Store { return memory.New() }},
		{"buntdb", func() hostfuncs.Store { return openFile(t, filepath.Join(t.TempDir(), "memory.db")) }},
		{"postgres", func() hostfuncs.Store { return openPostgres(t, dsn, "growth") }},
		{"redis", func() hostfuncs.Store { return openRedis(t, addr, "growth") }},
	} {
		t.Run(k.name, func(t *testing.T) {
			s := &scales{Store: k.open()}
			h := newHost(t, s)
			g := &growth{t: t, w: &writer{Host: h}, s: s}
			least := 0.0
			for _, size := range []int{100, 1000, 10_000, 100_000}[:choose(2, 4)] {
				g.growTo(size)
				bytes := g.weigh(size)
				if least == 0 {
					least = bytes
				}
				if bytes > 4*least {
					t.Errorf("with %d memories an add writes %.0f bytes, with 100 %.0f", size, bytes, least)
				}
			}
		})
	}
}

type growth struct {
	t     *testing.T
	w     *writer
	s     *scales
	turns int
	added int
}

// growTo imports turns in sessions of twenty, and a memory of each turn.
func (g *growth) growTo(size int) {
	g.t.Helper()
	for g.turns < size {
		lines := []core.ExportLine{{Header: &core.ExportHeader{Format: core.ExportFormat}}}
		for range min(500, size-g.turns) {
			session, i := fmt.Sprint("grown", g.turns/20), g.turns%20
			if i == 0 {
				lines = append(lines, core.ExportLine{Session: &core.SessionLine{Name: session, Next: 20, Derived: 20, Closed: true}})
			}
			at := begin.Add(-time.Duration(100_000-g.turns) * time.Hour)
			text := fmt.Sprintf("We walked along the river near place%d and talked about item%d, the mill and its owner number %d.", g.turns%997, g.turns%1999, g.turns)
			turn := mem.Turn{Session: session, Seq: i, Speaker: "Ana", Role: mem.RolePeer, Time: at, Text: text, Source: fmt.Sprint("g", g.turns)}
			turn.ID = mem.TurnID(turn.Session, "id:"+turn.Source, turn.Speaker, at, text)
			record := mem.Memory{
				Kind: mem.KindRecord, Record: &mem.Record{Gist: text, Keywords: []string{"river", "mill"}},
				Sources: []string{turn.ID}, Session: turn.Session, Time: at,
			}
			record.ID = mem.MemoryID(mem.KindRecord, record.Sources, 0)
			lines = append(lines, core.ExportLine{Turn: &turn}, core.ExportLine{Memory: &record})
			g.turns++
		}
		if _, err := g.w.Import(ctx, core.ImportRequest{Call: core.Call{Bank: "big"}, Lines: lines}); err != nil {
			g.t.Fatal(err)
		}
	}
}

// weigh adds turns one by one and reports what each costs.
func (g *growth) weigh(size int) (bytesPerTurn float64) {
	g.t.Helper()
	const adds = 120
	var took []time.Duration
	g.s.reset()
	for range adds {
		g.added++
		start := time.Now()
		if _, err := g.w.Bank("big").Add(ctx, oneTurn(fmt.Sprint("a", g.added), fmt.Sprint("a", g.added), "I moved to "+letters(g.added)+" last week.")...); err != nil {
			g.t.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	slices.Sort(g.s.took)
	median := func(d []time.Duration) time.Duration { return d[len(d)/2].Round(10 * time.Microsecond) }
	bytesPerTurn = float64(g.s.bytes.Load()) / adds
	g.t.Logf("%6d memories: an add %v (95%%: %v), %.1f commits of %v, %.0f bytes written and %.0f read a turn",
		size, median(took), took[len(took)*95/100].Round(10*time.Microsecond),
		float64(g.s.commits.Load())/adds, median(g.s.took), bytesPerTurn, float64(g.s.read.Load())/adds)
	return bytesPerTurn
}
