package text

import "time"

// matchAbsolute resolves months, seasons and holidays.
func (m *matcher) matchAbsolute(i int) (interval, int) {
	if v, n := m.matchMonth(i, false); n > 0 {
		return v, n
	}
	if v, n := m.matchSeason(i); n > 0 {
		return v, n
	}
	of, n := m.holiday(i)
	if n == 0 {
		return interval{}, 0
	}
	v, k := m.withYear(i, n, func(y int) interval { return day(of(y)) })
	if k > n { // its year was said
		return v, k
	}
	switch m.word(i - 1) {
	case "on", "for", "at", "over", "during", "since", "by", "until", "after", "before", "around", "this":
		if next := m.word(i + n); n > 1 || !letters(next) || Stop(next) {
			return v, k
		}
	}
	if m.is(i+n-1, "eve") || n > 1 && m.is(i+n-1, "day") {
		return v, k
	}
	return interval{}, 0
}

// matchSeason resolves "summer 2022", "summer of last year", and "the summer"
// where a preposition and a tense make it a particular one.
func (m *matcher) matchSeason(i int) (interval, int) {
	k := season(m.word(i))
	if k < 0 {
		return interval{}, 0
	}
	v, n := m.withYear(i, 1, func(y int) interval { return seasonOf(y, k) })
	if n > 1 {
		return v, n
	}
	j := i - 1
	if m.is(j, "the") {
		j--
	}
	switch m.word(j) {
	case "over", "during", "since", "until":
		return v, n
	case "in":
		if m.open || m.tense(i) != unknown {
			return v, n
		}
	}
	return interval{}, 0
}

// matchPart resolves "the first weekend of August", "early May", "the end of
// 2022".
func (m *matcher) matchPart(i int) (interval, int) {
	if v, n := m.matchNth(i); n > 0 {
		return v, n
	}
	third, j := 0, i+1
	switch m.word(i) {
	case "early":
	case "mid", "middle":
		third = 1
	case "late", "end":
		third = 2
	case "beginning", "start":
	default:
		return interval{}, 0
	}
	if m.is(j, "-") || m.is(j, "of") || m.is(j, "in") {
		j++
	}
	v, n := m.matchWhole(j)
	if n == 0 || v.grain == Day {
		return interval{}, 0
	}
	length := int(v.to.Sub(v.from).Hours())/24 + 1
	part := max(length/3, 1)
	switch third {
	case 0:
		v.to = addDays(v.from, part-1)
	case 1:
		v.from = addDays(v.from, part)
		v.to = addDays(v.from, part-1)
	case 2:
		v.from = addDays(v.to, 1-part)
	}
	v.grain = Span
	return v, j - i + n
}

// matchWhole resolves a month, a year, a decade or a season to take a part of.
func (m *matcher) matchWhole(i int) (interval, int) {
	if m.is(i, "the") {
		switch {
		case m.is(i+1, "month"):
			return m.relative(monthOf(m.today.Year(), m.today.Month())), 2
		case m.is(i+1, "year"):
			return m.relative(yearOf(m.today.Year())), 2
		case m.is(i+1, "week"):
			return m.relative(weekOf(m.today)), 2
		}
		v, n := m.matchWhole(i + 1)
		if n > 0 {
			n++
		}
		return v, n
	}
	if y, n := m.year(i); n > 0 {
		return yearOf(y), n
	}
	if v, n := m.matchDecade(i); n > 0 {
		return v, n
	}
	if _, ok := shiftWord(m.word(i)); ok {
		return m.matchShift(i)
	}
	if k := season(m.word(i)); k >= 0 {
		return m.withYear(i, 1, func(y int) interval { return seasonOf(y, k) })
	}
	return m.matchMonth(i, true)
}

// matchNth resolves "first week of May", "last Saturday in August", "second
// weekend of last month".
func (m *matcher) matchNth(i int) (interval, int) {
	n := 0
	switch m.word(i) {
	case "first":
		n = 1
	case "second":
		n = 2
	case "third":
		n = 3
	case "fourth":
		n = 4
	case "last", "final":
		n = -1
	default:
		d, ok := m.number(i, "st", "nd", "rd", "th")
		if !ok || d > 5 {
			return interval{}, 0
		}
		n = d
	}
	u, wd := m.unit(i+1), weekdayName(m.word(i+1))
	if u != weeks && u != weekends && u != days && wd < 0 || !m.is(i+2, "of") && !m.is(i+2, "in") {
		return interval{}, 0
	}
	whole, k := m.matchWhole(i + 3)
	if k == 0 || whole.grain != Month && (whole.grain != Year || u != weeks && u != days) {
		return interval{}, 0
	}
	v := nthOf(whole, n, u, wd)
	v.relative, v.open = whole.relative, whole.open
	return v, 3 + k
}

func nthOf(whole interval, n int, u unit, wd int) interval {
	y, month, _ := whole.from.Date()
	switch {
	case wd >= 0:
		return day(nthWeekday(y, month, time.Weekday(wd), n))
	case u == weekends:
		saturday := nthWeekday(y, month, time.Saturday, n)
		return interval{from: saturday, to: addDays(saturday, 1), grain: Weekend}
	case u == days && n < 0:
		return day(whole.to)
	case u == days:
		return day(addDays(whole.from, n-1))
	case n < 0:
		return interval{from: addDays(whole.to, -6), to: whole.to, grain: Week}
	}
	from := addDays(whole.from, 7*(n-1))
	return interval{from: from, to: addDays(from, 6), grain: Week}
}

// matchSince resolves "since 2016": from its beginning until today.
func (m *matcher) matchSince(i int) (interval, int) {
	j := i + 1
	if m.is(j, "around") || m.is(j, "about") || m.is(j, "back") {
		j++
	}
	if m.is(j, "in") {
		j++
	}
	if j >= len(m.lx) {
		return interval{}, 0
	}
	v, n := m.matchWhole(j)
	if n == 0 {
		v, n = m.match(j)
	}
	if n == 0 || v.grain == "" {
		return interval{}, 0
	}
	if !v.open && m.dated && v.from.Before(m.today) {
		v.to, v.grain = m.today, Span
	}
	return v, j - i + n
}

// matchFor resolves "for 4 years" as the time until today, unless the
// sentence is about the future or about something over.
func (m *matcher) matchFor(i int) (interval, int) {
	j := i + 1
	switch m.word(j) {
	case "about", "almost", "over", "nearly", "around", "roughly":
		j++
	case "at", "more":
		if m.is(j+1, "least") || m.is(j+1, "than") {
			j += 2
		}
	}
	_, hi, n := m.count(j)
	u := m.unit(j + n)
	if n == 0 || u <= hours || u == weekends {
		return interval{}, 0
	}
	if !m.perfect(i) && m.tense(i) != unknown {
		return interval{}, 0
	}
	return m.rolling(-1, hi, u), j - i + n + 1
}

// perfect reports whether the sentence around lexeme i has a perfect tense.
func (m *matcher) perfect(i int) bool {
	for j := i; j >= 0 && !sentenceMark(m.word(j)); j-- {
		switch m.word(j) {
		case "have", "has", "'ve", "been", "known":
			return true
		}
	}
	return false
}

// matchIn resolves "in two weeks" of the future.
func (m *matcher) matchIn(i int) (interval, int) {
	lo, hi, n := m.count(i + 1)
	u := m.unit(i + 1 + n)
	if n == 0 || u <= hours || m.tense(i) == past || m.perfect(i) {
		return interval{}, 0
	}
	if m.is(i+2+n, "ago") {
		return interval{}, 0
	}
	return m.ago(lo, hi, u), n + 2
}

// matchEvery takes recurring times out of the way.
func (m *matcher) matchEvery(i int) (interval, int) {
	j := i + 1
	if m.is(j, "other") || m.is(j, "single") {
		j++
	}
	if m.unit(j) != noUnit || weekdayName(m.word(j)) >= 0 {
		return interval{}, j - i + 1
	}
	if _, n := m.yearly(j); n > 0 {
		return interval{}, j - i + n
	}
	return interval{}, 0
}

// matchOn resolves "on the 15th" and "on 5/7".
func (m *matcher) matchOn(i int) (interval, int) {
	if m.is(i+1, "the", "weekend") {
		return m.theWeekend(i), 3
	}
	if m.open {
		return interval{}, 0
	}
	if d, ok := m.number(i+2, "st", "nd", "rd", "th"); ok && m.is(i+1, "the") && d <= 31 && d > 0 {
		if next := m.word(i + 3); letters(next) && !Stop(next) || next == "of" || next == "-" {
			return interval{}, 0
		}
		of := func(k int) time.Time {
			first := addMonths(date(m.today.Year(), m.today.Month(), 1), k)
			return addDays(first, min(d, daysIn(first.Year(), first.Month()))-1)
		}
		switch v := of(0); {
		case m.tense(i) == future && v.Before(m.today):
			return m.relative(day(of(1))), 3
		case m.tense(i) != future && v.After(m.today):
			return m.relative(day(of(-1))), 3
		default:
			return m.relative(day(v)), 3
		}
	}
	a, okA := m.number(i+1, "")
	b, okB := m.number(i+3, "")
	if okA && okB && m.is(i+2, "/") && !m.is(i+4, "/") && a >= 1 && a <= 12 && b >= 1 && b <= daysIn(openYear, time.Month(a)) {
		return m.place(i, func(y int) interval { return daysOf(y, a, b, b) }), 4
	}
	return interval{}, 0
}
