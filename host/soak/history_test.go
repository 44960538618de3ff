//go:build unix

package soak_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

// A history is what one client does to its bank, step by step, known from the
// number of the step alone. A step that was cut short is done again, as a client
// would.

func bankOf(client int) string { return fmt.Sprintf("client%d", client) }

// turnsOf are the turns that a step adds; none for another kind of step.
func turnsOf(client, step int) (in core.InputSession) {
	if step%9 == 7 || step%9 == 8 {
		return in
	}
	in = core.InputSession{ID: fmt.Sprintf("s%d", step/3), Time: at(step).Format(time.RFC3339), Close: step%3 == 2}
	for i := range 1 + step%4 {
		n := 1 + client + 10*(i+10*step)
		in.Turns = append(in.Turns, core.InputTurn{
			ID: fmt.Sprintf("%d.%d.%d", client, step, i), Speaker: []string{"Ana", "Ben"}[n%2],
			Text: fmt.Sprintf(sayings[(step+i)%len(sayings)], letters(n)),
		})
	}
	return in
}

func at(step int) time.Time { return begin.Add(time.Duration(step) * time.Minute) }

// victim is the session that a deleting step takes.
func victim(step int) string { return fmt.Sprintf("s%d", step/9*3) }

// perform does one step.
func perform(h *host.Host, client, step int) error {
	call := core.Call{Bank: bankOf(client), Now: at(step)}
	var err error
	switch step % 9 {
	case 7:
		_, err = h.Delete(ctx, core.DeleteRequest{Call: call, Filter: mem.Filter{Sessions: []string{victim(step)}}})
	case 8:
		_, err = h.Evolve(ctx, core.EvolveRequest{Call: call})
	default:
		_, err = h.Add(ctx, core.AddRequest{Call: call, Sessions: []core.InputSession{turnsOf(client, step)}})
	}
	return err
}

// predictions are the banks that undisturbed histories leave, by client and
// number of steps.
type predictions struct {
	t     testing.TB
	h     [16]*host.Host
	steps [16]int
}

func (p *predictions) export(client, steps int) string {
	p.t.Helper()
	if p.h[client] == nil {
		p.h[client] = newHost(p.t, memory.New())
	}
	for ; p.steps[client] < steps; p.steps[client]++ {
		if err := perform(p.h[client], client, p.steps[client]); err != nil {
			p.t.Fatal(err)
		}
	}
	w := &writer{Host: p.h[client]}
	return text(p.t, w.export(p.t, bankOf(client)))
}

func newHost(t testing.TB, s hostfuncs.Store) *host.Host {
	t.Helper()
	h, err := host.Open(ctx, host.Config{Set: hostfuncs.Set{Store: s}, Now: func() time.Time { return begin }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// sound checks a bank in the midst of its history: what was acknowledged stands,
// what was deleted is gone, ids occur once, no memory lacks a source.
func sound(t testing.TB, h *host.Host, client, acked int) {
	t.Helper()
	w := &writer{Host: h}
	there, seen := map[string]bool{}, map[string]bool{}
	lines := w.export(t, bankOf(client))
	for _, l := range lines {
		id := ""
		switch {
		case l.Turn != nil:
			id = l.Turn.ID
			there[l.Turn.Source], there[id] = true, true
		case l.Memory != nil:
			id = l.Memory.ID
		}
		if id != "" && seen[id] {
			t.Errorf("client %d: %s is there twice", client, id)
		}
		seen[id] = true
	}
	for _, l := range lines {
		if l.Memory == nil {
			continue
		}
		for _, s := range l.Memory.Sources {
			if !there[s] {
				t.Errorf("client %d: the memory %s lacks its source", client, l.Memory.ID)
			}
		}
	}
	gone := map[string]bool{}
	for step := range acked + 1 { // the step after the last may have taken place
		if step%9 == 7 {
			gone[victim(step)] = true
		}
	}
	for step := range acked {
		in := turnsOf(client, step)
		for _, turn := range in.Turns {
			if !gone[in.ID] && !there[turn.ID] {
				t.Errorf("client %d: the acknowledged turn %s is lost", client, turn.ID)
			}
		}
	}
	for step := range acked {
		in := turnsOf(client, step)
		for _, turn := range in.Turns {
			if deleted(in.ID, acked) && there[turn.ID] {
				t.Errorf("client %d: the deleted turn %s is there", client, turn.ID)
			}
		}
	}
}

// deleted tells that a session's deletion was acknowledged.
func deleted(session string, acked int) bool {
	for step := range acked {
		if step%9 == 7 && victim(step) == session {
			return true
		}
	}
	return false
}

// tolerant performs a step until it succeeds; passing errors of a server that
// restarts are not the client's end.
func tolerant(h *host.Host, client, step int) error {
	for attempt := 0; ; attempt++ {
		err := perform(h, client, step)
		if e := effect.AsError(err); err == nil || !e.Retryable || attempt == 100 {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}
