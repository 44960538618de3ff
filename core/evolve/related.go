package evolve

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/rank"
	"github.com/leanmem/leanmem/core/text"
)

// Capacity is the size of the event buffer unless the caller sets another.
const Capacity = 8

// Localisation: how many related events an incoming one is set beside, how
// like it they are, and how many are looked at closely.
const (
	mostRelated = 4
	likeness    = 0.5
	touching    = 0.2 // of the words, where the vectors' likeness is that alone
	akin        = 0.7 // of the vectors, where no word is shared
	candidates  = 16
)

// Case is an incoming event with the earlier ones that it may belong to, in
// order of their anchors.
type Case struct {
	Event   mem.Memory
	Related []mem.Memory
	stems   Stems
}

// Buffered lists the events that wait for consolidation, in the order in which
// they were said.
func Buffered(s *bank.Snapshot) []mem.Memory {
	var out []mem.Memory
	s.Among(mem.KindEvent, func(row int, r *bank.Row) {
		if r.Buffered {
			out = append(out, s.MemoryAt(row))
		}
	})
	mem.Sort(out, func(a, b *mem.Memory) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// Lot is a run of buffered events that are decided together.
type Lot struct {
	Events []mem.Memory // in order of their anchors
	ids    map[string]bool
	stems  Stems
}

// LotOf makes a lot of events. known is what the lots of one run share; nil:
// nothing.
func LotOf(events []mem.Memory, known Stems) Lot {
	l := Lot{Events: slices.Clone(events), ids: map[string]bool{}, stems: known}
	for _, m := range events {
		l.ids[m.ID] = true
	}
	mem.Sort(l.Events, inTime)
	return l
}

// Count is how many events are buffered.
func Count(s *bank.Snapshot) int {
	n := 0
	s.Among(mem.KindEvent, func(_ int, r *bank.Row) {
		if r.Buffered {
			n++
		}
	})
	return n
}

// inTime compares events by anchor, then by when they were said.
func inTime(a, b *mem.Memory) int {
	return cmp.Or(cmp.Compare(mem.Day(*a), mem.Day(*b)), a.Time.Compare(b.Time), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
}

// Case finds the related events of m, an event of the lot: not later than it,
// like it in topic and state. evolved holds the events that the current run has
// decided, as they now are. Events that wait outside the lot are passed over:
// whether they are there already depends on how much was added at once.
func (l Lot) Case(s *bank.Snapshot, m mem.Memory, evolved map[string]mem.Memory) Case {
	known := func(row int) bool {
		r := s.Row(row)
		if !r.Buffered || l.ids[r.ID] {
			return true
		}
		_, decided := evolved[r.ID]
		return decided
	}
	var found []scored
	for _, c := range nearest(s, m, known) {
		other := s.MemoryAt(c.row)
		if e, ok := evolved[other.ID]; ok {
			other = e
		}
		if other.ID == m.ID || inTime(&other, &m) >= 0 || apart(other, m) {
			continue
		}
		score := l.stems.likeness(other, m)
		if c.score >= akin || c.score >= likeness && score >= touching {
			score = max(score, c.score)
		}
		if score >= likeness {
			found = append(found, scored{memory: other, score: score})
		}
	}
	mem.Sort(found, func(a, b *scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), inTime(&b.memory, &a.memory))
	})
	found = found[:min(len(found), mostRelated)]
	out := Case{Event: m, stems: l.stems}
	for _, f := range found {
		out.Related = append(out.Related, f.memory)
	}
	mem.Sort(out.Related, inTime)
	return out
}

type scored struct {
	memory mem.Memory
	score  float64
}

// apart reports events of different people, and of callers that are kept apart
// by their labels.
func apart(a, b mem.Memory) bool {
	x, y := fold(a.Event.Subject), fold(b.Event.Subject)
	if x != "" && y != "" && x != y {
		return true
	}
	for k, v := range a.Labels { // any difference: order does not matter
		if b.Labels[k] != v {
			return true
		}
	}
	return len(a.Labels) != len(b.Labels)
}

// nearest gives the known rows of events that may be like m: by vector where it
// has one, else by the words that they share.
func nearest(s *bank.Snapshot, m mem.Memory, known func(row int) bool) []candidate {
	own, ok := s.Find(m.ID)
	if !ok {
		return nil
	}
	best := shortlist{snap: s}
	if v := s.Vector(own); len(v) > 0 {
		best.byVector(v, own, known)
	} else {
		best.sharing(m, own, known)
	}
	return best.list
}

// candidate is the row of an event that may be related.
type candidate struct {
	row   int
	score float64
}

// shortlist keeps the candidates with the highest scores, ties by id.
type shortlist struct {
	snap *bank.Snapshot
	list []candidate
}

func (l *shortlist) offer(row int, score float64) {
	full := len(l.list) == candidates
	if full && score < l.list[candidates-1].score {
		return
	}
	c := candidate{row, score}
	at, _ := slices.BinarySearchFunc(l.list, c, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(l.snap.Row(a.row).ID, l.snap.Row(b.row).ID))
	})
	if at == candidates {
		return
	}
	if full {
		l.list = l.list[:candidates-1]
	}
	l.list = append(l.list, c)
	copy(l.list[at+1:], l.list[at:])
	l.list[at] = c
}

// signsApart is how many signs of two vectors, in a hundred, may differ before
// their cosine is not worth computing. At a cosine of 0.5 a third of them does.
const signsApart = 45

// byVector offers the known events whose vectors are like v.
func (l *shortlist) byVector(v []int8, own int, known func(row int) bool) {
	length := float64(rank.DotInt8(v, v))
	l.snap.Alike(mem.KindEvent, rank.Signature(v), signsApart*len(v)/100, func(row int, other []int8, square int32) {
		if row == own || !known(row) {
			return
		}
		cosine := float64(rank.DotInt8(v, other)) / math.Sqrt(float64(length*float64(square)))
		if score := rank.Round(cosine); score >= likeness {
			l.offer(row, score)
		}
	})
}

// sharedMost bounds how many known events the shared words of one may reach: a
// word of half of all events tells little and costs most.
const sharedMost = 2000

// sharing offers events by the number of stems that they share with m, rare
// stems first.
func (l *shortlist) sharing(m mem.Memory, own int, known func(row int) bool) {
	s := l.snap
	var lists [][]int32
	list := make([]int32, s.Rows()) // row → the last list that has it
	var postings []bank.Posting
	for _, stem := range stems(m.Event.Topic + " " + m.Event.State) {
		var rows []int32
		n := int32(len(lists) + 1)
		postings = s.AppendStemPostings(postings[:0], stem)
		for _, p := range postings {
			if row := int(p.Row); list[row] != n && row != own && s.Row(row).Kind == mem.KindEvent && known(row) {
				list[row] = n
				rows = append(rows, p.Row)
			}
		}
		lists = append(lists, rows)
	}
	mem.Sort(lists, func(a, b *[]int32) int { return cmp.Compare(len(*a), len(*b)) })
	counts, reached := map[int32]int{}, 0
	for _, rows := range lists {
		if reached += len(rows); reached > sharedMost && len(counts) > 0 {
			break
		}
		for _, row := range rows {
			counts[row]++
		}
	}
	for row, n := range counts { // the list has an order of its own
		l.offer(int(row), float64(n)/1e3)
	}
}

// Stems remembers the stems of texts: the events of a run meet the same others.
// A nil one remembers nothing.
type Stems map[string][]string

func (known Stems) text(s string) []string {
	list, ok := known[s]
	if !ok {
		list = stems(s)
		if known != nil {
			known[s] = list
		}
	}
	return list
}

// likeness compares two events by the words of topic and state: the greater of
// the cosine over both and, at a discount, of the topics alone.
func (known Stems) likeness(a, b mem.Memory) float64 {
	both := overlap(known.text(a.Event.Topic+" "+a.Event.State), known.text(b.Event.Topic+" "+b.Event.State))
	topics := overlap(known.text(a.Event.Topic), known.text(b.Event.Topic))
	return max(both, float64(topics*0.9))
}

// overlap is the cosine of two sets of stems, both sorted.
func overlap(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	n := 0
	for _, w := range a {
		if _, ok := slices.BinarySearch(b, w); ok {
			n++
		}
	}
	return rank.Round(float64(n) / math.Sqrt(float64(len(a)*len(b))))
}

// stems are the content words of a text as a sorted set; all its words when
// none has content.
func stems(s string) []string {
	words := text.Words(s)
	var out []string
	for _, w := range words {
		if !text.Stop(w) {
			out = append(out, text.Stem(w))
		}
	}
	if len(out) == 0 {
		out = words
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
