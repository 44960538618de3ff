package write

import (
	"strings"
	"time"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// line is a sentence of a turn. What several rules ask of it is found once.
type line struct {
	whole   string // as it stands in the turn
	s       string // what the rules read of it
	ws      []word // of s
	stated  []word // of ws, what states something
	asks    bool   // s is a question
	chinese bool
	at      time.Time // when it was said

	times []text.TimeRef // of s, found when first needed
	timed bool
	refs  []text.TimeRef // those of times that date an event, found when first needed
	dates bool
}

// linesOf takes what a turn says apart.
func linesOf(t mem.Turn) []line {
	sentences := text.Sentences(Said(t))
	out := make([]line, len(sentences))
	for i, s := range sentences {
		out[i] = newLine(s, t.Time)
	}
	return out
}

func newLine(whole string, at time.Time) line {
	s := bounded(whole)
	l := line{whole: whole, s: s, ws: words(s), asks: text.IsQuestion(s), chinese: dense(s), at: at}
	l.stated = l.ws
	if l.asks || strings.HasSuffix(strings.TrimSpace(s), "?") {
		l.stated = declared(l.ws)
	}
	return l
}

// flush is the line without the space around it.
func (l *line) flush() *line {
	s := strings.TrimSpace(l.whole)
	if strings.HasPrefix(l.whole, s) && !strings.Contains(l.whole[len(s):], "\n") {
		return l // space behind it is read by no rule
	}
	out := newLine(s, l.at)
	return &out
}

// temporal gives the temporal expressions of the line. Where the date of the
// turn is unknown, relative ones are found all the same, so that values can be
// cut before them, but date nothing.
func (l *line) temporal() []text.TimeRef {
	if !l.timed {
		l.timed = true
		at := l.at
		if at.IsZero() {
			at = time.Date(2000, 1, 3, 0, 0, 0, 0, time.UTC)
		}
		l.times = text.Temporal(l.s, at)
	}
	return l.times
}

// dating gives the temporal expressions that date an event.
func (l *line) dating() []text.TimeRef {
	if !l.dates {
		l.dates = true
		times := l.temporal()
		if l.at.IsZero() {
			times = text.Temporal(l.s, l.at)
		}
		l.refs = datable(l.s, times)
	}
	return l.refs
}
