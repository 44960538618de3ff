package bank

import (
	"slices"
	"strings"
	"time"

	"github.com/leanmem/leanmem/core/mem"
)

// MatchesAll reports whether a filter lets every row pass at any time: a loop
// over all rows then need not ask the matcher.
func (s *Snapshot) MatchesAll(f mem.Filter) bool {
	return f.Empty() && !slices.ContainsFunc(s.parts, func(p part) bool { return p.b.expires })
}

// Matcher compiles a filter into a test on live rows. Rows that have expired by
// now never match. A memory matches a speaker when one of its source turns was
// said by that speaker, and About when its own text holds every word of it, or
// it is about or by somebody of that name.
func (s *Snapshot) Matcher(f mem.Filter, now time.Time) func(row int) bool {
	at := now.Unix()
	m := matcher{s: s, f: f, about: s.aboutRows(f.About)}
	if !f.After.IsZero() {
		m.after = f.After.Unix()
	}
	if !f.Before.IsZero() {
		m.before = f.Before.Unix()
	}
	unrestricted := f.Empty()
	return func(row int) bool {
		r := s.Row(row)
		if r.Expires != 0 && r.Expires <= at {
			return false
		}
		return unrestricted || m.matches(row, r)
	}
}

type matcher struct {
	s             *Snapshot
	f             mem.Filter
	about         map[int]bool
	after, before int64 // Unix seconds; 0: open
}

func (m *matcher) matches(row int, r *Row) bool {
	f := &m.f
	switch {
	case len(f.Kinds) > 0 && !slices.Contains(f.Kinds, r.Kind),
		m.after != 0 && (r.Time == 0 || r.Time < m.after),
		m.before != 0 && (r.Time == 0 || r.Time >= m.before),
		len(f.Subjects) > 0 && !anyFold(f.Subjects, r.Subject),
		f.About != "" && !m.about[row-int(r.Passage)] && !strings.EqualFold(f.About, r.Subject) && !strings.EqualFold(f.About, r.Speaker):
		return false
	}
	if len(f.IDs) > 0 && !slices.Contains(f.IDs, r.ID) && !m.citedAs(r) {
		return false
	}
	if len(f.Sessions) > 0 && !m.fromSession(row, r) {
		return false
	}
	if len(f.Speakers) > 0 && !m.saidBy(row, r) {
		return false
	}
	return len(f.Labels) == 0 || m.labelled(r)
}

// citedAs reports whether an id of the filter is the caller's own id of a turn.
func (m *matcher) citedAs(r *Row) bool {
	if r.Kind != mem.KindTurn {
		return false
	}
	return r.Source != "" && slices.Contains(m.f.IDs, r.Source)
}

func (m *matcher) fromSession(row int, r *Row) bool {
	if r.Kind == mem.KindTurn || slices.Contains(m.f.Sessions, r.Session) {
		return slices.Contains(m.f.Sessions, r.Session)
	}
	return m.anySource(row, func(src *Row) bool { return slices.Contains(m.f.Sessions, src.Session) })
}

func (m *matcher) saidBy(row int, r *Row) bool {
	if r.Kind == mem.KindTurn {
		return anyFold(m.f.Speakers, r.Speaker)
	}
	return m.anySource(row, func(src *Row) bool { return anyFold(m.f.Speakers, src.Speaker) })
}

func (m *matcher) anySource(row int, ok func(*Row) bool) bool {
	for _, id := range m.s.Sources(row) {
		if src, found := m.s.Find(id); found && ok(m.s.Row(src)) {
			return true
		}
	}
	return false
}

func (m *matcher) labelled(r *Row) bool {
	for k, v := range m.f.Labels { // all must hold: order does not matter
		if got, ok := r.Labels[k]; !ok || got != v {
			return false
		}
	}
	return true
}

func anyFold(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// aboutRows gives the rows whose text holds every word of about; of a turn in
// passages the first, whichever of them holds a word.
func (s *Snapshot) aboutRows(about string) map[int]bool {
	words := indexWords(about)
	if len(words) == 0 {
		return nil
	}
	slices.Sort(words)
	words = slices.Compact(words)
	hits := map[int]int{}
	for i, w := range words {
		s.Postings(w, func(row, _ int) {
			if head := row - int(s.Row(row).Passage); hits[head] == i {
				hits[head]++
			}
		})
	}
	out := map[int]bool{}
	for row, n := range hits {
		if n == len(words) {
			out[row] = true
		}
	}
	return out
}
