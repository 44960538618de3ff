package read

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/embed"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

// dialogue is written one turn a line, "Speaker: text"; a line "== date" opens
// a session on that day.
func dialogue(tb testing.TB, script string, memories ...mem.Memory) Snapshot {
	tb.Helper()
	c := &bank.Change{Embedder: &bank.Embedder{Name: embed.Name, Dims: embed.Dims}, Memories: memories}
	var at time.Time
	session, seq := "", 0
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if day, ok := strings.CutPrefix(line, "== "); ok {
			at, _ = time.Parse(time.DateOnly, day)
			session, seq = "s"+day, 0
			c.Sessions = append(c.Sessions, bank.SessionState{Name: session})
			continue
		}
		speaker, said, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		t := mem.Turn{Session: session, Seq: seq, Speaker: speaker, Role: mem.RolePeer, Time: at.Add(12 * time.Hour), Text: strings.ReplaceAll(said, `\n`, "\n")}
		if speaker == "user" || speaker == "assistant" {
			t.Role = mem.Role(speaker)
		}
		t.Source = session + ":" + string(rune('0'+seq%10))
		t.ID = mem.TurnID(session, t.Source+said, speaker, t.Time, said)
		c.Turns = append(c.Turns, t)
		seq++
		c.Sessions[len(c.Sessions)-1].Next = seq
	}
	client := effect.Client{Port: hostfuncs.Port(hostfuncs.Set{Store: memory.New()}, hostfuncs.Options{}), Bank: "b"}
	cache := bank.NewCache(0, bank.WithEmbedder(bank.Embedder{Name: embed.Name, Dims: embed.Dims}, embed.Text), bank.WithWords(embed.Name, embed.Word))
	h, err := cache.Open(context.Background(), client)
	if err != nil {
		tb.Fatal(err)
	}
	if err := h.Commit(context.Background(), func(*bank.Snapshot) (*bank.Change, error) { return c, nil }); err != nil {
		tb.Fatal(err)
	}
	return h.Snapshot()
}

// ask runs every stage for one question, with terms switched off by name.
func ask(s Snapshot, question string, budget int, off ...string) (*Found, mem.Evidence) {
	isOff := mem.Options{Off: off}.IsOff
	q := Analyse(s, mem.Query{Text: question, Time: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), Budget: budget})
	plan := PlanByRules(q.Query, AroundOf(s))
	keep := s.Matcher(mem.Filter{}, q.Time)
	f := &Found{Question: q, Plan: plan, Ranking: RankTurns(s, q, plan, keep, isOff, 500)}
	f.Profiles = Rerank(plan, Retrieve(s, q, plan, mem.KindProfile, keep))
	f.Events = Rerank(plan, Retrieve(s, q, plan, mem.KindEvent, keep))
	f.Records = Rerank(plan, Retrieve(s, q, plan, mem.KindRecord, keep))
	return f, Compose(s, f, budget, isOff)
}

// first is the text of the turn that ranks highest.
func first(f *Found) string { return nth(f, 0) }

func nth(f *Found, n int) string {
	ix := f.Ranking.ix
	return ix.s.TurnAt(int(ix.rows[f.Ranking.Turns[n].at])).Text
}

// place is the rank of the first turn that holds a text; -1 when none does.
func place(f *Found, part string) int {
	for i := range f.Ranking.Turns {
		if strings.Contains(nth(f, i), part) {
			return i
		}
	}
	return -1
}

const friends = `
== 2023-03-06
Ana: Hi Bo! I signed up for the pottery class on Elm Street yesterday.
Bo: Wow, that's great! Which day is it on?
Ana: Every Thursday evening. The teacher used to restore churches.
Bo: I could never sit still that long.
== 2023-05-14
Bo: My brother gave me his old telescope for my birthday.
Ana: Lovely! Have you seen anything yet?
Bo: Saturn, with its rings. I stayed on the roof until two in the morning.
Ana: I finished my first bowl last week. It leans a little.
== 2023-08-20
Ana: We are back from Lisbon. The tram rides were the best part.
Bo: Did you try the custard tarts?
Ana: Every single day.
Bo: I sold the telescope, the city is too bright.
`

func estimate(s string) int { return text.EstimateTokens(s) }
