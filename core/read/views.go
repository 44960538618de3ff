package read

import (
	"slices"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// longHistory is how many memories of one line are compared with each other. Of a
// longer one (everything that somebody likes) only those are that share a word
// with the memory asked about, and of those the latest.
const longHistory = 48

// states gives the states of the line that a memory belongs to, in order of
// time. They are computed when asked for and kept with the index.
func (ix *index) states(m mem.Memory) []mem.State {
	key := mem.LineKey(m)
	if key == "" {
		return nil
	}
	if ix.lines == nil {
		ix.fillLines()
	}
	rows := ix.lines[key]
	memo := key
	if len(rows) > longHistory {
		memo += "\x00" + m.ID
	}
	if st, ok := ix.held[memo]; ok {
		return st
	}
	all := make([]mem.Memory, 0, len(rows))
	for _, row := range rows {
		all = append(all, ix.s.MemoryAt(row))
	}
	if len(all) > longHistory {
		all = sharing(all, m)
	}
	list := mem.ProfileStates
	if m.Kind == mem.KindEvent {
		list = mem.TimelineStates
	}
	st := list(all)
	ix.held[memo] = st
	return st
}

// fillLines finds which rows stand in which line.
func (ix *index) fillLines() {
	ix.lines, ix.held = map[string][]int{}, map[string][]mem.State{}
	for _, kind := range []mem.Kind{mem.KindProfile, mem.KindEvent} {
		ix.s.ByKind(kind, func(row int) {
			key := mem.LineKey(ix.s.MemoryAt(row))
			ix.lines[key] = append(ix.lines[key], row)
		})
	}
}

// sharing keeps the memories whose text shares a content word with that of m,
// at most longHistory of them, the latest.
func sharing(all []mem.Memory, m mem.Memory) []mem.Memory {
	words := contentOf(m)
	all = slices.DeleteFunc(all, func(x mem.Memory) bool {
		return x.ID != m.ID && !slices.ContainsFunc(contentOf(x), func(w string) bool { return slices.Contains(words, w) })
	})
	if len(all) <= longHistory {
		return all
	}
	slices.SortFunc(all, func(a, b mem.Memory) int { return a.Time.Compare(b.Time) })
	late := all[len(all)-longHistory:]
	if !slices.ContainsFunc(late, func(x mem.Memory) bool { return x.ID == m.ID }) {
		late = append([]mem.Memory{m}, late...)
	}
	return late
}

func contentOf(m mem.Memory) []string {
	own := ""
	if m.Profile != nil {
		own = m.Profile.Value
	} else if m.Event != nil {
		own = m.Event.State
	}
	return slices.DeleteFunc(text.Words(own), text.Stop)
}
