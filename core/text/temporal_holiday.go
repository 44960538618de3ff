package text

import "time"

// holiday returns the date of a holiday in a year. Those that move by the
// moon of another calendar are left out.
func (m *matcher) holiday(i int) (of func(y int) time.Time, n int) {
	fixed := func(month time.Month, d, n int) (func(y int) time.Time, int) {
		return func(y int) time.Time { return date(y, month, d) }, n
	}
	nth := func(month time.Month, w time.Weekday, k, n int) (func(y int) time.Time, int) {
		return func(y int) time.Time { return nthWeekday(y, month, w, k) }, n
	}
	possessive := 1 // lexemes of a word with or without its 's
	if m.is(i+1, "'s") || m.is(i+1, "'") {
		possessive = 2
	}
	tail := m.word(i + possessive)
	isDay := tail == "day"
	switch m.word(i) {
	case "christmas", "xmas":
		switch m.word(i + 1) {
		case "eve":
			return fixed(12, 24, 2)
		case "day":
			return fixed(12, 25, 2)
		}
		return fixed(12, 25, 1)
	case "boxing":
		if isDay {
			return fixed(12, 26, 2)
		}
	case "new":
		return m.newYear(i, fixed)
	case "halloween":
		return fixed(10, 31, 1)
	case "fourth":
		if m.is(i+1, "of", "july") {
			return fixed(7, 4, 3)
		}
	case "independence":
		if isDay {
			return fixed(7, 4, 2)
		}
	case "juneteenth":
		return fixed(6, 19, 1)
	case "earth":
		if isDay {
			return fixed(4, 22, 2)
		}
	case "veterans", "armistice":
		if isDay {
			return fixed(11, 11, possessive+1)
		}
	case "valentine", "valentines":
		if isDay {
			return fixed(2, 14, possessive+1)
		}
	case "patrick", "patricks":
		if isDay {
			return fixed(3, 17, possessive+1)
		}
	case "mother", "mothers":
		if isDay {
			return nth(5, time.Sunday, 2, possessive+1)
		}
	case "father", "fathers":
		if isDay {
			return nth(6, time.Sunday, 3, possessive+1)
		}
	case "memorial":
		if isDay {
			return nth(5, time.Monday, -1, 2)
		}
	case "labor", "labour":
		if isDay {
			return nth(9, time.Monday, 1, 2)
		}
	case "thanksgiving":
		if isDay {
			return nth(11, time.Thursday, 4, 2)
		}
		return nth(11, time.Thursday, 4, 1)
	case "easter":
		if tail == "sunday" {
			return easter, 2
		}
		return easter, 1
	}
	return nil, 0
}

func (m *matcher) newYear(i int, fixed func(time.Month, int, int) (func(int) time.Time, int)) (func(int) time.Time, int) {
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
		return fixed(12, 31, j-i+1)
	case "day":
		return fixed(1, 1, j-i+1)
	}
	return fixed(1, 1, j-i)
}
