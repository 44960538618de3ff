package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/leanmem/leanmem/core/embed"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
	"github.com/leanmem/leanmem/core/write"
	"github.com/leanmem/leanmem/host/dialogue"
)

// pipeline shows one session stage by stage, with the stages that the engine
// runs.
func (s stage) pipeline(_ context.Context, h *dialogue.History) error {
	turns := demoTurns(h)
	key := write.Filter(turns)
	vectors := make([][]int8, len(turns))
	for i, t := range turns {
		if v, ok := embed.Text(t.Text); ok {
			vectors[i] = v
		}
	}
	segments := write.Segments(turns, key, vectors)
	kept := 0
	for _, k := range key {
		if k {
			kept++
		}
	}
	s.heading(fmt.Sprintf("One session, %s, stage by stage", text.HumanDate(turns[0].Time)))
	s.say("filter keeps %d of %s (·) → %s → routes", kept, count(len(turns), "turn"), count(len(segments), "segment"))
	i := 0
	for _, seg := range segments {
		for _, t := range seg.Turns {
			mark := " "
			if key[i] {
				mark = "·"
			}
			s.say("  %s %s: %s", mark, t.Speaker, clip(t.Text, 92))
			i++
		}
		for _, r := range write.Schedule(seg).Routes {
			s.say("      %s", s.bold(routed(write.Complete(seg, r))))
		}
	}
	return nil
}

func demoTurns(h *dialogue.History) []mem.Turn {
	var out []mem.Turn
	for _, session := range h.Sessions {
		if session.ID != demoSession {
			continue
		}
		for i, t := range session.Turns {
			at, _ := text.ParseStamp(t.Time)
			out = append(out, mem.Turn{ID: t.ID, Session: session.ID, Source: t.ID, Seq: i, Speaker: t.Speaker, Role: t.Role, Time: at, Text: t.Text, Parts: t.Parts})
		}
	}
	return out
}

// routed says what becomes of a segment.
func routed(r mem.Route) string {
	switch r.Action {
	case mem.ToProfile:
		var facts []string
		for i := range r.Facts {
			facts = append(facts, mem.Memory{Profile: &r.Facts[i]}.Text())
		}
		return "→ profile  " + strings.Join(facts, "; ")
	case mem.ToEvent:
		if r.Event == nil {
			return "→ event"
		}
		day := r.Event.Anchor.From
		if day != "" && r.Event.Anchor.To != day {
			day += " – " + r.Event.Anchor.To
		}
		return strings.TrimRight("→ event    "+clip((mem.Memory{Event: r.Event}).Text(), 84)+"  "+day, " ")
	case mem.ToRecord:
		return "→ record   " + clip(r.Gist, 84)
	}
	return "→ ignored (its turns can be found all the same)"
}
