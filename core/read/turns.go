package read

import (
	"cmp"
	"math"
	"slices"

	"github.com/leanmem/leanmem/core/mem"
)

// Names of the retrieval terms that Options.Off switches off.
const (
	TermLexical   = "lexical"   // BM25 over window documents
	TermDense     = "dense"     // cosine of window vectors
	TermSoft      = "soft"      // soft term match
	TermWindow    = "window"    // the fused score of neighbours
	TermPrior     = "prior"     // what a turn looks like, whatever is asked
	TermSpeaker   = "speaker"   // the speaker that the question names
	TermTime      = "time"      // the period that the question names
	TermSession   = "session"   // the best turns of a session lift the others
	TermSpread    = "spread"    // a session's later turns yield to other sessions
	TermDates     = "dates"     // relative phrases stand with their dates
	TermProfiles  = "profiles"  // profiles among the evidence
	TermTimelines = "timelines" // events among the evidence
)

// Terms lists them, for the bench.
var Terms = []string{
	TermLexical, TermDense, TermSoft, TermWindow, TermPrior, TermSpeaker, TermTime, TermSession, TermSpread,
	TermDates, TermProfiles, TermTimelines,
}

// Weights of the terms. They were set by hand and confirmed by tuning on all
// conversations but one, each in turn (RATIONALE.md).
const (
	weightLexical = 0.35
	weightDense   = 0.35
	weightSoft    = 0.30

	windowShare = 0.2 // of a neighbour's fused score

	speakerNamed = 0.40 // turns of the one speaker that the question names
	speakerAsker = 0.30 // turns of the user, where the user asks about himself

	timeInside   = 0.40
	timeAfter    = 0.7 // of timeInside: said at most timeAfterDays after the period
	timeYear     = 0.3 // of timeInside: the period is longer than longPeriod days, such as a year
	timeAfterDay = 10
	longPeriod   = 100

	sessionShare = 0.6 // of the mean of a session's best turns
	sessionBest  = 2

	spreadStep = 0.02
)

// Scored is a ranked position.
type Scored struct {
	at    int32
	Score float64
}

// Ranking is what RankTurns found, with what confidence needs of it.
type Ranking struct {
	ix       *index
	Turns    []Scored // best first
	coverage []float64
	fused    []float64
	hidden   []bool // positions that do not pass the filter
}

// RankTurns ranks the turns and passages of the bank that pass the filter. It
// returns about depth of them, best first.
func RankTurns(s Snapshot, q *Question, plan mem.Plan, keep func(row int) bool, off func(string) bool, depth int) *Ranking {
	ix := indexOf(s)
	r := &Ranking{ix: ix}
	r.fuse(q, off)
	r.hide(keep)
	x := r.fused
	if !off(TermWindow) {
		x = ix.windowed(x)
	}
	scale01(x, leastFused)
	ix.addPrior(x, off)
	ix.addSpeaker(x, q, off)
	ix.addTime(x, plan.Constraints.Times, off)
	ix.addSession(x, off)
	r.Turns = ix.best(x, keep, depth)
	if !off(TermSpread) {
		ix.spreadSessions(r.Turns)
	}
	return r
}

// hide takes from confidence the turns that the caller may not see: how sure
// the evidence is must not tell of what a filter or an expiry leaves out.
func (r *Ranking) hide(keep func(row int) bool) {
	r.hidden = make([]bool, len(r.ix.rows))
	for p, row := range r.ix.rows {
		if !keep(int(row)) {
			r.hidden[p] = true
			r.coverage[p] = 0
		}
	}
}

// fuse sums the three measures of likeness, each scaled to [0,1] over the bank.
func (r *Ranking) fuse(q *Question, off func(string) bool) {
	n := len(r.ix.rows)
	r.fused = make([]float64, n)
	total := q.totalIDF()
	add := func(scores []float64, weight, least float64) {
		scale01(scores, least)
		for i, s := range scores {
			r.fused[i] += float64(weight * s)
		}
	}
	soft := r.ix.soft(q)
	r.coverage = make([]float64, n)
	if total > 0 {
		for i, x := range soft {
			r.coverage[i] = x / total
		}
	}
	if !off(TermLexical) {
		add(r.ix.lexical(q), weightLexical, leastTerms*total)
	}
	if !off(TermDense) {
		add(r.ix.dense(q), weightDense, leastDense)
	}
	if !off(TermSoft) {
		add(soft, weightSoft, leastTerms*total)
	}
}

// Ranges that count as the full scale at least. In a bank of a few turns the
// best and the worst differ by noise, which must not be blown up to 0 and 1.
const (
	leastTerms = 0.5 // of Σ idf
	leastDense = 0.3
	leastFused = 0.3
)

// scale01 maps scores to [0,1] by their least and greatest, in place.
func scale01(x []float64, least float64) {
	if len(x) == 0 {
		return
	}
	lo, hi := x[0], x[0]
	for _, v := range x { // scores are finite
		if v < lo {
			lo = v
		} else if v > hi {
			hi = v
		}
	}
	span := max(hi-lo, least, 1e-9)
	for i := range x {
		x[i] = (x[i] - lo) / span
	}
}

func (ix *index) windowed(f []float64) []float64 {
	g := slices.Clone(f)
	for i := range f {
		p := int32(i)
		if ix.near(p, -1) {
			g[i] += float64(windowShare * f[i-1])
		}
		if ix.near(p, 1) {
			g[i] += float64(windowShare * f[i+1])
		}
	}
	return g
}

func (ix *index) addPrior(x []float64, off func(string) bool) {
	if off(TermPrior) {
		return
	}
	for i := range x {
		x[i] += float64(ix.prior[i])
	}
}

// addSpeaker lifts the turns of the one speaker that the question names. Where
// it names nobody and a user asks about himself, it lifts the user's.
func (ix *index) addSpeaker(x []float64, q *Question, off func(string) bool) {
	if off(TermSpeaker) {
		return
	}
	lift := func(weight float64, speaker func(int32) bool) {
		for i := range x {
			if speaker(ix.speaker[i]) {
				x[i] += weight
			}
		}
	}
	switch {
	case len(q.named) == 1:
		lift(speakerNamed, func(s int32) bool { return s == q.named[0] })
	case len(q.named) == 0 && q.asker && !q.told && slices.Contains(ix.roles, mem.RoleUser):
		lift(speakerAsker, func(s int32) bool { return ix.roles[s] == mem.RoleUser })
	}
}

// addTime lifts what was said in a period that the question names, or soon
// after it.
func (ix *index) addTime(x []float64, periods []mem.Interval, off func(string) bool) {
	if off(TermTime) || len(periods) == 0 {
		return
	}
	spans := make([]span, 0, len(periods))
	for _, p := range periods {
		spans = append(spans, spanOf(p))
	}
	for i := range x {
		if ix.day[i] != noDay {
			x[i] += float64(timeInside * agreement(ix.day[i], spans))
		}
	}
}

// span is a period in days; an open bound is noDay.
type span struct {
	from, to int32
	weight   float64
}

func spanOf(p mem.Interval) span {
	s := span{from: dayNumber(p.From), to: dayNumber(p.To), weight: 1}
	if s.from != noDay && s.to != noDay && s.to-s.from >= longPeriod {
		s.weight = timeYear
	}
	return s
}

// agreement is how well a day fits any of the periods, in [0,1].
func agreement(day int32, periods []span) float64 {
	best := 0.0
	for _, p := range periods {
		switch {
		case p.from == noDay && p.to == noDay:
		case (p.from == noDay || day >= p.from) && (p.to == noDay || day <= p.to):
			best = max(best, p.weight)
		case p.to != noDay && day > p.to && day <= p.to+timeAfterDay:
			best = max(best, float64(p.weight*timeAfter))
		}
	}
	return best
}

// addSession lifts every turn of a session by the mean of its best ones.
func (ix *index) addSession(x []float64, off func(string) bool) {
	if off(TermSession) {
		return
	}
	for _, s := range ix.sessions {
		var top [sessionBest]float64
		n := 0
		for _, v := range x[s.from:s.to] {
			if n < sessionBest {
				top[n] = v
				n++
				slices.SortFunc(top[:n], func(a, b float64) int { return cmp.Compare(b, a) })
			} else if v > top[sessionBest-1] {
				top[sessionBest-1] = v
				slices.SortFunc(top[:], func(a, b float64) int { return cmp.Compare(b, a) })
			}
		}
		sum := 0.0
		for _, v := range top[:n] {
			sum += v
		}
		lift := float64(sessionShare * sum / float64(n))
		for p := s.from; p < s.to; p++ {
			x[p] += lift
		}
	}
}

// rounded makes scores that differ by less than float noise equal, so that ties
// are broken by place in every engine alike.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// order ranks higher scores first, then earlier positions: sessions by name,
// turns by place.
func order(a, b Scored) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return cmp.Compare(a.at, b.at)
}

// best selects the depth highest positions that pass keep.
func (ix *index) best(x []float64, keep func(row int) bool, depth int) []Scored {
	all := make([]Scored, 0, min(len(x), 4*depth))
	floor := math.Inf(-1)
	for i, v := range x {
		v = rounded(v)
		if v < floor || !keep(int(ix.rows[i])) {
			continue
		}
		all = append(all, Scored{at: int32(i), Score: v})
		if len(all) >= 4*depth {
			slices.SortFunc(all, order)
			all = all[:depth]
			floor = all[depth-1].Score
		}
	}
	slices.SortFunc(all, order)
	return all[:min(depth, len(all))]
}

// spreadSessions lets the n-th best turn of a session yield by n steps, so that
// a question that wants things from many sessions gets them.
func (ix *index) spreadSessions(turns []Scored) {
	count := map[int32]int{}
	for i := range turns {
		s := ix.of[turns[i].at]
		turns[i].Score = rounded(turns[i].Score - float64(spreadStep*float64(count[s])))
		count[s]++
	}
	slices.SortFunc(turns, order)
}
