package bank

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/mem"
)

// benchEmbedder has the dimensions of the built-in table.
var benchEmbedder = Embedder{Name: "bench", Dims: 96}

func embedBench(s string) ([]int8, bool) {
	v := make([]int8, benchEmbedder.Dims)
	for i := range len(s) {
		v[i%len(v)] += int8(s[i])
	}
	return v, true
}

func benchCache() *Cache { return NewCache(1<<30, WithEmbedder(benchEmbedder, embedBench)) }

// benchText makes a text of about 300 bytes whose words are as frequent as
// words are.
func benchText(r *rand.Rand, zipf *rand.Zipf) string {
	var b strings.Builder
	for b.Len() < 290 {
		fmt.Fprintf(&b, "%s%d ", []string{"word", "walk", "colour", "x"}[r.Intn(4)], zipf.Uint64())
	}
	return b.String()
}

func benchTurns(from, n int) []mem.Turn {
	r := rand.New(rand.NewSource(int64(from)))
	zipf := rand.NewZipf(r, 1.2, 4, 20000)
	out := make([]mem.Turn, n)
	for i := range out {
		out[i] = testTurn(fmt.Sprint("session", (from+i)/20), (from+i)%20, fmt.Sprint("speaker", i%2), benchText(r, zipf))
	}
	return out
}

// benchBank writes rows in commits of some size.
func benchBank(tb testing.TB, rows, each int) (*testStore, *Handle) {
	st := newTestStore()
	h := open(tb, benchCache(), st, "b")
	commit(tb, h, &Change{Embedder: &benchEmbedder})
	for from := 0; from < rows; from += each {
		commit(tb, h, &Change{Turns: benchTurns(from, min(each, rows-from))})
	}
	return st, h
}

// BenchmarkCommit adds two turns with their session's state to banks of
// growing size.
func BenchmarkCommit(b *testing.B) {
	for _, rows := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			st, h := benchBank(b, rows, min(rows, 1000))
			turns := benchTurns(rows, 2*4096)
			st.writes = 0
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				i := 2 * (n % 4096)
				t := turns[i]
				if n >= 4096 {
					t.ID = mem.Digest(t.ID, fmt.Sprint(n))
				}
				commit(b, h, &Change{
					Turns:    []mem.Turn{t, turns[i+1]},
					Sessions: []SessionState{{Name: t.Session, Next: n}},
				})
				n++
			}
			b.ReportMetric(float64(st.writes)/float64(n), "written-B/op")
		})
	}
}

func BenchmarkColdLoad(b *testing.B) {
	for _, rows := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			st, h := benchBank(b, rows, 100)
			blocks, size := h.Snapshot().Blocks()
			client := st.client("b")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := benchCache().Open(context.Background(), client); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(blocks), "blocks")
			b.ReportMetric(float64(size), "bank-B")
		})
	}
}

// BenchmarkIncremental opens a bank after another instance added one turn.
func BenchmarkIncremental(b *testing.B) {
	st, h := benchBank(b, 10_000, 100)
	reader := benchCache()
	open(b, reader, st, "b")
	turns := benchTurns(20_000, 5000)
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		t := turns[n%5000]
		t.ID = mem.Digest(t.ID, fmt.Sprint(n))
		commit(b, h, &Change{Turns: []mem.Turn{t}})
		b.StartTimer()
		open(b, reader, st, "b")
	}
}

func BenchmarkPostings(b *testing.B) {
	for _, rows := range []int{10_000, 100_000} {
		_, h := benchBank(b, rows, 1000)
		s := h.Snapshot()
		for _, w := range []string{"word0", "word300"} {
			b.Run(fmt.Sprint(rows, "/", w), func(b *testing.B) {
				n, ops := 0, 0
				for b.Loop() {
					s.Postings(w, func(_, count int) { n += count })
					ops++
				}
				b.ReportMetric(float64(n)/float64(ops), "count")
			})
		}
	}
}

func BenchmarkReads(b *testing.B) {
	_, h := benchBank(b, 10_000, 100)
	s := h.Snapshot()
	b.Run("ByKind", func(b *testing.B) {
		for b.Loop() {
			fresh(s).ByKind(mem.KindTurn, func(int) {})
		}
	})
	b.Run("SessionTurns", func(b *testing.B) {
		for b.Loop() {
			for _, st := range []string{"session1", "session100", "session499"} {
				s.SessionTurns(st)
			}
		}
	})
	b.Run("SessionTail", func(b *testing.B) {
		for b.Loop() {
			for _, st := range []string{"session1", "session100", "session499"} {
				s.SessionTail(st, 18)
			}
		}
	})
	b.Run("RowsAndVectors", func(b *testing.B) {
		n := 0
		for b.Loop() {
			for row := range s.Rows() {
				if s.Live(row) {
					n += s.Row(row).Length + int(s.Vector(row)[0])
				}
			}
		}
	})
	b.Run("TurnAt", func(b *testing.B) {
		for b.Loop() {
			s.TurnAt(17)
		}
	})
}

// fresh is the snapshot without what it built.
func fresh(s *Snapshot) *Snapshot {
	c := *s
	c.lazyOrder, c.lexicon, c.lazyVectors = [kinds][]int{}, nil, nil
	return &c
}

func BenchmarkWords(b *testing.B) {
	_, h := benchBank(b, 10_000, 100)
	s := h.Snapshot()
	b.Run("Vocabulary", func(b *testing.B) {
		for b.Loop() {
			s.Vocabulary(func(string, int) {})
		}
	})
	b.Run("Lexicon", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n = len(fresh(s).Lexicon().Words)
		}
		b.ReportMetric(float64(n), "words")
	})
	b.Run("LexiconAfterCommit", func(b *testing.B) {
		before := s.Lexicon()
		next := newSnapshot("b", "", s.man, s.parts[:len(s.parts)-1], nil)
		next.lexicon = &Lexicon{Words: before.Words[5:], seen: map[*block]bool{}}
		for i := range next.parts[1:] {
			next.lexicon.seen[next.parts[i].b] = true
		}
		for b.Loop() {
			c := *next
			c.Lexicon()
		}
	})
	b.Run("Stems", func(b *testing.B) {
		for b.Loop() {
			for i := range s.parts {
				s.parts[i].b.lazyStems = nil
			}
			s.StemPostings("word", func(int, int) {})
		}
	})
}
