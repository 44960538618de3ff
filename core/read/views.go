package read

import "github.com/leanmem/leanmem/core/mem"

// views computes the states of profiles and events once a question.
type views struct {
	s      Snapshot
	byLine map[string][]mem.State
}

func newViews(s Snapshot) *views { return &views{s: s} }

// states gives every state of the line that a memory belongs to, in order of
// time.
func (v *views) states(m mem.Memory) []mem.State {
	if v.byLine == nil {
		v.byLine = map[string][]mem.State{}
		for _, kind := range []mem.Kind{mem.KindProfile, mem.KindEvent} {
			var all []mem.Memory
			v.s.ByKind(kind, func(row int) { all = append(all, v.s.MemoryAt(row)) })
			list := mem.ProfileStates
			if kind == mem.KindEvent {
				list = mem.TimelineStates
			}
			for _, st := range list(all) {
				key := mem.LineKey(st.Memory)
				v.byLine[key] = append(v.byLine[key], st)
			}
		}
	}
	return v.byLine[mem.LineKey(m)]
}
