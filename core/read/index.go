package read

import (
	"slices"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// index is what ranking needs of a snapshot beside its rows: the turns and
// passages of every session in order, so that neighbours are adjacent, with
// what does not depend on the question. It is memoised on the snapshot; parts
// of sessions that did not change are taken from the one before.
type index struct {
	s          *bank.Snapshot
	rows       []int32 // position → row
	pos        []int32 // row → position, -1 where it is not ranked
	of         []int32 // position → session
	start      []bool  // position → it is the first of its session
	sessions   []session
	least      []int32   // what its line costs at least, in tokens
	length     []float32 // window length, in index words
	mean       float64   // of length
	prior      []float32
	speaker    []int32 // position → speakers
	speakers   []string
	roles      []mem.Role // of the speakers
	spoken     []int      // how many positions each speaker has
	called     names      // of the speakers
	day        []int32    // position → days since 1970-01-01; noDay when unknown
	first      int32      // the earliest and latest known day
	last       int32
	vocabulary vocabulary
	dims       int                    // of the bank's vectors
	pools      map[mem.Kind]*pool     // derived memories; filled when first asked for
	lines      map[string][]int       // line of states → rows, those asked for so far
	held       map[string][]mem.State // what states has computed
	memories   map[int]*known         // decoded memories, those asked for so far
	terms      kept                   // words met before
	lineOf     []*shownTurn           // position → passage as it is shown; nil: not made yet
	shownLines int                    // in lineOf
	stateOf    map[shownState]line    // states as they are shown
	stemsOf    map[string][]string    // of what memories say
	dayOf      map[int32]*shownDay    // days as they are shown
	tokens     text.Counter
	scratch    scratch
}

// session is a run of positions [from, to).
type session struct {
	name     string
	from, to int32
	sum      uint64 // of the ids of its rows: tells whether it changed

	vectors vectors // of its positions; the index of the next snapshot shares them
}

// scratch holds arrays that one search fills and the next reuses. They are in
// use from RankTurns to Compose, between which no effect lets another call in.
type scratch struct {
	lexical, soft, fused []float64 // by position
	cosines              []float64
	dots                 []int32
	sum                  []float64 // by position; zeros between uses
	cover                []float64 // by row
	coverOf              *Question // whose cover is
	slot                 []int32   // by row; zeros between uses
	count                []int32   // by session; zeros between uses
	seen, scored         []int32
	met                  []meeting
	postings             []bank.Posting
	bins                 []int32
	keys, other          []uint64
}

// sized gives the array n places, with whatever it held.
func sized[T any](array *[]T, n int) []T {
	if cap(*array) < n {
		*array = make([]T, n)
	}
	return (*array)[:n]
}

// Weights of the terms that do not depend on the question, and of windows.
const (
	priorCaption  = 0.07
	priorTime     = 0.07
	priorReaction = -0.07
	priorLength   = -0.15 // of a line of longLine tokens or more, less of a shorter one
	longLine      = 100
)

// lexicalWindow weighs a turn's own terms, those of the turn before, the turn
// after, and the turn before that.
var lexicalWindow = [4]float64{2, 1, 1, 1}

// indexOf gives the snapshot's index, building it at the first search.
func indexOf(s *bank.Snapshot) *index {
	return s.Derived(func(prev any) any {
		before, _ := prev.(*index)
		return buildIndex(s, before)
	}).(*index)
}

func buildIndex(s *bank.Snapshot, before *index) *index {
	if before != nil && before.s.Embedder() != s.Embedder() {
		before = nil // nothing that was computed from the old vectors holds
	}
	ix := &index{s: s, first: noDay, last: noDay, dims: s.Embedder().Dims}
	ix.pos = make([]int32, s.Rows())
	for i := range ix.pos {
		ix.pos[i] = -1
	}
	if before != nil {
		ix.tokens = before.tokens
	}
	for _, st := range s.Sessions() {
		ix.append(st.Name)
	}
	ix.grow(len(ix.rows))
	ix.fillSpeakers()
	ix.called = ix.namesOf()
	sameSpeakers := before != nil && slices.Equal(ix.speakers, before.speakers) // lines depend on who speaks
	for i := range ix.sessions {
		if old, at := before.same(&ix.sessions[i]); old != nil {
			ix.copySession(&ix.sessions[i], before, at)
			if sameSpeakers {
				ix.copyLines(&ix.sessions[i], before, at)
			}
		} else {
			ix.fillSession(&ix.sessions[i])
		}
	}
	total := 0.0
	for _, l := range ix.length {
		total += float64(l)
	}
	if n := len(ix.length); n > 0 {
		ix.mean = total / float64(n)
	}
	ix.fillVocabulary(before)
	return ix
}

// append adds the turns of a session, those of more than one passage as their
// passages.
func (ix *index) append(name string) {
	from := int32(len(ix.rows))
	sum := uint64(fnvOffset)
	for _, row := range ix.s.SessionTurns(name) {
		for unit := row; unit < row+int(ix.s.Row(row).Passages); unit++ {
			ix.pos[unit] = int32(len(ix.rows))
			ix.rows = append(ix.rows, int32(unit))
			ix.start = append(ix.start, len(ix.rows) == int(from)+1)
			ix.of = append(ix.of, int32(len(ix.sessions)))
		}
		sum = sumOf(sum, ix.s.Row(row).ID)
	}
	if int(from) < len(ix.rows) {
		ix.sessions = append(ix.sessions, session{name: name, from: from, to: int32(len(ix.rows)), sum: sum})
	}
}

// FNV-1a, 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func sumOf(sum uint64, id string) uint64 {
	for i := range len(id) {
		sum = (sum ^ uint64(id[i])) * fnvPrime
	}
	return sum
}

func (ix *index) grow(n int) {
	ix.length, ix.prior, ix.least = make([]float32, n), make([]float32, n), make([]int32, n)
	ix.speaker, ix.day = make([]int32, n), make([]int32, n)
	ix.lineOf = make([]*shownTurn, n)
}

// fillSpeakers numbers the speakers in byte order and sets each position's.
func (ix *index) fillSpeakers() {
	roles := map[string]mem.Role{}
	for _, row := range ix.rows {
		r := ix.s.Row(int(row))
		roles[r.Speaker] = r.Role
	}
	for name := range roles { // sorted next
		ix.speakers = append(ix.speakers, name)
	}
	slices.Sort(ix.speakers)
	number := make(map[string]int32, len(ix.speakers))
	for i, name := range ix.speakers {
		number[name] = int32(i)
		ix.roles = append(ix.roles, roles[name])
	}
	ix.spoken = make([]int, len(ix.speakers))
	iso, d := "", noDay
	for p, row := range ix.rows {
		r := ix.s.Row(int(row))
		ix.speaker[p] = number[r.Speaker]
		ix.spoken[ix.speaker[p]]++
		if r.Day != iso { // neighbours share their day
			iso, d = r.Day, dayNumber(r.Day)
		}
		ix.day[p] = d
		if d == noDay {
			continue
		}
		if ix.first == noDay || d < ix.first {
			ix.first = d
		}
		if ix.last == noDay || d > ix.last {
			ix.last = d
		}
	}
}

// same finds the session in an earlier index when nothing of it changed.
func (before *index) same(now *session) (*session, int32) {
	if before == nil {
		return nil, 0
	}
	i, ok := slices.BinarySearchFunc(before.sessions, now.name, func(s session, name string) int {
		return compareStrings(s.name, name)
	})
	if !ok {
		return nil, 0
	}
	old := &before.sessions[i]
	if old.sum != now.sum || old.to-old.from != now.to-now.from {
		return nil, 0
	}
	return old, old.from
}

func (ix *index) copySession(now *session, before *index, at int32) {
	n := now.to - now.from
	copy(ix.length[now.from:now.to], before.length[at:at+n])
	copy(ix.prior[now.from:now.to], before.prior[at:at+n])
	copy(ix.least[now.from:now.to], before.least[at:at+n])
	now.vectors = before.sessions[before.of[at]].vectors
}

func (ix *index) copyLines(now *session, before *index, at int32) {
	for i, line := range before.lineOf[at : at+now.to-now.from] {
		if line != nil {
			ix.lineOf[int(now.from)+i] = line
			ix.shownLines++
		}
	}
}

func (ix *index) fillSession(now *session) {
	for p := now.from; p < now.to; p++ {
		row := int(ix.rows[p])
		ix.prior[p] = priorOf(ix.s.Row(row))
		ix.length[p] = ix.windowLength(p)
		ix.least[p] = leastCost(ix.s.Row(row))
	}
	now.vectors = ix.pack(ix.rows[now.from:now.to])
}

func priorOf(r *bank.Row) float32 {
	// A line has about two tokens for each index word, and its speaker.
	tokens := min(2*r.Length+4, longLine)
	x := priorLength * float32(tokens) / longLine
	if r.Signals&text.SignalCaption != 0 {
		x += priorCaption
	}
	if r.Signals&text.SignalTime != 0 {
		x += priorTime
	}
	if r.Signals&text.SignalReaction != 0 {
		x += priorReaction
	}
	return x
}

// near reports whether the position d away is in the same session.
func (ix *index) near(p, d int32) bool {
	q := p + d
	return q >= 0 && int(q) < len(ix.of) && ix.of[q] == ix.of[p]
}

func (ix *index) windowLength(p int32) float32 {
	l := func(q int32) float64 { return float64(ix.s.Row(int(ix.rows[q])).Length) }
	sum := lexicalWindow[0] * l(p)
	for i, d := range [3]int32{-1, 1, -2} {
		if ix.near(p, d) {
			sum += lexicalWindow[i+1] * l(p+d)
		}
	}
	return float32(sum)
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
