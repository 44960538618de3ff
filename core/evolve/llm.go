package evolve

import (
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
	"github.com/leanmem/leanmem/core/text"
)

// The most tokens of events that one call shows, and of one state.
const (
	batchTokens = 2000
	stateTokens = 32
)

// Batches packs cases that do not depend on each other into calls.
func Batches(cases []Case) [][]Case {
	var out [][]Case
	size := batchTokens
	for _, c := range cases {
		n := 24
		for _, m := range append([]mem.Memory{c.Event}, c.Related...) {
			n += text.EstimateTokens(m.Event.Topic) + min(stateTokens, text.EstimateTokens(m.Event.State)) + 24
		}
		if size+n > batchTokens {
			out = append(out, nil)
			size = 0
		}
		out[len(out)-1] = append(out[len(out)-1], c)
		size += n
	}
	return out
}

// Message asks about a batch.
func Message(batch []Case) prompt.Message { return prompt.Evolve(shown(batch)) }

// shown gives the batch short ids: cases from 1, related events from 1.
func shown(batch []Case) []prompt.Incoming {
	out := make([]prompt.Incoming, len(batch))
	id := 0
	for i, c := range batch {
		out[i] = prompt.Incoming{Number: i + 1, Event: line(c.Event, 0)}
		for _, r := range c.Related {
			id++
			out[i].Related = append(out[i].Related, line(r, id))
		}
	}
	return out
}

func line(m mem.Memory, id int) prompt.EventLine {
	return prompt.EventLine{ID: id, Date: mem.Day(m), Who: m.Event.Subject, Topic: m.Event.Topic, State: text.Cut(m.Event.State, stateTokens)}
}

// Read reads the reply to Message: a decision for each case that it settles,
// by place in the batch.
func Read(reply string, batch []Case) (decisions map[int]Decision, refused []string) {
	offered := shown(batch)
	read := prompt.ParseEvolve(reply, offered)
	decisions = map[int]Decision{}
	for i, in := range offered {
		u, ok := read.Of(in.Number)
		if !ok {
			continue
		}
		d := Decision{Relation: mem.Relation(u.Relation), Path: mem.LLM}
		for j, r := range in.Related {
			if r.ID == u.Target {
				d.Target = batch[i].Related[j]
			}
		}
		decisions[i] = d
	}
	return decisions, read.Refused
}
