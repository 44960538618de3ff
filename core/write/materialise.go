package write

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
)

// Complete fills in by rule what a route does not hold yet (eq. 5): the event
// of its sources, the gist of a record, since when a model's fact holds. A route to an event whose sources tell
// none that rules can find becomes a record, so that nothing is lost.
func Complete(seg mem.Segment, r mem.Route) mem.Route {
	turns := pick(seg, r.Sources)
	people := PeopleOf(seg.Turns)
	if r.Action == mem.ToEvent && r.Event == nil {
		var c carry
		for i := range turns {
			if h := happened(turns, i, linesOf(turns[i]), people, &c); len(h) > 0 {
				r.Event = &h[0].event
				return r
			}
		}
		r.Action = mem.ToRecord
	}
	if r.Action == mem.ToProfile && r.Path == mem.LLM {
		r.Facts = sinceTold(r.Facts, turns, people)
	}
	if r.Action == mem.ToRecord && r.Gist == "" {
		r.Gist = Gist(turns)
	}
	return r
}

// Materialise makes the memories of a segment from complete routes (eq. 5 and
// 7). Every memory names all turns that it was derived from and inherits what
// they agree on in labels and the earliest of their expiries.
func Materialise(seg mem.Segment, routes []mem.Route, fingerprint string) []mem.Memory {
	var out []mem.Memory
	ordinals := map[string]int{}
	add := func(r mem.Route, m mem.Memory) {
		turns := pick(seg, r.Sources)
		if len(turns) == 0 {
			return
		}
		m = inherit(m, turns)
		key := string(m.Kind) + strings.Join(m.Sources, " ")
		m.ID = mem.MemoryID(m.Kind, m.Sources, ordinals[key])
		ordinals[key]++
		m.Fingerprint, m.Path = fingerprint, r.Path
		out = append(out, m)
	}
	for _, r := range routes {
		switch r.Action {
		case mem.ToProfile:
			for _, p := range r.Facts {
				add(r, mem.Memory{Kind: mem.KindProfile, Profile: &p})
			}
		case mem.ToEvent:
			if r.Event != nil {
				e := *r.Event
				e.Buffered = true
				add(r, mem.Memory{Kind: mem.KindEvent, Event: &e})
			}
		case mem.ToRecord:
			if r.Gist != "" {
				add(r, mem.Memory{Kind: mem.KindRecord, Record: &mem.Record{Gist: r.Gist, Keywords: Keywords(pick(seg, r.Sources))}})
			}
		}
	}
	return out
}

// pick gives the turns at indices; none given means the whole segment, and
// what lies outside was never offered.
func pick(seg mem.Segment, indices []int) []mem.Turn {
	if len(indices) == 0 {
		return seg.Turns
	}
	sorted := slices.Clone(indices)
	mem.Sort(sorted, func(a, b *int) int { return *a - *b })
	sorted = slices.Compact(sorted)
	out := make([]mem.Turn, 0, len(sorted))
	for _, i := range sorted {
		if i >= 0 && i < len(seg.Turns) {
			out = append(out, seg.Turns[i])
		}
	}
	return out
}

func inherit(m mem.Memory, turns []mem.Turn) mem.Memory {
	last := turns[len(turns)-1]
	m.Session, m.Time, m.Seq = turns[0].Session, last.Time, last.Seq
	for _, t := range turns {
		m.Sources = append(m.Sources, t.ID)
		if !t.Expires.IsZero() && (m.Expires.IsZero() || t.Expires.Before(m.Expires)) {
			m.Expires = t.Expires
		}
	}
	m.Labels = agreed(turns)
	return m
}

// agreed gives the labels that all turns carry with the same value.
func agreed(turns []mem.Turn) map[string]string {
	var out map[string]string
	for k, v := range turns[0].Labels {
		if !slices.ContainsFunc(turns[1:], func(t mem.Turn) bool { return t.Labels[k] != v }) {
			if out == nil {
				out = map[string]string{}
			}
			out[k] = v
		}
	}
	return out
}
