package host

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/internal/plugintest"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

// spoken makes sessions of twenty turns. Few words make most of the text and
// the vocabulary grows with it, as in real dialogue.
func spoken(turns int) []core.InputSession {
	stems := strings.Fields("garden music travel paint story market river school friend dinner bicycle photo letter winter doctor kitchen ticket planet window coffee soccer guitar village camera forest theatre museum island bakery student")
	endings := []string{"", "s", "er", "ing", "ed", "ful", "ness", "ly", "ish", "ment", "able", "ity", "less", "ive", "ance", "hood", "ward", "wise", "let", "ling"}
	opening := []string{"Yes, the ", "I saw the ", "It is like ", "We talked of "} // one turn in four is an event
	seed := uint64(1)
	next := func(below int) int {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed>>33) % below
	}
	word := func() string {
		r := next(1000)
		w := next(40 + r*r*r/200000)
		return stems[w%len(stems)] + endings[w/len(stems)%len(endings)]
	}
	var out []core.InputSession
	day := time.Date(2020, 1, 1, 9, 0, 0, 0, time.UTC)
	for i := range turns {
		if i%20 == 0 {
			out = append(out, core.InputSession{ID: fmt.Sprintf("s%05d", i/20), Time: day.AddDate(0, 0, i/20).Format(time.RFC3339), Close: true})
		}
		words := make([]string, 8+next(25))
		for j := range words {
			words[j] = word()
		}
		s := &out[len(out)-1]
		s.Turns = append(s.Turns, core.InputTurn{ID: fmt.Sprintf("t%d", i), Speaker: []string{"Ana", "Bo"}[i%2], Text: opening[i%4] + strings.Join(words, " ") + "."})
	}
	return out
}

// BenchmarkMemory measures adding, cold load and warm search at growing sizes,
// through the whole host, on both engines. LEANMEM_BENCH_TURNS=100000 adds the
// largest.
func BenchmarkMemory(b *testing.B) {
	sizes := []int{1000, 10000}
	if os.Getenv("LEANMEM_BENCH_TURNS") == "100000" {
		sizes = append(sizes, 100000)
	}
	code := plugintest.Build(b, "step")
	cache := filepath.Join(b.TempDir(), "compiled")
	for _, turns := range sizes {
		sessions := spoken(turns)
		for _, engine := range []string{Native, Wasm} {
			store := memory.New()
			open := func() *Host {
				h, err := Open(b.Context(), Config{
					Engine: engine, Plugin: code, CompileCache: cache, Instances: 1, CacheBytes: 512 << 20, RecycleBytes: 3 << 30,
					Set: hostfuncs.Set{Store: store},
				})
				if err != nil {
					b.Fatal(err)
				}
				return h
			}
			h := open()
			b.Run(fmt.Sprintf("%d/%s/add", turns, engine), func(b *testing.B) {
				bank := ""
				for b.Loop() { // each time into a bank of its own; the first is searched
					bank += "b"
					for at := 0; at < len(sessions); at += 50 {
						q := core.AddRequest{Call: core.Call{Bank: bank}, Sessions: sessions[at:min(at+50, len(sessions))]}
						if _, err := h.Add(b.Context(), q); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(b.N*turns)/b.Elapsed().Seconds(), "turns/s")
			})
			h.Close()
			b.Run(fmt.Sprintf("%d/%s/cold", turns, engine), func(b *testing.B) {
				var took []time.Duration
				for b.Loop() {
					h := open()
					if _, err := h.Banks(b.Context(), core.BanksRequest{}); err != nil { // the instance is there
						b.Fatal(err)
					}
					start := time.Now()
					ask(b, h, 0)
					took = append(took, time.Since(start))
					h.Close()
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			})
			h = open()
			b.Run(fmt.Sprintf("%d/%s/search", turns, engine), func(b *testing.B) {
				var took []time.Duration
				for i := 0; b.Loop(); i++ {
					start := time.Now()
					ask(b, h, i)
					took = append(took, time.Since(start))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
			})
			h.Close()
		}
	}
}

func ask(b *testing.B, h *Host, i int) {
	about := strings.Fields("garden music paint market river school friend dinner bicycle photo letter winter doctor kitchen ticket window guitar village forest theatre museum island bakery")
	forms := []string{
		"What did Ana say of the %s and the %s?", "When did Bo see the %s with the %s?", "Which %s and %s have they visited?",
		"Where is the %s of the %s?", "Who spoke about the %s or the %s?", "How many times did Bo mention a %s or a %s in March?",
	}
	question := fmt.Sprintf(forms[i%len(forms)], about[i*7%len(about)], about[(i*5+3)%len(about)])
	q := core.SearchRequest{Call: core.Call{Bank: "b"}, Query: mem.Query{Text: question}}
	if r, err := h.Search(b.Context(), q); err != nil || len(r.Items) == 0 {
		b.Fatal(err, "no evidence")
	}
}
