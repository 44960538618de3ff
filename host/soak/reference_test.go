//go:build unix

package soak_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
)

// said is a turn as the reference knows it.
type said struct {
	session string
	input   core.InputTurn
	at      time.Time
	expires time.Time
	token   string // a word that stands in no other turn
}

func (s said) id() string {
	return mem.TurnID(s.session, "id:"+s.input.ID, s.input.Speaker, s.at, s.input.Text)
}

// reference is what a bank must hold, as plain maps. Which memories the rules
// make of turns it does not predict, but when they may appear, change and go,
// and what they may be made of.
type reference struct {
	exists   bool
	turns    map[string]said
	marks    map[string]said // deleted and not restored
	memories map[string]mem.Memory
	touched  map[string]bool // memories whose wording a client changed
	fresh    bool            // since the last look, memories may have been made
	changed  bool            // or events consolidated
	gone     []string        // tokens of what was deleted
}

func newReference() *reference {
	return &reference{turns: map[string]said{}, marks: map[string]said{}, memories: map[string]mem.Memory{}, touched: map[string]bool{}}
}

func (r *reference) sessions() []string {
	names := map[string]bool{}
	for _, s := range r.turns {
		names[s.session] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// pick gives a random entry of a map, by sorted key.
func pick[V any](rnd *rand.Rand, m map[string]V) (string, bool) {
	if len(m) == 0 {
		return "", false
	}
	keys := slices.Sorted(maps.Keys(m))
	return keys[rnd.IntN(len(keys))], true
}

// forget takes turns out, with every memory made from one of them. mark says
// that a late retry must not bring them back.
func (r *reference) forget(ids map[string]bool, mark bool) {
	for id := range ids {
		s, ok := r.turns[id]
		if !ok {
			continue
		}
		delete(r.turns, id)
		if mark {
			r.marks[id] = s
		}
		r.gone = append(r.gone, s.token)
	}
	r.gone = r.gone[max(0, len(r.gone)-50):]
	for id, m := range r.memories {
		if slices.ContainsFunc(m.Sources, func(s string) bool { return ids[s] }) {
			delete(r.memories, id)
		}
	}
}

var tokens = regexp.MustCompile(`(?i)zq[a-z]+x`)

func tokensOf(s string) []string { return tokens.FindAllString(strings.ToLower(s), -1) }

// compare holds an export against the reference and learns the memories that
// may have been made.
func (r *reference) compare(t testing.TB, lines []core.ExportLine) error {
	turns, memories := map[string]mem.Turn{}, map[string]mem.Memory{}
	for _, l := range lines {
		switch {
		case l.Turn != nil:
			if _, twice := turns[l.Turn.ID]; twice {
				return fmt.Errorf("the turn %s is there twice", l.Turn.ID)
			}
			turns[l.Turn.ID] = *l.Turn
		case l.Memory != nil:
			if _, twice := memories[l.Memory.ID]; twice {
				return fmt.Errorf("the memory %s is there twice", l.Memory.ID)
			}
			memories[l.Memory.ID] = *l.Memory
		}
	}
	if err := r.compareTurns(turns); err != nil {
		return err
	}
	return r.compareMemories(turns, memories)
}

func (r *reference) compareTurns(turns map[string]mem.Turn) error {
	for id, s := range r.turns {
		got, ok := turns[id]
		if !ok {
			return fmt.Errorf("the turn %s (%s in %s) is lost", id, s.token, s.session)
		}
		if got.Text != s.input.Text || got.Session != s.session || got.Source != s.input.ID || !got.Time.Equal(s.at) || !got.Expires.Equal(s.expires) {
			return fmt.Errorf("the turn %s is %+v, want %+v", id, got, s)
		}
	}
	for id, got := range turns {
		if _, ok := r.turns[id]; !ok {
			return fmt.Errorf("the turn %s (%s) should not be there", id, got.Text)
		}
	}
	return nil
}

func (r *reference) compareMemories(turns map[string]mem.Turn, memories map[string]mem.Memory) error {
	for id, want := range r.memories {
		got, ok := memories[id]
		if !ok {
			return fmt.Errorf("the memory %s (%s) is lost", id, want.Text())
		}
		if got.Text() != want.Text() && !(r.changed && got.Event != nil) {
			return fmt.Errorf("the memory %s says %q, not %q", id, got.Text(), want.Text())
		}
	}
	for id, got := range memories {
		if _, known := r.memories[id]; !known && !r.fresh {
			return fmt.Errorf("the memory %s (%s) should not be there", id, got.Text())
		}
		if len(got.Sources) == 0 {
			return fmt.Errorf("the memory %s (%s) has no source", id, got.Text())
		}
		source := ""
		for _, s := range got.Sources {
			turn, ok := turns[s]
			if !ok {
				return fmt.Errorf("the memory %s (%s) was made from %s, which is not there", id, got.Text(), s)
			}
			source += " " + strings.ToLower(turn.Text)
		}
		for _, token := range tokensOf(got.Text()) {
			if !r.touched[id] && !strings.Contains(source, token) {
				return fmt.Errorf("the memory %s says %q, its sources %q", id, got.Text(), source)
			}
		}
	}
	r.memories, r.fresh, r.changed = memories, false, false
	for id := range r.touched {
		if _, there := memories[id]; !there {
			delete(r.touched, id)
		}
	}
	return nil
}

// fate tells what became of the turn with a token.
func (r *reference) fate(token string) string {
	for _, s := range r.turns {
		if s.token == token {
			return fmt.Sprintf("%q in %s expires at %v", s.input.Text, s.session, s.expires)
		}
	}
	for _, s := range r.marks {
		if s.token == token {
			return fmt.Sprintf("%q in %s was deleted", s.input.Text, s.session)
		}
	}
	return "no turn holds it"
}
