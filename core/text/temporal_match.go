package text

import "time"

// match resolves the temporal expression that starts at lexeme i and returns
// how many lexemes it takes, 0 for none. An interval without a grain is an
// expression that is recognised but means no date ("every Friday").
func (m *matcher) match(i int) (interval, int) {
	if m.lx[i].num >= 0 {
		return m.matchNumber(i)
	}
	if m.lang != english {
		if v, n := m.matchForeign(i); n > 0 {
			return v, n
		}
	}
	switch w := m.lx[i].text; w {
	case "today", "tonight", "yesterday", "tomorrow", "tmrw", "yest":
		return m.nearDay(i, w)
	case "this", "last", "next", "past", "previous", "coming", "upcoming", "these":
		if v, n := m.matchPart(i); n > 0 {
			return v, n
		}
		return m.matchShift(i)
	case "the":
		if v, n := m.matchThe(i + 1); n > 0 {
			return v, n + 1
		}
	case "since":
		return m.matchSince(i)
	case "for":
		if m.is(i+1, "the", "weekend") {
			return m.theWeekend(i), 3
		}
		return m.matchFor(i)
	case "in":
		return m.matchIn(i)
	case "every", "each":
		return m.matchEvery(i)
	case "on":
		return m.matchOn(i)
	case "over", "during", "at":
		if m.is(i+1, "the", "weekend") {
			return m.theWeekend(i), 3
		}
	case "earlier", "later":
		if m.is(i+1, "today") {
			return m.relative(day(m.today)), 2
		}
	}
	return m.matchPhrase(i)
}

// matchPhrase tries the expressions that may follow an article or a
// preposition.
func (m *matcher) matchPhrase(i int) (interval, int) {
	if v, n := m.matchCounted(i); n > 0 {
		return v, n
	}
	if v, n := m.matchBeside(i); n > 0 {
		return v, n
	}
	if v, n := m.matchPart(i); n > 0 {
		return v, n
	}
	if v, n := m.matchWeekday(i); n > 0 {
		return v, n
	}
	return m.matchAbsolute(i)
}

func (m *matcher) relative(v interval) interval {
	v.relative = true
	return v
}

func (m *matcher) nearDay(i int, w string) (interval, int) {
	n := 0
	switch w {
	case "yesterday", "yest":
		n = -1
	case "tomorrow", "tmrw":
		n = 1
	}
	return m.relative(day(addDays(m.today, n))), 1 + m.partOfDay(i+1)
}

// partOfDay returns the lexemes of a time of day that follows a day.
func (m *matcher) partOfDay(i int) int {
	switch m.word(i) {
	case "morning", "afternoon", "evening", "night":
		return 1
	}
	return 0
}

// matchShift handles this, last, next and their kin before a unit, a weekday,
// a month, a season or a holiday.
func (m *matcher) matchShift(i int) (interval, int) {
	n, way, rolling := 1, 0, false
	switch m.word(i) {
	case "last", "previous":
		way = -1
	case "past":
		way, rolling = -1, true
	case "next", "coming", "upcoming":
		way = 1
	case "this", "these":
		switch m.word(i + 1) {
		case "past", "last":
			n, way, rolling = 2, -1, m.is(i+1, "past")
		case "coming", "upcoming", "next":
			n, way = 2, 1
		}
	}
	j := i + n
	if m.is(j, "few") || m.is(j, "couple") || m.is(j, "several") || way != 0 {
		if lo, hi, k := m.count(j); k > 0 && !m.is(j, "one") {
			if u := m.unit(j + k); u > hours {
				return m.rolling(way, max(lo, hi), u), n + k + 1
			}
		}
	}
	if v, k := m.shiftUnit(j, way, rolling); k > 0 {
		return m.relative(v), n + k
	}
	if v, k := m.shiftNamed(j, way); k > 0 {
		return m.relative(v), n + k
	}
	return interval{}, 0
}

// rolling is the span of n units before or after today.
func (m *matcher) rolling(way, n int, u unit) interval {
	if way > 0 {
		return m.relative(span(m.today, step(m.today, n, u)))
	}
	return m.relative(span(step(m.today, -n, u), m.today))
}

// shiftUnit resolves "last week", "this month", "last night".
func (m *matcher) shiftUnit(i, way int, rolling bool) (interval, int) {
	w := m.word(i)
	switch w {
	case "night":
		if way > 0 {
			return interval{}, 0
		}
		return day(addDays(m.today, way)), 1
	case "morning", "afternoon", "evening":
		if way == 0 {
			return day(m.today), 1
		}
		return interval{}, 0
	}
	u := m.unit(i)
	if u <= hours || w == "days" || w == "nights" || w == "day" {
		return interval{}, 0
	}
	switch {
	case u == decades:
		return decadeOf(m.today.Year() + 10*way), 1
	case rolling && u != weekends:
		return span(step(m.today, -1, u), m.today), 1
	case plural(w):
		if way == 0 {
			return interval{}, 0
		}
		return m.rolling(way, 4, u), 1
	}
	if u == weekends && way == 0 && m.tense(i) == past && m.today.Before(weekendOf(m.today).from) {
		way = -1 // "we tried it this weekend", said on a weekday after
	}
	v := shifted(m.today, way, way, u)
	if wd := weekdayName(m.word(i + 2)); u == weeks && m.is(i+1, "on") && wd >= 0 {
		return day(inWeek(v.from, time.Weekday(wd))), 3
	}
	return v, 1
}

func plural(w string) bool { return len(w) > 1 && w[len(w)-1] == 's' }

// shiftNamed resolves "last Friday", "next May", "this summer", "last
// Christmas".
func (m *matcher) shiftNamed(i, way int) (interval, int) {
	w := m.word(i)
	if wd := weekdayName(w); wd >= 0 && !plural(w) || w == "tues" || w == "thurs" {
		n := 1 + m.partOfDay(i+1)
		switch {
		case way < 0:
			return day(before(m.today, time.Weekday(wd))), n
		case way > 0 && m.word(i-1) == "next":
			return day(inWeek(addDays(m.today, 7), time.Weekday(wd))), n
		case way > 0:
			return day(after(m.today, time.Weekday(wd))), n
		}
		return day(inWeek(m.today, time.Weekday(wd))), n
	}
	of, n := m.yearly(i)
	if n == 0 {
		return interval{}, 0
	}
	y := m.today.Year()
	switch {
	case way < 0:
		for y++; !of(y).to.Before(m.today); y-- {
		}
	case way > 0:
		for y--; !of(y).from.After(m.today); y++ {
		}
	case of(y-1).to.Year() == y && m.today.Sub(of(y-1).to) < of(y).from.Sub(m.today): // a winter that began last year
		y--
	}
	return of(y), n
}

// yearly recognises what comes once a year: a month, a season, a holiday.
func (m *matcher) yearly(i int) (of func(y int) interval, n int) {
	w := m.word(i)
	if k := monthName(w); k > 0 && len(w) > 0 {
		return func(y int) interval { return monthOf(y, time.Month(k)) }, 1
	}
	if k := season(w); k >= 0 {
		return func(y int) interval { return seasonOf(y, k) }, 1
	}
	if h, n := m.holiday(i); n > 0 {
		return func(y int) interval { return day(h(y)) }, n
	}
	return nil, 0
}

//go:noinline
func season(w string) int {
	switch w {
	case "spring", "springtime":
		return 0
	case "summer", "summertime":
		return 1
	case "autumn", "fall":
		return 2
	case "winter", "wintertime":
		return 3
	}
	return -1
}

// place finds the year of what comes once a year by the tense around lexeme
// i, or leaves it open.
func (m *matcher) place(i int, of func(y int) interval) interval {
	if m.open {
		v := of(openYear)
		v.open, v.relative = true, true
		return v
	}
	y := m.today.Year()
	v, t := of(y), m.tense(i)
	switch {
	case t == past && v.from.After(m.today):
		v = of(y - 1)
	case t == future && v.to.Before(m.today):
		v = of(y + 1)
	case t == unknown && v.from.After(m.today):
		if last := of(y - 1); m.today.Sub(last.to) < v.from.Sub(m.today) {
			v = last
		}
	case t == unknown && v.to.Before(m.today):
		if next := of(y + 1); next.from.Sub(m.today) < m.today.Sub(v.to) {
			v = next
		}
	}
	v.relative = true
	return v
}
