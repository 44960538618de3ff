package read

import (
	"cmp"
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/rank"
)

// Candidate is a derived memory that may be evidence.
type Candidate struct {
	Row    int
	Memory mem.Memory
	Rel    float64 // Rel_c(q, m) in [0,1], of the type's own text
	Match  float64 // Match(C_q, m) in [0,1]
	Score  float64 // eq. 9
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
	cover := ix.coverRows(q)
	var near []found
	signs, qn := rank.Signature(q.Vector), length8(q.Vector)
	s.Among(kind, func(row int, r *bank.Row) {
		rel := float64(relCoverage * cover[int32(row)])
		if qn > 0 && mayBeLike(signs, s.Signs(row), len(q.Vector)) {
			v := s.Vector(row)
			rel += float64(relDense * max(0, float64(rank.DotInt8(q.Vector, v))/float64(qn*length8(v))))
		}
		if asked[row] {
			rel = max(rel, strongRel)
		}
		if rel = rounded(rel); rel >= minRel && ix.fits(q, r) && keep(row) {
			near = keepBest(s, near, found{row, rel})
		}
	})
	out := make([]Candidate, len(near))
	for i, f := range near {
		out[i] = Candidate{Row: f.row, Rel: f.rel, Memory: ix.memory(f.row)}
	}
	return out
}

// found is a row that may be a candidate.
type found struct {
	row int
	rel float64
}

// mayBeLike reports whether two signatures leave room for a cosine that counts.
func mayBeLike(a, b []uint64, dims int) bool {
	return len(a) == len(b) && rank.Hamming(a, b)*100 <= 45*dims
}

// keepBest keeps the retrieveMost rows with the highest rel, ties by id.
func keepBest(s Snapshot, best []found, f found) []found {
	order := func(a, b found) int {
		return cmp.Or(cmp.Compare(b.rel, a.rel), cmp.Compare(s.Row(a.row).ID, s.Row(b.row).ID))
	}
	if len(best) == retrieveMost && order(best[retrieveMost-1], f) <= 0 {
		return best
	}
	at, _ := slices.BinarySearchFunc(best, f, order)
	best = slices.Insert(best, at, f)
	return best[:min(len(best), retrieveMost)]
}

// memory decodes a memory, once while the index lives.
func (ix *index) memory(row int) mem.Memory {
	if m, ok := ix.memories[row]; ok {
		return m
	}
	if ix.memories == nil || len(ix.memories) >= shownKept {
		ix.memories = map[int]mem.Memory{}
	}
	m := ix.s.MemoryAt(row)
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
			for _, row := range ix.line(mem.LineKey(mem.Memory{Profile: &mem.Profile{Subject: subject, Attribute: attribute}})) {
				out[row] = true
			}
		}
	}
	return out
}

// fits reports whether a memory may be about whom the question names: what is
// about another speaker is not.
func (ix *index) fits(q *Question, r *bank.Row) bool {
	if len(q.named) == 0 || r.Subject == "" {
		return true
	}
	other := false
	for i, name := range ix.speakers {
		if !strings.EqualFold(name, r.Subject) {
			continue
		}
		if slices.Contains(q.named, int32(i)) {
			return true
		}
		other = true
	}
	return !other
}

const (
	minRel       = 0.12 // below it nothing of the question is met
	retrieveMost = 32   // candidates of a pool that reach reranking
)

// coverRows gives, for every row that a word of the question meets, the share
// of the words (by idf) that it covers.
func (ix *index) coverRows(q *Question) map[int32]float64 {
	if q.cover != nil {
		return q.cover
	}
	q.cover = map[int32]float64{}
	total := q.totalIDF()
	for i := range q.terms {
		t := &q.terms[i]
		for _, m := range t.met {
			if ix.pos[m.row] < 0 && total > 0 { // turns are ranked elsewhere
				q.cover[m.row] += float64(m.cosine * t.idf / total)
			}
		}
	}
	return q.cover
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
		c.Match = match(plan.Constraints, c.Memory)
		c.Score = rounded(plan.Weights.Of(c.Memory.Kind) * (c.Rel + c.Match))
	}
	slices.SortFunc(candidates, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Memory.ID, b.Memory.ID))
	})
	return candidates
}

func match(c mem.Constraints, m mem.Memory) float64 {
	sum, weight := 0.0, 0.0
	add := func(has bool, w, v float64) {
		if has {
			weight += w
			sum += float64(w * v)
		}
	}
	own := " " + strings.ToLower(bank.MemoryText(m)) + " "
	add(len(c.Entities) > 0, matchEntity, shareIn(c.Entities, own))
	add(len(c.Times) > 0, matchTime, overlap(c.Times, m))
	add(len(c.Attributes) > 0, matchAttribute, attributeMatch(c.Attributes, m))
	add(len(c.Relations) > 0, matchRelation, shareIn(c.Relations, own))
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
func overlap(periods []mem.Interval, m mem.Memory) float64 {
	from := dayNumber(mem.Day(m))
	to := from
	if m.Event != nil && m.Event.Anchor.To != "" {
		to = dayNumber(m.Event.Anchor.To)
	}
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
