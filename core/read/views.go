package read

import (
	"cmp"
	"slices"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// longHistory is how many memories of one line are compared with each other. Of a
// longer one (everything that somebody likes) only those are that share a word
// with the memory asked about, and of those the latest.
const longHistory = 48

// linesKept is how many lines an index keeps.
const linesKept = 1024

// states gives the states of the line, named key, that a memory belongs to, in order of
// time. They are computed when asked for and kept with the index, unless some
// have expired: that depends on the clock.
func (ix *index) states(m mem.Memory, key string, alive func(row int) bool) []mem.State {
	if key == "" {
		return nil
	}
	memo := key
	rows := ix.line(m.Kind, key)
	if alive != nil && slices.ContainsFunc(rows, func(row int) bool { return !alive(row) }) {
		rows = slices.DeleteFunc(slices.Clone(rows), func(row int) bool { return !alive(row) })
		memo = ""
	}
	if memo != "" {
		if len(rows) > longHistory {
			memo += "\x00" + m.ID
		}
		if st, ok := ix.held[memo]; ok {
			return st
		}
	}
	if len(rows) > longHistory {
		rows = ix.sharing(rows, m)
	}
	all := make([]mem.Memory, 0, len(rows))
	for _, row := range rows {
		all = append(all, ix.memory(row).Memory)
	}
	list := mem.ProfileStates
	if m.Kind == mem.KindEvent {
		list = mem.TimelineStates
	}
	st := list(all)
	if memo == "" {
		return st
	}
	if ix.held == nil || len(ix.held) >= linesKept {
		ix.held = map[string][]mem.State{}
	}
	ix.held[memo] = st
	return st
}

// line gives the rows of a line, in order of session, place, time and id.
func (ix *index) line(kind mem.Kind, key string) []int {
	if rows, ok := ix.lines[key]; ok {
		return rows
	}
	var out []int
	p, hash := ix.pool(kind), bank.LineHash(key)
	for i, h := range p.lines {
		if row := int(p.rows[i]); h == hash && ix.memory(row).line == key {
			out = append(out, row)
		}
	}
	mem.Sort(out, func(a, b *int) int {
		x, y := ix.s.Row(*a), ix.s.Row(*b)
		return cmp.Or(cmp.Compare(x.Session, y.Session), cmp.Compare(x.Seq, y.Seq), cmp.Compare(x.Time, y.Time), cmp.Compare(x.ID, y.ID))
	})
	if ix.lines == nil || len(ix.lines) >= linesKept {
		ix.lines = map[string][]int{}
	}
	ix.lines[key] = out
	return out
}

// sharing keeps the rows whose text shares a content word with that of m, at
// most longHistory of them, the latest.
func (ix *index) sharing(rows []int, m mem.Memory) []int {
	share := map[int]bool{}
	for _, w := range contentOf(m) {
		ix.s.Postings(w, func(row, _ int) { share[row] = true })
	}
	var out []int
	for _, row := range rows {
		if share[row] || ix.s.Row(row).ID == m.ID {
			out = append(out, row)
		}
	}
	if len(out) <= longHistory {
		return out
	}
	mem.Sort(out, func(a, b *int) int {
		x, y := ix.s.Row(*a), ix.s.Row(*b)
		return cmp.Or(cmp.Compare(x.Time, y.Time), cmp.Compare(x.ID, y.ID))
	})
	late := out[len(out)-longHistory:]
	if !slices.ContainsFunc(late, func(row int) bool { return ix.s.Row(row).ID == m.ID }) {
		for _, row := range out {
			if ix.s.Row(row).ID == m.ID {
				late = append([]int{row}, late...)
			}
		}
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
	words := slices.DeleteFunc(text.Words(own), text.Stop)
	slices.Sort(words)
	return slices.Compact(words)
}
