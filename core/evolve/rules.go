package evolve

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// Rules take two states for the same from sameState on, and two topics for one
// matter from sameTopic on.
const (
	sameState = 0.85
	sameTopic = 0.6
)

// Decision is how an incoming event stands to an earlier one.
type Decision struct {
	Relation mem.Relation
	Target   mem.Memory // of the relation; unset for new
	Path     mem.Path
}

// ByRule decides the plain cases. clear is false where a model may know
// better: there are related events, and no words that settle it.
func ByRule(c Case) (d Decision, clear bool) {
	d = Decision{Relation: mem.Opens, Path: mem.Rules}
	if len(c.Related) == 0 {
		return d, true
	}
	head, likely := headOf(c)
	if !likely {
		return d, false
	}
	now, before := c.Event.Event, head.Event
	state := overlap(stems(now.State), stems(before.State))
	topic := overlap(stems(now.Topic), stems(before.Topic))
	d.Target = head
	switch {
	case state >= sameState && (now.Anchor.From == "" || now.Anchor.From == before.Anchor.From || !changes(now.State)):
		d.Relation = mem.Confirms
		return d, true
	case changes(now.State) && topic >= likeness, standing(now, before):
		d.Relation = mem.Revises
		return d, standing(now, before)
	case topic >= sameTopic:
		d.Relation = mem.Extends
		return d, false
	}
	return Decision{Relation: mem.Opens, Path: mem.Rules}, false
}

// headOf is the latest event of the timeline that c most likely belongs to:
// that of the related event with the likest topic.
func headOf(c Case) (mem.Memory, bool) {
	best, at := 0.0, -1
	for i, r := range c.Related {
		if s := c.stems.likeness(r, c.Event); s >= best {
			best, at = s, i
		}
	}
	if at < 0 || best < likeness {
		return mem.Memory{}, false
	}
	line := Timeline(c.Related[at])
	for _, r := range slices.Backward(c.Related) {
		if Timeline(r) == line {
			return r, true
		}
	}
	return c.Related[at], true
}

// standing reports states of one short topic that exclude each other: "Ana: on
// Red", "Ana: on Blue".
func standing(now, before *mem.Event) bool {
	return fold(now.Topic) == fold(before.Topic) && len(strings.Fields(now.Topic)) <= 2 && len(strings.Fields(now.State)) <= 6 &&
		overlap(stems(now.State), stems(before.State)) < sameState
}

// changes reports words that say that a state took the place of another.
func changes(state string) bool {
	for _, w := range text.Words(state) {
		switch w {
		case "now", "again", "anymore", "instead", "changed", "switched", "cancelled", "canceled", "postponed", "rescheduled", "moved", "back",
			"quit", "stopped", "replaced", "sold", "left", "longer", "became", "renamed", "改", "换", "取消":
			return true
		}
	}
	for _, w := range []string{"改成", "换成", "取消", "不再", "现在"} {
		if strings.Contains(state, w) {
			return true
		}
	}
	return false
}

// Timeline is the id of the timeline of an event.
func Timeline(m mem.Memory) string {
	if m.Event.Timeline != "" {
		return m.Event.Timeline
	}
	return m.ID
}

// Apply gives the incoming event its place. The event that it refers to is not
// changed.
func Apply(m mem.Memory, d Decision) mem.Memory {
	e := *m.Event
	e.Buffered = false
	e.Relation, e.Target, e.Timeline = mem.Opens, "", m.ID
	if d.Relation != mem.Opens && d.Relation != "" {
		e.Relation, e.Target, e.Timeline = d.Relation, d.Target.ID, Timeline(d.Target)
	}
	m.Event = &e
	return m
}
