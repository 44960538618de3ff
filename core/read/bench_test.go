package read

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/embed"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

// made is a dialogue of n turns in sessions of 20, with a vocabulary that grows
// as that of real dialogues does and a profile or event for every fifth turn.
func made(n int) *bank.Change {
	c := &bank.Change{Embedder: &bank.Embedder{Name: embed.Name, Dims: embed.Dims}}
	day := time.Date(2023, 1, 1, 12, 0, 0, 0, time.UTC)
	seed := uint64(1)
	next := func(below int) int { // a fixed sequence
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed>>33) % below
	}
	word := func() string {
		r := next(1000)
		w := next(40 + r*r*r/200000) // few words make most of the text
		return stems[w%len(stems)] + endings[w/len(stems)%len(endings)]
	}
	for i := range n {
		words := make([]string, 8+next(25))
		for j := range words {
			words[j] = word()
		}
		t := mem.Turn{
			Session: fmt.Sprintf("s%05d", i/20), Seq: i % 20, Speaker: []string{"Ana", "Bo"}[i%2],
			Role: mem.RolePeer, Time: day.AddDate(0, 0, i/20), Text: strings.Join(words, " ") + ".",
		}
		t.ID = mem.TurnID(t.Session, fmt.Sprint(i), t.Speaker, t.Time, t.Text)
		c.Turns = append(c.Turns, t)
		if i%20 == 0 {
			c.Sessions = append(c.Sessions, bank.SessionState{Name: t.Session, Next: 20, Derived: 20, Closed: true})
		}
		if i%5 == 0 {
			kind := []mem.Kind{mem.KindProfile, mem.KindEvent}[i/5%2]
			m := mem.Memory{ID: mem.MemoryID(kind, []string{t.ID}, 0), Kind: kind, Sources: []string{t.ID}, Session: t.Session, Time: t.Time}
			if kind == mem.KindProfile {
				m.Profile = &mem.Profile{Subject: t.Speaker, Attribute: "likes", Value: words[0] + " " + words[1]}
			} else {
				m.Event = &mem.Event{Subject: t.Speaker, Topic: words[0], State: t.Text, Timeline: m.ID, Relation: mem.Opens}
			}
			c.Memories = append(c.Memories, m)
		}
	}
	return c
}

var (
	stems   = strings.Fields("garden music travel paint story market river school friend dinner bicycle photo letter winter doctor kitchen ticket planet window coffee soccer guitar village camera forest theatre museum island bakery student")
	endings = []string{"", "s", "er", "ing", "ed", "ful", "ness", "ly", "ish", "ment", "able", "ity", "less", "ive", "ance", "hood", "ward", "wise", "let", "ling"}
)

func bankOf(tb testing.TB, n int) *bank.Handle {
	tb.Helper()
	client := effect.Client{Port: hostfuncs.Port(hostfuncs.Set{Store: memory.New()}, hostfuncs.Options{}), Bank: "b"}
	cache := bank.NewCache(1<<30, bank.WithEmbedder(bank.Embedder{Name: embed.Name, Dims: embed.Dims}, embed.Text), bank.WithWords(embed.Name, embed.Word))
	h, err := cache.Open(context.Background(), client)
	if err != nil {
		tb.Fatal(err)
	}
	c := made(n)
	if err := h.Commit(context.Background(), func(*bank.Snapshot) (*bank.Change, error) { return c, nil }); err != nil {
		tb.Fatal(err)
	}
	return h
}

func searchOnce(s Snapshot, question string, budget int) mem.Evidence {
	q := Analyse(s, mem.Query{Text: question, Time: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), Budget: budget})
	plan := PlanByRules(q.Query, AroundOf(s))
	var keep func(row int) bool // as strategies do it
	if !s.MatchesAll(mem.Filter{}) {
		keep = s.Matcher(mem.Filter{}, q.Time)
	}
	off := func(string) bool { return false }
	f := &Found{Question: q, Plan: plan, Ranking: RankTurns(s, q, plan, keep, off, 500)}
	f.Profiles = Rerank(plan, Retrieve(s, q, plan, mem.KindProfile, keep))
	f.Events = Rerank(plan, Retrieve(s, q, plan, mem.KindEvent, keep))
	return Compose(s, f, budget, off)
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := bankOf(b, n).Snapshot()
			searchOnce(s, "warm", 2000)
			b.ResetTimer()
			for i := range b.N {
				searchOnce(s, []string{"What did Ana paint in the winter garden?", "When did Bo see the theatre?", "Which museums and villages have they visited?"}[i%3], 2000)
			}
		})
	}
}

func BenchmarkFirstSearch(b *testing.B) {
	for _, n := range []int{10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := bankOf(b, n).Snapshot()
			b.ResetTimer()
			for range b.N {
				buildIndex(s, nil)
			}
		})
	}
}
