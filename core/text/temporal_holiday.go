package text

import "time"

// yearlyDate gives the date of a holiday in a year.
type yearlyDate func(y int) time.Time

func fixed(month time.Month, d int) yearlyDate {
	return func(y int) time.Time { return date(y, month, d) }
}

func nth(n int, w time.Weekday, month time.Month) yearlyDate {
	return func(y int) time.Time { return nthWeekday(y, month, w, n) }
}

// holiday reads the name of a holiday. Those that move by the moon of another
// calendar are left out.
func (m *matcher) holiday(i int) (of yearlyDate, n int) {
	next := m.word(i + 1)
	switch m.word(i) {
	case "christmas", "xmas":
		switch next {
		case "eve":
			return fixed(time.December, 24), 2
		case "day":
			return fixed(time.December, 25), 2
		}
		return fixed(time.December, 25), 1
	case "new":
		return m.newYear(i)
	case "halloween":
		return fixed(time.October, 31), 1
	case "fourth":
		if m.is(i+1, "of", "july") {
			return fixed(time.July, 4), 3
		}
		return nil, 0
	case "juneteenth":
		return fixed(time.June, 19), 1
	case "thanksgiving":
		n = 1
		if next == "day" {
			n = 2
		}
		return nth(4, time.Thursday, time.November), n
	case "easter":
		n = 1
		if next == "sunday" {
			n = 2
		}
		return easter, n
	}
	j := i + 1
	if next == "'s" || next == "'" {
		j++
	}
	if !m.is(j, "day") {
		return nil, 0
	}
	if of := dayOf(m.word(i)); of != nil {
		return of, j - i + 1
	}
	return nil, 0
}

// dayOf knows holidays that end in "Day".
func dayOf(w string) yearlyDate {
	switch w {
	case "boxing":
		return fixed(time.December, 26)
	case "independence":
		return fixed(time.July, 4)
	case "earth":
		return fixed(time.April, 22)
	case "veterans", "armistice":
		return fixed(time.November, 11)
	case "valentine", "valentines":
		return fixed(time.February, 14)
	case "patrick", "patricks":
		return fixed(time.March, 17)
	case "mother", "mothers":
		return nth(2, time.Sunday, time.May)
	case "father", "fathers":
		return nth(3, time.Sunday, time.June)
	case "memorial":
		return nth(-1, time.Monday, time.May)
	case "labor", "labour":
		return nth(1, time.Monday, time.September)
	}
	return nil
}

func (m *matcher) newYear(i int) (yearlyDate, int) {
	j := i + 1
	switch {
	case m.is(j, "year", "'s"):
		j += 2
	case m.is(j, "years"):
		j++
	default:
		return nil, 0
	}
	switch m.word(j) {
	case "eve":
		return fixed(time.December, 31), j - i + 1
	case "day":
		return fixed(time.January, 1), j - i + 1
	}
	return fixed(time.January, 1), j - i
}
