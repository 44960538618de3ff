package read

import (
	"cmp"
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/mem"
)

// Candidate is a derived memory that may be evidence.
type Candidate struct {
	*known // the memory

	Row   int
	Rel   float64 // Rel_c(q, m) in [0,1], of the type's own text
	Match float64 // Match(C_q, m) in [0,1]
	Score float64 // eq. 9
}

// relevance mixes how much of the question the memory's own text covers with
// the likeness of vectors. Both are absolute, so that scores of different types
// compare and the best of a type that fits nothing stays low.
const (
	relCoverage = 0.6
	relDense    = 0.4
)

// Retrieve finds the candidates of one derived pool: those that share a word or
// its like with the question or, by vector, its sense; and the profiles that
// are the very attribute which the plan asks for of somebody. Rel is theirs;
// Match and Score are Rerank's.
func Retrieve(s Snapshot, q *Question, plan mem.Plan, kind mem.Kind, keep func(row int) bool) []Candidate {
	ix := indexOf(s)
	asked := map[int]bool{}
	if kind == mem.KindProfile {
		asked = ix.askedFor(q, plan)
	}
	near := ix.nearest(q, ix.pool(kind), asked, keep)
	out := make([]Candidate, len(near))
	for i, f := range near {
		out[i] = Candidate{known: ix.memory(int(f.row)), Row: int(f.row), Rel: f.rel}
	}
	return out
}

// pool is the live memories of one derived kind, with what retrieval needs of
// each.
type pool struct {
	rows    []int32
	about   []int32  // who they are about: a speaker, or one of the following
	lines   []uint64 // bank.LineHash of the line of states
	vectors vectors
}

const (
	aboutNobody = -1 // nobody is named
	aboutOther  = -2 // somebody who does not speak in the bank
)

// pool gathers the memories of a kind, once.
func (ix *index) pool(kind mem.Kind) *pool {
	if p := ix.pools[kind]; p != nil {
		return p
	}
	p := &pool{}
	who := map[string]int32{"": aboutNobody}
	ix.s.Among(kind, func(row int, r *bank.Row) {
		about, seen := who[r.Subject]
		if !seen {
			about = ix.speakerCalled(r.Subject)
			who[r.Subject] = about
		}
		p.rows, p.about, p.lines = append(p.rows, int32(row)), append(p.about, about), append(p.lines, r.Line)
	})
	p.vectors = ix.pack(p.rows)
	if ix.pools == nil {
		ix.pools = map[mem.Kind]*pool{}
	}
	ix.pools[kind] = p
	return p
}

// speakerCalled finds a speaker by name.
func (ix *index) speakerCalled(name string) int32 {
	for i, s := range ix.speakers {
		if strings.EqualFold(s, name) {
			return int32(i)
		}
	}
	return aboutOther
}

// nearest picks the memories of a pool that are most relevant to a question.
func (ix *index) nearest(q *Question, p *pool, asked map[int]bool, keep func(row int) bool) []found {
	cover := ix.covered(q)
	rel := sized(&ix.scratch.cosines, len(p.rows))
	ix.cosines(q, &p.vectors, rel)
	near := relevances(rel, cover, p.rows, sized(&ix.scratch.seen, len(p.rows)))
	best := nearestFound{s: ix.s}
	see := func(i int32, rel float64) {
		if f := (found{p.rows[i], rounded(rel)}); f.rel >= minRel && fits(q, p.about[i]) && (keep == nil || keep(int(f.row))) {
			best.see(f)
		}
	}
	for row := range asked { // each is among the best or not, in whatever order
		if i, ok := slices.BinarySearch(p.rows, int32(row)); ok {
			see(int32(i), max(rel[i], strongRel))
		}
	}
	for _, i := range near {
		if rel[i] >= best.least && (len(asked) == 0 || !asked[int(p.rows[i])]) {
			see(i, rel[i])
		}
	}
	return best.list
}

// relevances turns cosines into Rel and lists those that minRel may admit.
//
//go:noinline
func relevances(rel, cover []float64, rows, to []int32) []int32 {
	n := 0
	for i, row := range rows {
		v := float64(relDense*rel[i]) + float64(relCoverage*cover[row])
		rel[i] = v
		if v >= minRel-1/scoreSteps && n < len(to) {
			to[n] = int32(i)
			n++
		}
	}
	return to[:n]
}

// found is a row that may be a candidate.
type found struct {
	row int32
	rel float64
}

// nearestFound keeps the retrieveMost rows with the highest rel, ties by id.
type nearestFound struct {
	s     Snapshot
	list  []found
	least float64 // a lower rel is not among them
}

func (b *nearestFound) see(f found) {
	order := func(x, y found) int {
		return cmp.Or(cmp.Compare(y.rel, x.rel), cmp.Compare(b.s.Row(int(x.row)).ID, b.s.Row(int(y.row)).ID))
	}
	n := len(b.list)
	if n == retrieveMost {
		if order(b.list[n-1], f) <= 0 {
			return
		}
		b.list = b.list[:n-1]
	}
	at, _ := slices.BinarySearchFunc(b.list, f, order)
	b.list = append(b.list, f)
	copy(b.list[at+1:], b.list[at:])
	b.list[at] = f
	if len(b.list) == retrieveMost {
		b.least = b.list[retrieveMost-1].rel - 1/scoreSteps
	}
}

// known is a decoded memory with what does not depend on a question.
type known struct {
	mem.Memory
	lower    string // its text in lower case, between spaces
	line     string // the line of states that it belongs to
	from, to int32  // its time, in days; noDay when unknown
}

func knownOf(m mem.Memory) *known {
	out := &known{Memory: m, lower: " " + strings.ToLower(bank.MemoryText(m)) + " ", line: mem.LineKey(m), from: dayNumber(mem.Day(m))}
	out.to = out.from
	if m.Event != nil && m.Event.Anchor.To != "" {
		out.to = dayNumber(m.Event.Anchor.To)
	}
	return out
}

// memory decodes a memory, once while the index lives.
func (ix *index) memory(row int) *known {
	if m, ok := ix.memories[row]; ok {
		return m
	}
	if ix.memories == nil || len(ix.memories) >= shownKept {
		ix.memories = map[int]*known{}
	}
	m := knownOf(ix.s.MemoryAt(row))
	ix.memories[row] = m
	return m
}

// askedFor finds the profiles of the attributes that a plan names, of those
// whom the question names or of the user who asks.
func (ix *index) askedFor(q *Question, plan mem.Plan) map[int]bool {
	out := map[int]bool{}
	subjects := plan.Constraints.Entities
	if q.asker {
		subjects = append([]string{string(mem.RoleUser)}, subjects...)
	}
	for _, subject := range subjects {
		for _, attribute := range plan.Constraints.Attributes {
			for _, row := range ix.line(mem.KindProfile, mem.LineKey(mem.Memory{Profile: &mem.Profile{Subject: subject, Attribute: attribute}})) {
				out[row] = true
			}
		}
	}
	return out
}

// fits reports whether a memory may be about whom the question names: what is
// about another speaker is not.
func fits(q *Question, about int32) bool {
	return about < 0 || len(q.named) == 0 || slices.Contains(q.named, about)
}

const (
	minRel       = 0.12 // below it nothing of the question is met
	retrieveMost = 32   // candidates of a pool that reach reranking
)

// covered gives, for every row that is not a turn, the share of the question's
// words (by idf) that it covers.
func (ix *index) covered(q *Question) []float64 {
	cover := sized(&ix.scratch.cover, ix.s.Rows())
	if ix.scratch.coverOf == q {
		return cover
	}
	ix.scratch.coverOf = q
	clear(cover)
	if total := q.totalIDF(); total > 0 {
		for i := range q.terms {
			addShares(cover, q.terms[i].memories, q.terms[i].idf/total)
		}
	}
	return cover
}

//go:noinline
func addShares(to []float64, list []weighted, share float64) {
	for _, m := range list {
		to[m.at] += float64(float64(m.weight) * share)
	}
}

// Weights of the constraints in Match.
const (
	matchEntity    = 0.4
	matchTime      = 0.3
	matchAttribute = 0.2
	matchRelation  = 0.1
	nearDays       = 7 // outside a period by so much still counts half
)

// Rerank gives each candidate its score of eq. 9, w(Rel + Match), and orders
// them. Match is the weighted mean over the constraints that the plan has.
func Rerank(plan mem.Plan, candidates []Candidate) []Candidate {
	for i := range candidates {
		c := &candidates[i]
		c.Match = match(plan.Constraints, c.known)
		c.Score = rounded(plan.Weights.Of(c.Memory.Kind) * (c.Rel + c.Match))
	}
	mem.Sort(candidates, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Memory.ID, b.Memory.ID))
	})
	return candidates
}

// match compares a memory with the constraints.
func match(c mem.Constraints, m *known) float64 {
	sum, weight := 0.0, 0.0
	add := func(has bool, w, v float64) {
		if has {
			weight += w
			sum += float64(w * v)
		}
	}
	add(len(c.Entities) > 0, matchEntity, shareIn(c.Entities, m.lower))
	add(len(c.Times) > 0, matchTime, overlap(c.Times, m))
	add(len(c.Attributes) > 0, matchAttribute, attributeMatch(c.Attributes, m.Memory))
	add(len(c.Relations) > 0, matchRelation, shareIn(c.Relations, m.lower))
	if weight == 0 {
		return 0
	}
	return sum / weight
}

func shareIn(names []string, own string) float64 {
	n := 0.0
	for _, name := range names {
		if strings.Contains(own, strings.ToLower(name)) {
			n++
		}
	}
	return n / max(1, float64(len(names)))
}

func attributeMatch(attributes []string, m mem.Memory) float64 {
	if m.Profile == nil {
		return 0
	}
	if slices.ContainsFunc(attributes, func(a string) bool { return strings.EqualFold(a, m.Profile.Attribute) }) {
		return 1
	}
	return 0
}

// overlap is 1 when the memory's time meets a period, ½ within nearDays of it.
func overlap(periods []mem.Interval, m *known) float64 {
	from, to := m.from, m.to
	if from == noDay {
		return 0
	}
	best := 0.0
	for _, p := range periods {
		a, b := dayNumber(p.From), dayNumber(p.To)
		if a == noDay {
			a = from
		}
		if b == noDay {
			b = to
		}
		switch {
		case from <= b && to >= a:
			return 1
		case from <= b+nearDays && to >= a-nearDays:
			best = 0.5
		}
	}
	return best
}
