package core

import (
	"slices"
	"time"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/mem"
)

// placing gives new turns their place in their sessions and closes sessions
// that have fallen silent. It depends on the order of turns alone, not on how
// many come in one request.
type placing struct {
	snap     *bank.Snapshot
	idle     time.Duration
	sessions map[string]*bank.SessionState // those touched or open
	open     []string                      // sessions with an open tail, by name
	touched  []string                      // in order of first touch
	fresh    map[string]bool               // ids placed by this commit
}

func newPlacing(s *bank.Snapshot, idle time.Duration) *placing {
	p := &placing{snap: s, idle: idle, sessions: map[string]*bank.SessionState{}, fresh: map[string]bool{}}
	for _, st := range s.Owing() {
		if !st.Closed {
			p.sessions[st.Name] = &st
			p.open = append(p.open, st.Name)
		}
	}
	return p
}

func (p *placing) state(name string) *bank.SessionState {
	if st := p.sessions[name]; st != nil {
		return st
	}
	st, ok := p.snap.Session(name)
	if !ok {
		st = bank.SessionState{Name: name}
	}
	p.sessions[name] = &st
	return &st
}

func (p *placing) touch(name string) {
	if !slices.Contains(p.touched, name) {
		p.touched = append(p.touched, name)
	}
}

func (p *placing) known(id string) bool {
	if p.fresh[id] {
		return true
	}
	_, ok := p.snap.Find(id)
	return ok
}

// waits reports that the session was closed with turns that are not yet
// memory: they are settled before it goes on, as they would have been if the
// new turns had come in a later request.
func (p *placing) waits(session string) bool {
	st := p.state(session)
	return st.Closed && st.Derived < st.Next
}

func (p *placing) place(t mem.Turn) mem.Turn {
	st := p.state(t.Session)
	t.Seq = st.Next
	st.Next++
	st.Closed, st.Removed = false, false
	if t.Time.After(st.Last) {
		st.Last = t.Time
	}
	p.fresh[t.ID] = true
	p.touch(t.Session)
	p.silence(t)
	if !slices.Contains(p.open, t.Session) {
		p.open = append(p.open, t.Session)
	}
	return t
}

// silence closes the other sessions that have been idle when t was said.
func (p *placing) silence(t mem.Turn) {
	if t.Time.IsZero() {
		return
	}
	for _, name := range slices.Clone(p.open) {
		st := p.sessions[name]
		if name != t.Session && !st.Last.IsZero() && !t.Time.Before(st.Last.Add(p.idle)) {
			p.close(name)
		}
	}
}

func (p *placing) close(name string) {
	st := p.state(name)
	if !st.Closed && st.Derived < st.Next {
		st.Closed = true
		p.touch(name)
	}
	p.open = slices.DeleteFunc(p.open, func(n string) bool { return n == name })
}

func (p *placing) changed() []bank.SessionState {
	out := make([]bank.SessionState, len(p.touched))
	for i, name := range p.touched {
		out[i] = *p.sessions[name]
	}
	return out
}
