//go:build unix

package soak_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/hostfuncs"
)

// neighbours are names that could be taken for each other by a store that
// compares them loosely or joins them with keys.
var neighbours = [][2]string{
	{"a", "a/b"}, {"a", "a\x00"}, {"A", "a"}, {"b", "b/"}, {"é", "e\u0301"}, {"日本", "日"}, {"x:y", "x"}, {"{t}", "t"}, {"%61", "a"}, {"m", "m "},
}

// TestNoVerbReachesAnotherBank sends every verb to one bank with ids, sessions,
// speakers, labels, cursors and words of another: no answer tells of the other
// one, and it stays as it was.
func TestNoVerbReachesAnotherBank(t *testing.T) {
	for _, k := range kinds(t) {
		t.Run(k.name, func(t *testing.T) {
			rnd, s := dice(t), k.open(t)
			w := newWriter(t, s)
			for n, names := range neighbours {
				own, other := names[0], names[1]
				if n%2 == 1 {
					own, other = other, own
				}
				settle(t, w, own, 1+1000*n)
				settle(t, w, other, 501+1000*n)
				before := text(t, w.export(t, other))
				lines := w.export(t, other)
				for i := range choose(60, 400) {
					verb, request := stray(rnd, own, lines)
					out, err := w.Call(ctx, verb, request)
					answer := string(out)
					if err != nil {
						answer = err.Error()
					}
					for _, token := range tokensOf(answer) {
						if strings.Contains(strings.ToLower(before), token) {
							t.Fatalf("request %d to %q: %s %s tells of %q:\n%s", i, own, verb, request, other, answer)
						}
					}
				}
				if after := text(t, w.export(t, other)); after != before {
					t.Fatalf("requests to %q changed %q", own, other)
				}
				for _, name := range names {
					if err := s.DropBank(ctx, name); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// settle fills a bank; banks share sessions, speakers and turn ids, and no word
// of their own.
func settle(t *testing.T, w *writer, bank string, n int) {
	t.Helper()
	var sessions []core.InputSession
	for s := range 3 {
		in := core.InputSession{ID: fmt.Sprint("s", s), Time: at(s).Format(time.RFC3339), Close: true, Labels: map[string]string{"run": "1"}}
		for i := range 4 {
			n++
			in.Turns = append(in.Turns, core.InputTurn{ID: fmt.Sprintf("%d.%d", s, i), Speaker: "Ana", Text: fmt.Sprintf(sayings[n%len(sayings)], letters(n))})
		}
		sessions = append(sessions, in)
	}
	if _, err := w.Bank(bank).Add(ctx, sessions...); err != nil {
		t.Fatal(err)
	}
}

// stray makes a request to a bank out of what stands in another.
func stray(rnd *rand.Rand, own string, other []core.ExportLine) (verb string, request []byte) {
	var ids, words []string
	for _, l := range other {
		switch {
		case l.Turn != nil:
			ids = append(ids, l.Turn.ID)
			words = append(words, tokensOf(l.Turn.Text)...)
		case l.Memory != nil:
			ids = append(ids, l.Memory.ID)
		}
	}
	one := func(of []string) string { return of[rnd.IntN(len(of))] }
	f := mem.Filter{}
	switch rnd.IntN(5) {
	case 0:
		f.IDs = []string{one(ids), one(ids)}
	case 1:
		f.About = one(words)
	case 2:
		f.Sessions = []string{"s1"}
	case 3:
		f.Speakers, f.Labels = []string{"Ana"}, map[string]string{"run": "1"}
	}
	cursor := one([]string{"", "1", "3", "b/", "m", one(ids), "\x00", "99999999999999999999"})
	call := core.Call{ABI: core.ABI, Bank: own, Now: at(60)}
	value := "changed"
	requests := map[string]any{
		"flush":     core.FlushRequest{Call: call, Sessions: []string{"s1"}},
		"search":    core.SearchRequest{Call: call, Query: mem.Query{Text: "What does Ana love, and where does she work?", Filter: f}},
		"answer":    core.AnswerRequest{Call: call, Query: mem.Query{Text: "Where did Ana move?", Filter: f}},
		"evolve":    core.EvolveRequest{Call: call},
		"list":      core.ListRequest{Call: call, Filter: f, After: cursor},
		"get":       core.GetRequest{Call: call, IDs: []string{one(ids), "0.1"}},
		"update":    core.UpdateRequest{Call: call, ID: one(ids), Value: &value},
		"delete":    core.DeleteRequest{Call: call, Filter: f, DryRun: rnd.IntN(2) == 0},
		"restore":   core.RestoreRequest{Call: call, IDs: []string{one(ids)}, Sessions: []string{"s0"}},
		"history":   core.HistoryRequest{Call: call, ID: one(ids)},
		"export":    core.ExportRequest{Call: call, After: cursor},
		"expire":    core.ExpireRequest{Call: call},
		"reprocess": core.ReprocessRequest{Call: call, Sessions: []string{"s2"}},
		"reindex":   core.ReindexRequest{Call: call},
		"stats":     call,
		"drop":      call,
		"banks":     core.BanksRequest{Call: call, After: cursor},
		"import":    core.ImportRequest{Call: call},
		"add":       core.AddRequest{Call: call, Sessions: []core.InputSession{{ID: "s1", Turns: []core.InputTurn{{ID: "1.1", Speaker: "Ana", Text: "Do you remember it?"}}}}},
	}
	verb = one(core.Verbs)
	b, err := json.Marshal(requests[verb])
	if err != nil || requests[verb] == nil {
		b = []byte("{}")
	}
	return verb, b
}

// TestAGuestReachesOnlyTheBanksOfItsCaller: whatever a guest asks of the port,
// other names are forbidden, also where a caller's bounds are narrowed again.
func TestAGuestReachesOnlyTheBanksOfItsCaller(t *testing.T) {
	for _, k := range kinds(t) {
		t.Run(k.name, func(t *testing.T) {
			rnd, s := dice(t), k.open(t)
			for _, names := range neighbours {
				for _, name := range names {
					if _, _, err := s.Commit(ctx, name, "", "v1", []effect.Write{{Key: []byte("m"), Value: []byte("secret")}}); err != nil {
						t.Fatal(err)
					}
				}
			}
			for range choose(1500, 20_000) {
				names := neighbours[rnd.IntN(len(neighbours))]
				own := names[rnd.IntN(2)]
				set := hostfuncs.Set{Store: s}
				if rnd.IntN(2) == 0 { // a wider set around it
					set = set.With(hostfuncs.Options{Banks: []string{names[0], names[1]}})
				}
				r := anything(rnd, own)
				replies, err := hostfuncs.Port(set, hostfuncs.Options{Banks: []string{own}}).Do(ctx, []effect.Request{r})
				if err != nil {
					t.Fatal(err)
				}
				judge(t, own, r, replies[0])
			}
			for _, names := range neighbours {
				for _, name := range names {
					if _, version, err := s.Get(ctx, name, nil); version != "v1" || err != nil {
						t.Errorf("%q is at %q, %v", name, version, err)
					}
				}
			}
		})
	}
}

// anything is a request of a guest, mostly for a bank that is not its own. It
// never writes to its own, so that all banks must stay as they are.
func anything(rnd *rand.Rand, own string) effect.Request {
	strange := []string{own + "\x00", own + "/", "", strings.ToUpper(own) + "x", own[:len(own)-1], "\xff", "banks", own + own}
	for _, names := range neighbours {
		strange = append(strange, names[0], names[1])
	}
	r := effect.Request{Bank: strange[rnd.IntN(len(strange))], Expected: "v1", Version: []string{"", "v2"}[rnd.IntN(2)]}
	r.Op = []effect.Op{effect.OpGet, effect.OpScan, effect.OpCommit, effect.OpBanks}[rnd.IntN(4)]
	if r.Op == effect.OpCommit && r.Bank == own {
		r.Op = effect.OpGet
	}
	switch r.Op {
	case effect.OpGet:
		r.Keys = [][]byte{[]byte("m")}
	case effect.OpScan:
		r.Prefix, r.After = []byte("m")[:rnd.IntN(2)], []byte("a")[:rnd.IntN(2)]
	case effect.OpBanks:
		r.Bank = ""
		r.AfterBank = []string{"", "a", "Z"}[rnd.IntN(3)]
	}
	return r
}

func judge(t *testing.T, own string, r effect.Request, reply effect.Reply) {
	t.Helper()
	switch {
	case r.Op == effect.OpBanks:
		if reply.Err != nil || slices.ContainsFunc(reply.Banks, func(b string) bool { return b != own }) {
			t.Fatalf("banks of the caller of %q: %q, %v", own, reply.Banks, reply.Err)
		}
	case r.Bank == own:
		if reply.Err != nil || reply.Current != "v1" {
			t.Fatalf("%s of its own bank %q: %+v", r.Op, own, reply)
		}
	default:
		if reply.Err == nil || reply.Err.Code != effect.Forbidden && (reply.Err.Code != effect.InvalidArgument || r.Bank != "" && r.Bank != "\xff" && !strings.Contains(r.Bank, "\ufffd")) && r.Bank != own[:len(own)-1] {
			t.Fatalf("the caller of %q asks %s of %q: %+v", own, r.Op, r.Bank, reply)
		}
	}
}
