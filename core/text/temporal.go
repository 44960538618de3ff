package text

import (
	"sort"
	"time"
)

// Grain is the precision with which a temporal expression was said.
type Grain string

const (
	Day     Grain = "day"
	Weekend Grain = "weekend"
	Week    Grain = "week"
	Month   Grain = "month"
	Season  Grain = "season"
	Year    Grain = "year"
	Decade  Grain = "decade"
	Span    Grain = "span" // a vague or open interval: "a few days ago", "since 2016", "for 4 years"
)

// TimeRef is a temporal expression and the local calendar dates it denotes.
type TimeRef struct {
	Start, End int    // bytes of the phrase
	Phrase     string // as it was said
	From, To   string // ISO dates, inclusive; "--05-07" where the year is open
	Relative   bool   // depends on the date it was said
	Grain      Grain
}

// Open reports whether the year of ref is unknown.
func (r TimeRef) Open() bool { return len(r.From) > 1 && r.From[:2] == "--" }

// Temporal finds the temporal expressions of s and resolves them against the
// calendar date of at in at's own offset, never in UTC. Times of day and
// recurring times ("on Fridays") are left out.
//
// Conventions. Weeks run from Monday to Sunday: "last week", "two weeks ago"
// and "next week" are calendar weeks, "last weekend" the Saturday and Sunday
// of the week before. "Last Friday" is the most recent Friday strictly before
// the date, "next Friday" the Friday of the next calendar week. A weekday, a
// month or a date without a year is looked for in the past or the future as
// the tense of its sentence has it, and where that says nothing the nearest is
// taken. Seasons are those of the northern hemisphere.
//
// A zero at means that the date is unknown: only absolute expressions are
// found, and a date without a year stays open as in QueryTimes.
func Temporal(s string, at time.Time) []TimeRef { return findTimes(s, at, at.IsZero()) }

// QueryTimes is Temporal for questions, which are asked about any past: a
// month, day, season or holiday without a year keeps its year open
// ("--05-01"), to be resolved by ResolveIn.
func QueryTimes(q string, now time.Time) []TimeRef { return findTimes(q, now, true) }

// ResolveIn lists what ref may denote between the dates first and last (ISO,
// inclusive), earliest first: one interval a year where its year is open, else
// ref itself.
func ResolveIn(ref TimeRef, first, last string) []TimeRef {
	if !ref.Open() {
		return []TimeRef{ref}
	}
	a, errA := time.Parse(time.DateOnly, first)
	b, errB := time.Parse(time.DateOnly, last)
	from, errF := time.Parse("--01-02", ref.From)
	to, errT := time.Parse("--01-02", ref.To)
	if errA != nil || errB != nil || errF != nil || errT != nil || b.Year()-a.Year() > 1000 {
		return nil
	}
	var out []TimeRef
	for y := a.Year() - 1; y <= b.Year(); y++ {
		f, t := yearly(y, from), yearly(y, to)
		if t.Before(f) { // a winter
			t = yearly(y+1, to)
		}
		if t.Before(a) || f.After(b) {
			continue
		}
		r := ref
		r.From, r.To = FormatDate(f), FormatDate(t)
		out = append(out, r)
	}
	return out
}

// yearly is the day of d in the year y, the 28th for a leap day that the year
// lacks.
func yearly(y int, d time.Time) time.Time {
	return date(y, d.Month(), min(d.Day(), daysIn(y, d.Month())))
}

func findTimes(s string, at time.Time, open bool) []TimeRef {
	m := matcher{s: s, at: at, today: dateOf(at), open: open, dated: !at.IsZero()}
	m.lex()
	var refs []TimeRef
	for i := 0; i < len(m.lx); {
		v, n := m.match(i)
		if n == 0 {
			i++
			continue
		}
		if v.grain != "" && (m.dated || !v.relative || v.open) {
			refs = append(refs, m.ref(v, m.lx[i].start, m.lx[i+n-1].end))
		}
		i += n
	}
	if m.dense {
		refs = disjoint(append(refs, m.denseTimes()...))
	}
	return refs
}

// disjoint orders refs by their start and keeps the longer of two that
// overlap.
func disjoint(refs []TimeRef) []TimeRef {
	sort.SliceStable(refs, func(i, j int) bool { return refs[i].Start < refs[j].Start })
	out := refs[:0]
	for _, r := range refs {
		if n := len(out); n > 0 && r.Start < out[n-1].End {
			if r.End-r.Start > out[n-1].End-out[n-1].Start {
				out[n-1] = r
			}
			continue
		}
		out = append(out, r)
	}
	return out
}

func (m *matcher) ref(v interval, start, end int) TimeRef {
	r := TimeRef{Start: start, End: end, Phrase: m.s[start:end], Relative: v.relative, Grain: v.grain}
	if v.open {
		r.From, r.To = v.from.Format("--01-02"), v.to.Format("--01-02")
	} else {
		r.From, r.To = FormatDate(v.from), FormatDate(v.to)
	}
	return r
}
