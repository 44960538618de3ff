package read

import (
	"math"

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

	sessionShare = 0.6 // of the mean of a session's two best turns

	spreadStep    = 0.02
	spreadStepLog = 0.04 // of turns between a user and an assistant
)

// Scored is a ranked position.
type Scored struct {
	at    int32
	Score float64
}

// Ranking is what RankTurns found, with what confidence needs of it. It lives
// in arrays of the index, so it holds until the next question is ranked.
type Ranking struct {
	ix      *index
	Turns   []Scored           // best first
	soft    []float64          // Σ idf·match of every position
	covered []int32            // the visible positions where that is above 0
	total   float64            // Σ idf of the question
	keep    func(row int) bool // nil: every row
}

// RankTurns ranks the turns and passages of the bank that pass keep; nil: all.
// It returns about depth of them, best first.
func RankTurns(s Snapshot, q *Question, plan mem.Plan, keep func(row int) bool, off func(string) bool, depth int) *Ranking {
	ix := indexOf(s)
	r := &Ranking{ix: ix, keep: keep, total: q.totalIDF()}
	x := r.fuse(q, off)
	if !off(TermWindow) {
		x = ix.windowed(x)
	}
	ix.lift(x, ix.liftsOf(q, plan.Constraints.Times, off))
	r.Turns = ix.best(x, keep, depth)
	if !off(TermSpread) {
		ix.spreadSessions(r.Turns)
	}
	return r
}

// visible reports whether the caller may see a position. Confidence leaves the
// others out: how sure the evidence is must not tell of what a filter or an
// expiry hides.
func (r *Ranking) visible(p int32) bool { return r.keep == nil || r.keep(int(r.ix.rows[p])) }

// visibleOf leaves out what the caller may not see.
func (r *Ranking) visibleOf(at []int32) []int32 {
	if r.keep == nil {
		return at
	}
	out := at[:0]
	for _, p := range at {
		if r.visible(p) {
			out = append(out, p)
		}
	}
	return out
}

// fuse sums the three measures of likeness, each scaled to [0,1] over the bank.
func (r *Ranking) fuse(q *Question, off func(string) bool) []float64 {
	ix, n := r.ix, len(r.ix.rows)
	fused := sized(&ix.scratch.fused, n)
	if off(TermDense) {
		clear(fused)
	} else {
		ix.dense(q, fused)
		lo, span := rangeOf(fused, leastDense)
		rescale(fused, lo, weightDense/span)
	}
	r.soft = sized(&ix.scratch.soft, n)
	r.covered = r.visibleOf(ix.soft(q, r.soft))
	if !off(TermSoft) {
		addScaled(fused, r.soft, weightSoft, leastTerms*r.total)
	}
	if !off(TermLexical) {
		x := sized(&ix.scratch.lexical, n)
		ix.lexical(q, x)
		addScaled(fused, x, weightLexical, leastTerms*r.total)
	}
	return fused
}

// Ranges that count as the full scale at least. In a bank of a few turns the
// best and the worst differ by noise, which must not be blown up to 0 and 1.
const (
	leastTerms = 0.5 // of Σ idf
	leastDense = 0.3
	leastFused = 0.3
)

// The loops over all positions stand in functions that are not inlined: in the
// midst of another function the compiler for wasm keeps their variables in
// memory, and they take three times as long.

// rescale maps lo to 0 and multiplies.
//
//go:noinline
func rescale(x []float64, lo, scale float64) {
	for i, v := range x {
		x[i] = float64((v - lo) * scale)
	}
}

// addAll adds to scores.
//
//go:noinline
func addAll(x []float64, to []float32) {
	for i, v := range to[:len(x)] {
		x[i] += float64(v)
	}
}

// addScaled adds scores, mapped to [0,1] and weighted.
//
//go:noinline
func addScaled(to, x []float64, weight, least float64) {
	lo, span := rangeOf(x, least)
	to, scale := to[:len(x)], weight/span
	for i, v := range x {
		to[i] += float64((v - lo) * scale)
	}
}

// rangeOf gives the least of scores and how far the greatest lies above it.
//
//go:noinline
func rangeOf(x []float64, least float64) (lo, span float64) {
	if len(x) == 0 {
		return 0, 1
	}
	lo = x[0]
	hi := lo
	for _, v := range x { // scores are finite
		if v < lo {
			lo = v
		} else if v > hi {
			hi = v
		}
	}
	return lo, max(hi-lo, least, 1e-9)
}

// windowed adds to each score a share of its neighbours' in the session.
func (ix *index) windowed(f []float64) []float64 {
	g := sized(&ix.scratch.lexical, len(f))
	addNeighbours(g, f)
	for i := range ix.sessions { // whose ends have but one neighbour
		s := &ix.sessions[i]
		in, out := f[s.from:s.to], g[s.from:s.to]
		last := len(in) - 1
		out[0], out[last] = in[0], in[last]
		if last > 0 {
			out[0] += float64(windowShare * in[1])
			out[last] += float64(windowShare * in[last-1])
		}
	}
	return g
}

// addNeighbours gives each score between two others a share of them.
//
//go:noinline
func addNeighbours(to, x []float64) {
	if len(x) < 2 {
		return
	}
	before, own := x[0], x[1]
	to = to[:len(x)]
	for i, after := range x[2:] {
		to[i+1] = own + float64(windowShare*before) + float64(windowShare*after)
		before, own = own, after
	}
}

// lifts are what is added to the likeness of turns, whatever their words.
type lifts struct {
	prior   bool
	speaker []float64 // by speaker; nil: none
	periods []span    // that the question names
	session bool
}

// liftsOf lifts the turns of the one speaker that the question names. Where it
// names nobody and a user asks about himself, it lifts the user's. What was said
// in a period that the question names, or soon after it, is lifted too.
func (ix *index) liftsOf(q *Question, periods []mem.Interval, off func(string) bool) lifts {
	l := lifts{prior: !off(TermPrior), session: !off(TermSession)}
	lift := func(s int, weight float64) {
		if l.speaker == nil {
			l.speaker = make([]float64, len(ix.speakers))
		}
		l.speaker[s] = weight
	}
	switch {
	case off(TermSpeaker):
	case len(q.named) == 1:
		lift(int(q.named[0]), speakerNamed)
	case len(q.named) == 0 && q.asker && !q.told:
		for s, role := range ix.roles {
			if role == mem.RoleUser {
				lift(s, speakerAsker)
			}
		}
	}
	if !off(TermTime) {
		for _, p := range periods {
			l.periods = append(l.periods, spanOf(p))
		}
	}
	return l
}

// lift maps scores to [0,1] and adds the lifts; the mean of the best turns of a
// session lifts all of it.
func (ix *index) lift(x []float64, l lifts) {
	lo, span := rangeOf(x, leastFused)
	rescale(x, lo, 1/span)
	if l.prior {
		addAll(x, ix.prior)
	}
	if l.speaker != nil {
		for i, s := range ix.speaker[:len(x)] {
			x[i] += l.speaker[s]
		}
	}
	if l.periods != nil {
		ix.liftDays(x, l.periods)
	}
	if l.session {
		for i := range ix.sessions {
			s := &ix.sessions[i]
			liftSession(x[s.from:s.to])
		}
	}
}

// liftDays lifts what was said in one of the periods or soon after.
func (ix *index) liftDays(x []float64, periods []span) {
	day, lift := noDay, 0.0
	for i, d := range ix.day[:len(x)] {
		if d == noDay {
			continue
		}
		if d != day { // neighbours share their day
			day, lift = d, float64(timeInside*agreement(d, periods))
		}
		x[i] += lift
	}
}

// liftSession adds to the scores of a session a share of the mean of the best
// two.
func liftSession(own []float64) {
	best, second := math.Inf(-1), math.Inf(-1)
	for _, v := range own {
		if v > second {
			if v > best {
				best, second = v, best
			} else {
				second = v
			}
		}
	}
	mean := best
	if len(own) > 1 {
		mean = float64(best+second) / 2
	}
	lift := float64(sessionShare * mean)
	for i := range own {
		own[i] += lift
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

// rounded makes scores that differ by less than float noise equal, so that ties
// are broken by place in every engine alike.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }
