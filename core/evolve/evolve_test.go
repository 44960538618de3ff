package evolve_test

import (
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/evolve"
	"github.com/leanmem/leanmem/core/mem"
)

func event(id, date, topic, state string) mem.Memory {
	at, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic(err)
	}
	return mem.Memory{ID: id, Kind: mem.KindEvent, Time: at, Event: &mem.Event{Subject: "Ana", Topic: topic, State: state, Buffered: true}}
}

func TestRulesDecideThePlainCases(t *testing.T) {
	red := evolve.Apply(event("e1", "2023-01-01", "Ana", "on Red"), evolve.Decision{})
	blue := evolve.Apply(event("e2", "2023-02-01", "Ana", "now on Blue"), evolve.Decision{Relation: mem.Revises, Target: red})
	moved := evolve.Apply(event("e3", "2023-01-01", "moved Oslo flat", "I moved to a flat in Oslo"), evolve.Decision{})
	tests := []struct {
		name     string
		event    mem.Memory
		related  []mem.Memory
		relation mem.Relation
		target   string
		clear    bool
	}{
		{"nothing related opens a timeline", event("e9", "2023-03-01", "bought bicycle", "I bought a bicycle"), nil, mem.Opens, "", true},
		{"the same state is evidence", event("e9", "2023-03-01", "moved Oslo flat", "I moved to a flat in Oslo"), []mem.Memory{moved}, mem.Confirms, "e3", true},
		{"a state that excludes another revises it", event("e9", "2023-02-01", "Ana", "now on Blue"), []mem.Memory{red}, mem.Revises, "e1", true},
		{"a state that returns revises the latest one", event("e9", "2023-05-01", "Ana", "on Red again"), []mem.Memory{red, blue}, mem.Revises, "e2", true},
		{"words of change revise", event("e9", "2023-04-01", "sold Oslo flat", "I sold the flat in Oslo"), []mem.Memory{moved}, mem.Revises, "e3", false},
		{"more of one matter extends", event("e9", "2023-04-01", "painted Oslo flat", "I painted the Oslo flat green"), []mem.Memory{moved}, mem.Extends, "e3", false},
		{"a loose likeness opens", event("e9", "2023-04-01", "concert", "a concert in Oslo"), []mem.Memory{moved}, mem.Opens, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, clear := evolve.ByRule(evolve.Case{Event: tt.event, Related: tt.related})
			if d.Relation != tt.relation || d.Target.ID != tt.target || clear != tt.clear {
				t.Errorf("decided %s of %q, clear %v; want %s of %q, %v", d.Relation, d.Target.ID, clear, tt.relation, tt.target, tt.clear)
			}
		})
	}
}

func TestApplyChangesTheIncomingEventAlone(t *testing.T) {
	old := event("e1", "2023-01-01", "team", "Red")
	old.Event.Timeline = "e0"
	in := event("e2", "2023-02-01", "team", "Blue")
	got := evolve.Apply(in, evolve.Decision{Relation: mem.Revises, Target: old})
	if e := got.Event; e.Buffered || e.Timeline != "e0" || e.Target != "e1" || e.Relation != mem.Revises {
		t.Errorf("applied %+v", e)
	}
	if !in.Event.Buffered || !old.Event.Buffered || old.Event.Relation != "" {
		t.Error("what was given is changed")
	}
}

func TestCasesArePackedAndRepliesAreReadByShortIDs(t *testing.T) {
	var cases []evolve.Case
	for range 40 {
		long := event("e1", "2023-01-01", "team", strings.Repeat("a long story ", 40))
		cases = append(cases, evolve.Case{Event: event("e2", "2023-02-01", "team", "Blue"), Related: []mem.Memory{long, event("e3", "2023-01-02", "team", "Red")}})
	}
	batches := evolve.Batches(cases)
	n := 0
	for _, b := range batches {
		n += len(b)
		if m := evolve.Message(b); len(m.User) > 12000 {
			t.Errorf("a call of %d bytes", len(m.User))
		}
	}
	if n != 40 || len(batches) < 2 {
		t.Errorf("%d cases in %d batches", n, len(batches))
	}
	d, refused := evolve.Read(`{"updates":[{"seg":2,"y":"revise","target":4},{"seg":1,"y":"extend","target":4}]}`, batches[0])
	if len(d) != 1 || d[1].Target.ID != "e3" || d[1].Relation != mem.Revises || d[1].Path != mem.LLM || len(refused) != 1 {
		t.Errorf("read %+v, refused %q", d, refused)
	}
}
