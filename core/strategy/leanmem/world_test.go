package leanmem_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/embed"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/strategy/leanmem"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

// world is a port for tests: a store in memory and a model that is a function.
type world struct {
	store effect.Port
	model func(effect.Prompt) effect.Completion // nil: there is none
	asked []effect.Prompt
	tags  func(text string) []effect.Entity // nil: there is no tagger
	dims  int                               // of the embedder; 0: there is none
	// before runs ahead of each request; its error ends the flow.
	before func(effect.Request) error
}

func newWorld() *world {
	return &world{store: hostfuncs.Port(hostfuncs.Set{Store: memory.New()}, hostfuncs.Options{})}
}

func (w *world) Do(ctx context.Context, requests []effect.Request) ([]effect.Reply, error) {
	var out []effect.Reply
	for _, r := range requests {
		if w.before != nil {
			if err := w.before(r); err != nil {
				return nil, err
			}
		}
		if r.Op == effect.OpTag && w.tags != nil {
			var reply effect.Reply
			for _, text := range r.Texts {
				reply.Entities = append(reply.Entities, w.tags(text))
			}
			out = append(out, reply)
			continue
		}
		if r.Op == effect.OpEmbed && w.dims > 0 {
			v := effect.Vectors{Model: "test", Dims: w.dims, Data: make([]float32, w.dims*len(r.Texts))}
			for i, text := range r.Texts {
				v.Data[i*w.dims+len(text)%w.dims] = 1
			}
			out = append(out, effect.Reply{Vectors: v})
			continue
		}
		if r.Op != effect.OpComplete {
			replies, err := w.store.Do(ctx, []effect.Request{r})
			if err != nil {
				return nil, err
			}
			out = append(out, replies...)
			continue
		}
		if w.model == nil {
			out = append(out, effect.Reply{Err: effect.Errorf(effect.Unavailable, "no model")})
			continue
		}
		var reply effect.Reply
		for _, p := range r.Prompts {
			w.asked = append(w.asked, p)
			reply.Completions = append(reply.Completions, w.model(p))
		}
		out = append(out, reply)
	}
	return out, nil
}

func (w *world) open(t testing.TB) *bank.Handle {
	t.Helper()
	builtin := bank.Embedder{Name: embed.Name, Dims: embed.Dims}
	h, err := bank.NewCache(0, bank.WithEmbedder(builtin, embed.Text)).Open(context.Background(), effect.Client{Port: w, Bank: "b"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// add stores turns of one session as the engine does, and closes it if asked.
func add(t testing.TB, h *bank.Handle, turns []mem.Turn, closed bool) {
	t.Helper()
	err := h.Commit(context.Background(), func(s *bank.Snapshot) (*bank.Change, error) {
		c := &bank.Change{}
		if s.Embedder().Name == "" {
			c.Embedder = &bank.Embedder{Name: embed.Name, Dims: embed.Dims}
		}
		state, _ := s.Session(turns[0].Session)
		state.Name = turns[0].Session
		for _, turn := range turns {
			if _, known := s.Find(turn.ID); known {
				continue
			}
			c.Turns = append(c.Turns, turn)
			state.Next, state.Last = turn.Seq+1, turn.Time
		}
		state.Closed = state.Closed || closed
		c.Sessions = []bank.SessionState{state}
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// dialogue makes turns of one session from "speaker: text" lines.
func dialogue(session, date string, lines ...string) []mem.Turn {
	when, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic(err)
	}
	var out []mem.Turn
	for i, l := range lines {
		who, said, _ := strings.Cut(l, ": ")
		turn := mem.Turn{Session: session, Seq: i, Speaker: who, Role: mem.RolePeer, Time: when, Text: said}
		if who == "user" || who == "assistant" {
			turn.Role = mem.Role(who)
		}
		turn.ID = mem.TurnID(session, fmt.Sprint(i), who, when, said)
		out = append(out, turn)
	}
	return out
}

func run(o mem.Options) *mem.Run { return &mem.Run{Options: o, Ledger: &mem.Ledger{}} }

func derive(t testing.TB, h *bank.Handle, o mem.Options) *mem.Ledger {
	t.Helper()
	r := run(o)
	if err := leanmem.New().Derive(context.Background(), h, r); err != nil {
		t.Fatal(err)
	}
	return r.Ledger
}

// memories lists every memory of the bank by kind, time and id.
func memories(h *bank.Handle) []mem.Memory {
	var out []mem.Memory
	for _, k := range []mem.Kind{mem.KindProfile, mem.KindEvent, mem.KindRecord} {
		h.Snapshot().ByKind(k, func(row int) { out = append(out, h.Snapshot().MemoryAt(row)) })
	}
	slices.SortFunc(out, func(a, b mem.Memory) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), a.Time.Compare(b.Time), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func texts(h *bank.Handle) string {
	var b strings.Builder
	for _, m := range memories(h) {
		fmt.Fprintf(&b, "%s %s %s\n", m.ID, m.Kind, m.Text())
	}
	return b.String()
}

// brief lists the texts of memories by kind, without ids.
func brief(h *bank.Handle) string {
	var out []string
	for _, m := range memories(h) {
		out = append(out, string(m.Kind[:1])+" "+m.Text())
	}
	return strings.Join(out, "; ")
}

func stateOf(t testing.TB, h *bank.Handle, session string) bank.SessionState {
	t.Helper()
	s, ok := h.Snapshot().Session(session)
	if !ok {
		t.Fatalf("no session %q", session)
	}
	return s
}

// says makes a model that gives the replies in turn, the last one for ever.
func says(replies ...string) func(effect.Prompt) effect.Completion {
	i := 0
	return func(effect.Prompt) effect.Completion {
		r := replies[min(i, len(replies)-1)]
		i++
		return effect.Completion{Text: r, PromptTokens: 100, OutputTokens: 30}
	}
}
