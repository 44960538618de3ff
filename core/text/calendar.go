package text

import "time"

// interval is a range of calendar dates, each the midnight of that date in
// UTC, so that arithmetic on them never meets an offset. Where open is set the
// year is unknown and stands for any (openYear).
type interval struct {
	from, to time.Time
	grain    Grain
	relative bool
	open     bool
}

// openYear holds dates of no known year; it is a leap year.
const openYear = 2000

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// dateOf is the calendar date of t in its own offset.
func dateOf(t time.Time) time.Time {
	y, m, d := t.Date()
	return date(y, m, d)
}

func addDays(d time.Time, n int) time.Time { return d.AddDate(0, 0, n) }

// addMonths keeps the day of the month where it exists, else takes the last.
func addMonths(d time.Time, n int) time.Time {
	y, m, day := d.Date()
	return date(y, m+time.Month(n), min(day, daysIn(y, m+time.Month(n))))
}

func daysIn(y int, m time.Month) int { return date(y, m+1, 0).Day() }

func day(d time.Time) interval { return interval{from: d, to: d, grain: Day} }

// weekOf is the calendar week, Monday to Sunday, that holds d.
func weekOf(d time.Time) interval {
	monday := addDays(d, -(int(d.Weekday())+6)%7)
	return interval{from: monday, to: addDays(monday, 6), grain: Week}
}

// weekendOf is the Saturday and Sunday of d's calendar week.
func weekendOf(d time.Time) interval {
	sunday := weekOf(d).to
	return interval{from: addDays(sunday, -1), to: sunday, grain: Weekend}
}

func monthOf(y int, m time.Month) interval {
	from := date(y, m, 1)
	return interval{from: from, to: date(from.Year(), from.Month()+1, 0), grain: Month}
}

func yearOf(y int) interval {
	return interval{from: date(y, 1, 1), to: date(y, 12, 31), grain: Year}
}

func decadeOf(y int) interval {
	y -= y % 10
	return interval{from: date(y, 1, 1), to: date(y+9, 12, 31), grain: Decade}
}

// seasonOf gives a season of the northern hemisphere in whole months; winter
// belongs to the year in which it begins. n is 0 (spring) to 3.
func seasonOf(y, n int) interval {
	from := date(y, time.Month(3+3*n), 1)
	return interval{from: from, to: addDays(addMonths(from, 3), -1), grain: Season}
}

func span(from, to time.Time) interval {
	if to.Before(from) {
		from, to = to, from
	}
	return interval{from: from, to: to, grain: Span}
}

// nthWeekday is the n-th (1…) given day of a month, for n = -1 the last.
func nthWeekday(y int, m time.Month, w time.Weekday, n int) time.Time {
	if n < 0 {
		last := date(y, m+1, 0)
		return addDays(last, -(int(last.Weekday()-w)+7)%7)
	}
	first := date(y, m, 1)
	return addDays(first, (int(w-first.Weekday())+7)%7+7*(n-1))
}

// easter is Easter Sunday by the Gregorian computus.
func easter(y int) time.Time {
	a, b, c := y%19, y/100, y%100
	d := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	e := (32 + 2*(b%4) + 2*(c/4) - d - c%4) % 7
	f := d + e - 7*((a+11*d+22*e)/451) + 114
	return date(y, time.Month(f/31), f%31+1)
}

// before and after give the nearest given day strictly before or after d.
func before(d time.Time, w time.Weekday) time.Time {
	return addDays(d, -((int(d.Weekday()-w)+6)%7 + 1))
}

func after(d time.Time, w time.Weekday) time.Time {
	return addDays(d, (int(w-d.Weekday())+6)%7+1)
}

// inWeek is the given day of d's calendar week.
func inWeek(d time.Time, w time.Weekday) time.Time {
	return addDays(weekOf(d).from, (int(w)+6)%7)
}

// unit is a calendar unit.
type unit uint8

const (
	noUnit unit = iota
	hours
	days
	weeks
	weekends
	months
	years
	decades
)

// step moves d by n units.
func step(d time.Time, n int, u unit) time.Time {
	switch u {
	case days:
		return addDays(d, n)
	case weeks, weekends:
		return addDays(d, 7*n)
	case months:
		return addMonths(d, n)
	case years:
		return addMonths(d, 12*n)
	case decades:
		return addMonths(d, 120*n)
	}
	return d
}

// around is the calendar unit that holds d.
func around(d time.Time, u unit) interval {
	switch u {
	case weeks:
		return weekOf(d)
	case weekends:
		return weekendOf(d)
	case months:
		return monthOf(d.Year(), d.Month())
	case years, decades:
		return yearOf(d.Year())
	}
	return day(d)
}

// shifted is the calendar unit lo to hi units away from d; a range of them is
// a vague span.
func shifted(d time.Time, lo, hi int, u unit) interval {
	a, b := around(step(d, lo, u), u), around(step(d, hi, u), u)
	if b.from.Before(a.from) {
		a, b = b, a
	}
	if lo != hi {
		a.grain = Span
	}
	a.to = b.to
	a.relative = true
	return a
}
