package text

import "time"

// unit returns the calendar unit that lexeme i names.
//
//go:noinline
func (m *matcher) unit(i int) unit {
	switch m.word(i) {
	case "second", "seconds", "minute", "minutes", "min", "mins", "hour", "hours", "hr", "hrs", "moment", "moments":
		return hours
	case "day", "days", "night", "nights":
		return days
	case "week", "weeks", "wk", "wks":
		return weeks
	case "weekend", "weekends":
		return weekends
	case "month", "months":
		return months
	case "year", "years", "yr", "yrs":
		return years
	case "decade", "decades":
		return decades
	}
	return noUnit
}

// count reads a number of things: exact (lo = hi) or vague.
func (m *matcher) count(i int) (lo, hi, n int) {
	if v, ok := m.number(i, ""); ok && v > 0 && v < 1000 {
		if w, ok := m.number(i+2, ""); ok && w > v && w < 1000 && (m.is(i+1, "-") || m.is(i+1, "–") || m.is(i+1, "or") || m.is(i+1, "to")) {
			return v, w, 3
		}
		return v, v, 1
	}
	switch m.word(i) {
	case "a", "an":
		switch {
		case m.is(i+1, "couple", "of"):
			return 2, 3, 3
		case m.is(i+1, "couple"):
			return 2, 3, 2
		case m.is(i+1, "few"):
			return 2, 5, 2
		case m.is(i+1, "dozen"):
			return 12, 12, 2
		}
		return 1, 1, 1
	case "couple":
		if m.is(i+1, "of") {
			return 2, 3, 2
		}
		return 2, 3, 1
	case "few":
		return 2, 5, 1
	case "several":
		return 3, 9, 1
	}
	v := numberWord(m.word(i))
	if v == 0 {
		return 0, 0, 0
	}
	if w := numberWord(m.word(i + 2)); w > v && (m.is(i+1, "or") || m.is(i+1, "to")) {
		return v, w, 3
	}
	return v, v, 1
}

//go:noinline
func numberWord(w string) int {
	switch w {
	case "one":
		return 1
	case "two":
		return 2
	case "three":
		return 3
	case "four":
		return 4
	case "five":
		return 5
	case "six":
		return 6
	case "seven":
		return 7
	case "eight":
		return 8
	case "nine":
		return 9
	case "ten":
		return 10
	case "eleven":
		return 11
	case "twelve":
		return 12
	case "fifteen":
		return 15
	case "twenty":
		return 20
	case "thirty":
		return 30
	case "forty":
		return 40
	case "fifty":
		return 50
	}
	return 0
}

// matchCounted resolves "two weeks ago", "a few days back", "three days from
// now", "two weeks before 9 June".
func (m *matcher) matchCounted(i int) (interval, int) {
	lo, hi, n := m.count(i)
	if n == 0 {
		return interval{}, 0
	}
	u := m.unit(i + n)
	if wd := weekdayName(m.word(i + n)); wd >= 0 && plural(m.word(i+n)) && m.is(i+n+1, "ago") {
		return m.relative(day(addDays(before(m.today, time.Weekday(wd)), -7*(lo-1)))), n + 2
	}
	if u == noUnit {
		return interval{}, 0
	}
	n++
	if m.is(i+n, "or", "so") {
		n += 2
	}
	switch m.word(i + n) {
	case "ago", "back":
		if h := m.word(i + n - 1); u == hours && m.dated && (h == "hour" || h == "hours" || h == "hrs") {
			return m.hoursAway(-lo), n + 1
		}
		return m.ago(-lo, -hi, u), n + 1
	case "now", "already":
		if u > hours && lo == hi && !m.is(i, "a") && m.tense(i) != future {
			return m.rolling(-1, lo, u), n
		}
	case "from":
		if m.is(i+n+1, "now") || m.is(i+n+1, "today") {
			return m.ago(lo, hi, u), n + 2
		}
	case "before", "after":
		if v, k := m.anchor(i + n + 1); k > 0 && u > hours {
			if m.is(i+n, "before") {
				lo, hi = -lo, -hi
			}
			w := shifted(v.from, lo, hi, u)
			w.relative, w.open = v.relative, v.open
			return w, n + 1 + k
		}
	}
	return interval{}, 0
}

// ago is lo to hi units from now; a negative number lies in the past.
func (m *matcher) ago(lo, hi int, u unit) interval {
	if u == hours {
		return m.relative(day(m.today))
	}
	if u == decades {
		lo, hi, u = 10*lo, 10*hi, years
	}
	if u == years && lo == hi && (lo == 1 || lo == -1) {
		// "A year ago" means about this time of that year; of "ten years ago" the
		// month would claim what was not said.
		lo, hi, u = 12*lo, 12*hi, months
	}
	return shifted(m.today, lo, hi, u)
}

// hoursAway resolves "3 hours ago", which may lie on another date.
func (m *matcher) hoursAway(n int) interval {
	return m.relative(day(dateOf(m.at.Add(time.Duration(n) * time.Hour))))
}

// anchor is an absolute date, a holiday or a month that something is counted
// from.
func (m *matcher) anchor(i int) (interval, int) {
	if m.is(i, "the") {
		v, n := m.anchor(i + 1)
		if n > 0 {
			n++
		}
		return v, n
	}
	if i >= len(m.lx) {
		return interval{}, 0
	}
	if m.lx[i].num >= 0 {
		return m.matchDate(i)
	}
	if of, n := m.holiday(i); n > 0 {
		return m.withYear(i, n, func(y int) interval { return day(of(y)) })
	}
	switch m.word(i) {
	case "yesterday", "today", "tomorrow":
		return m.nearDay(i, m.word(i))
	case "last", "next", "this":
		return m.matchShift(i)
	}
	return m.matchMonth(i, true)
}

// matchBeside resolves what lies beside a date: "the Sunday before 25 May",
// "the week of 5 June", "the day after Christmas"; without a date only "the
// week before" and its kin, which then mean the one before the conversation.
func (m *matcher) matchBeside(i int) (interval, int) {
	w := m.word(i)
	wd, u := weekdayName(w), m.unit(i)
	if wd < 0 && u <= hours || plural(w) && wd != 2 && wd != 4 {
		return interval{}, 0
	}
	way := 0
	switch m.word(i + 1) {
	case "before", "preceding", "prior":
		way = -1
	case "after", "following":
		way = 1
	case "of", "in":
		return m.within(i, wd, u)
	default:
		return interval{}, 0
	}
	if u != noUnit && way < 0 && m.is(i+1, "before", "last") && u > days {
		return m.ago(-2, -2, u), 3
	}
	if way < 0 && u == days && m.is(i+1, "before", "yesterday") {
		return m.relative(day(addDays(m.today, -2))), 3
	}
	if way > 0 && u == days && m.is(i+1, "after", "tomorrow") {
		return m.relative(day(addDays(m.today, 2))), 3
	}
	j := i + 2
	if m.is(j, "to") {
		j++
	}
	v, n := m.anchor(j)
	if n == 0 {
		if way < 0 && u > days && m.is(i-1, "the") && m.is(i+1, "before") {
			return m.ago(-1, -1, u), 2
		}
		return interval{}, 0
	}
	return m.beside(v, way, wd, u), j - i + n
}

func (m *matcher) beside(v interval, way, wd int, u unit) interval {
	edge := v.from
	if way > 0 {
		edge = v.to
	}
	var r interval
	switch {
	case wd >= 0 && way < 0:
		r = day(before(edge, time.Weekday(wd)))
	case wd >= 0:
		r = day(after(edge, time.Weekday(wd)))
	case u == days:
		r = day(addDays(edge, way))
	case u == weeks && v.grain == Day: // the seven days beside the date
		r = span(addDays(edge, way), addDays(edge, 7*way))
		r.grain = Week
	case u == weekends && way < 0:
		r = weekendOf(before(edge, time.Saturday))
	case u == weekends:
		r = weekendOf(after(edge, time.Saturday))
	default:
		r = shifted(edge, way, way, u)
	}
	r.relative, r.open = v.relative, v.open
	return r
}

// within resolves "Friday of last week", "the week of 5 June".
func (m *matcher) within(i, wd int, u unit) (interval, int) {
	if wd >= 0 && m.is(i+1, "of") {
		if way, ok := shiftWord(m.word(i + 2)); ok && m.is(i+3, "week") {
			return m.relative(day(inWeek(addDays(m.today, 7*way), time.Weekday(wd)))), 4
		}
	}
	if u == weeks && m.is(i+1, "of") {
		if v, n := m.anchor(i + 2); n > 0 && v.grain == Day {
			w := weekOf(v.from)
			w.relative, w.open = v.relative, v.open
			return w, 2 + n
		}
	}
	return interval{}, 0
}

func shiftWord(w string) (way int, ok bool) {
	switch w {
	case "last", "previous":
		return -1, true
	case "this":
		return 0, true
	case "next":
		return 1, true
	}
	return 0, false
}

// matchThe resolves what needs its article: "the other day", "the weekend".
func (m *matcher) matchThe(i int) (interval, int) {
	switch {
	case m.is(i, "other", "day"), m.is(i, "other", "night"):
		return m.relative(span(addDays(m.today, -7), addDays(m.today, -1))), 2
	case m.is(i, "day", "before", "yesterday"):
		return m.relative(day(addDays(m.today, -2))), 3
	case m.is(i, "last"), m.is(i, "past"), m.is(i, "next"), m.is(i, "coming"), m.is(i, "upcoming"), m.is(i, "previous"):
		if v, n := m.matchPart(i); n > 0 {
			return v, n
		}
		return m.matchShift(i)
	}
	if i >= len(m.lx) {
		return interval{}, 0
	}
	if v, n := m.matchDecade(i); n > 0 {
		return v, n
	}
	if m.lx[i].num >= 0 {
		return m.matchNumber(i)
	}
	return m.matchPhrase(i)
}

// theWeekend is "over the weekend": the one that is on, the last, or with a
// future tense the coming one.
func (m *matcher) theWeekend(i int) interval {
	v := weekendOf(m.today)
	if m.today.Before(v.from) && m.tense(i) != future && !m.is(i, "for") {
		v = weekendOf(addDays(m.today, -7))
	}
	return m.relative(v)
}

// matchWeekday resolves a weekday that stands alone by its tense.
func (m *matcher) matchWeekday(i int) (interval, int) {
	w := m.word(i)
	wd := weekdayName(w)
	if wd < 0 || plural(w) && w != "tues" && w != "thurs" {
		return interval{}, 0
	}
	if len(w) <= 3 && !(m.is(i-1, "on") || m.capital(i) && m.is(i+1, ".")) || m.is(i-1, "every") || !m.capital(i) && w == "sun" {
		return interval{}, 0 // "sat" and "sun" are words
	}
	n := 1 + m.partOfDay(i+1)
	if way, ok := shiftWord(m.word(i + 1)); ok && m.is(i+2, "week") {
		return m.relative(day(inWeek(addDays(m.today, 7*way), time.Weekday(wd)))), 3
	}
	if m.is(i+1, ",") { // "Friday, May 7"
		if v, k := m.anchor(i + 2); k > 0 && v.grain == Day && !m.is(i+2, "last") {
			return v, 2 + k
		}
	}
	d := time.Weekday(wd)
	switch {
	case m.today.Weekday() == d:
		return m.relative(day(m.today)), n
	case m.tense(i) == future:
		return m.relative(day(after(m.today, d))), n
	}
	return m.relative(day(before(m.today, d))), n
}
