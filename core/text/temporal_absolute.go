package text

import "time"

// month returns 1–12 where lexeme i names a month in English or in the
// language of the text.
func (m *matcher) month(i int) int {
	w := m.word(i)
	if w == "" {
		return 0
	}
	if k := monthName(w); k > 0 {
		return k
	}
	return foreignMonth(m.lang, w)
}

// year reads a year of four digits, or '22.
func (m *matcher) year(i int) (y, n int) {
	if y, ok := m.number(i, ""); ok && m.lx[i].digits == 4 && y >= 1800 && y < 2200 {
		return y, 1
	}
	if i < len(m.lx) && apostropheMark(m.word(i)) && m.tight(i) {
		if y, ok := m.number(i+1, ""); ok && m.lx[i+1].digits == 2 {
			if y > 40 {
				return 1900 + y, 2
			}
			return 2000 + y, 2
		}
	}
	return 0, 0
}

func apostropheMark(w string) bool { return w == "'" || w == "’" || w == "‘" }

// withYear gives what comes once a year, said in the n lexemes from i, the
// year that follows it, or places it.
func (m *matcher) withYear(i, n int, of func(y int) interval) (interval, int) {
	j := i + n
	if m.is(j, ",") || m.is(j, "of") || m.is(j, "in") || m.is(j, "de") || m.is(j, "del") {
		j++
	}
	if y, k := m.year(j); k > 0 && !m.isTime(j) {
		return of(y), j - i + k
	}
	if m.is(j, "the") {
		j++
	}
	if way, ok := shiftWord(m.word(j)); ok && m.is(j+1, "year") {
		return m.relative(of(m.today.Year() + way)), j - i + 2
	}
	return m.place(i, of), n
}

// isTime reports whether number i is the hour of a clock time.
func (m *matcher) isTime(i int) bool {
	_, ok := m.number(i+2, "", "am", "pm")
	return ok && m.is(i+1, ":") && m.tight(i) && m.tight(i+1)
}

// dayOfMonth reads 7 or 7th.
func (m *matcher) dayOfMonth(i int) (int, bool) {
	d, ok := m.number(i, "", "st", "nd", "rd", "th", "er")
	return d, ok && d >= 1 && d <= 31 && m.lx[i].digits <= 2
}

// matchMonth resolves "May 7", "May 5–7, 2023", "May 2022" and, where the
// words around it make it a month, "May". bare drops that condition.
func (m *matcher) matchMonth(i int, bare bool) (interval, int) {
	k := m.month(i)
	if k == 0 {
		return interval{}, 0
	}
	j := i + 1
	if m.is(j, ".") && len(m.word(i)) <= 4 && m.tight(i) { // "Dec. 5"
		if _, ok := m.number(j+1, "", "st", "nd", "rd", "th"); ok {
			j++
		}
	}
	if m.is(j, "the") {
		j++
	}
	sure := bare || !verbMonth(m.word(i)) || m.capital(i) || monthBefore(m.word(i-1))
	if d, ok := m.dayOfMonth(j); ok && d <= daysIn(openYear, time.Month(k)) && sure && m.unit(j+1) == noUnit && !m.isTime(j) {
		if to, n := m.dayRange(j, d, k); n > 0 {
			return m.withYear(i, j-i+1+n, func(y int) interval { return daysOf(y, k, d, to) })
		}
		return m.withYear(i, j-i+1, func(y int) interval { return daysOf(y, k, d, d) })
	}
	of := func(y int) interval { return monthOf(y, time.Month(k)) }
	j = i + 1
	if m.is(j, ",") || m.is(j, "of") || m.is(j, "de") || m.is(j, "del") {
		j++
	}
	if y, n := m.year(j); n > 0 {
		return of(y), j - i + n
	}
	if !bare && !m.bareMonth(i) {
		return interval{}, 0
	}
	return m.withYear(i, 1, of)
}

// dayRange reads the end of "5–7" or "5 to 7" after day d at lexeme i.
func (m *matcher) dayRange(i, d, month int) (to, n int) {
	switch m.word(i + 1) {
	case "-", "–", "—", "to", "through", "until", "a", "au", "bis", "al":
		n = 2
		if m.month(i+2) == month || m.is(i+2, "the") {
			n++
		}
		if to, ok := m.dayOfMonth(i + n); ok && to > d && to <= daysIn(openYear, time.Month(month)) {
			return to, n
		}
	}
	return 0, 0
}

func daysOf(y, month, from, to int) interval {
	last := daysIn(y, time.Month(month))
	return interval{from: date(y, time.Month(month), min(from, last)), to: date(y, time.Month(month), min(to, last)), grain: Day}
}

// bareMonth reports whether a month's name that stands alone means the month:
// April, May, June and August are names, March and may verbs.
func (m *matcher) bareMonth(i int) bool {
	w, prep := m.word(i), monthBefore(m.word(i-1))
	if m.lang != english && monthName(w) == 0 {
		return prep || m.lang == german && m.capital(i)
	}
	switch {
	case verbMonth(w):
		return prep && (m.capital(i) || m.is(i-1, "in"))
	case len(w) <= 4 && w != "june" && w != "july":
		return prep && m.capital(i)
	case w == "april" || w == "june" || w == "august":
		return prep
	}
	return prep || m.capital(i)
}

func verbMonth(w string) bool { return w == "may" || w == "march" || w == "mar" }

func monthBefore(w string) bool {
	switch w {
	case "in", "of", "since", "until", "till", "by", "through", "during", "from", "to", "early", "mid", "late",
		"before", "after", "around", "between", "back", "on", "en", "desde", "hasta", "de", "depuis", "im", "seit", "bis", "le":
		return true
	}
	return false
}

// matchDate resolves a date that begins with a number.
func (m *matcher) matchDate(i int) (interval, int) {
	if v, n := m.matchNumeric(i); n > 0 {
		return v, n
	}
	d, ok := m.dayOfMonth(i)
	if !ok {
		return interval{}, 0
	}
	j, to := i+1, d
	switch m.word(j) {
	case "-", "–", "to", "through", "until", "bis", "al", "au":
		k := j + 1
		if m.is(k, "the") {
			k++
		}
		if e, ok := m.dayOfMonth(k); ok && e > d {
			j, to = k+1, e
		}
	}
	if m.is(j, "of") || m.is(j, "de") || m.is(j, ".") && m.lang == german {
		j++
	} else if m.is(j, "-") && m.tight(j-1) && m.tight(j) { // "7-May-2023"
		j++
	}
	k := m.month(j)
	if k == 0 || to > daysIn(openYear, time.Month(k)) {
		return interval{}, 0
	}
	if m.is(j+1, "-") && m.tight(j) {
		if y, n := m.year(j + 2); n > 0 {
			return daysOf(y, k, d, to), j - i + 2 + n
		}
	}
	n := j - i + 1
	if m.is(i+n, ".") && m.tight(j) && len(m.word(j)) <= 4 { // "7 Dec. 2023"
		if _, k := m.year(i + n + 1); k > 0 {
			n++
		}
	}
	return m.withYear(i, n, func(y int) interval { return daysOf(y, k, d, to) })
}

// matchNumeric resolves 2023-05-07, 2023/5, 5/7/2023 and 7.5.2023. Where both
// orders are dates, the month comes first between slashes and dashes, the day
// between points.
func (m *matcher) matchNumeric(i int) (interval, int) {
	a, okA := m.number(i, "")
	mark := m.word(i + 1)
	if !okA || mark != "-" && mark != "/" && mark != "." || !m.tight(i) || !m.tight(i+1) {
		return interval{}, 0
	}
	b, okB := m.number(i+2, "")
	if !okB {
		return interval{}, 0
	}
	c, okC := m.number(i+4, "", "t") // "2023-05-07T13:56"
	full := okC && m.is(i+3, mark) && m.tight(i+2) && m.tight(i+3)
	lx := m.lx[i:]
	switch {
	case lx[0].digits == 4 && full && lx[4].digits <= 2:
		return dated(a, b, c, 5)
	case lx[0].digits == 4 && !full && lx[2].digits == 2 && mark != "." && b >= 1 && b <= 12 && a >= 1900 && a < 2100:
		return monthOf(a, time.Month(b)), 3
	case lx[0].digits == 4 && !full && lx[2].digits == 4 && mark == "-" && a >= 1800 && a < b && b < 2200:
		return span(date(a, 1, 1), date(b, 12, 31)), 3
	case full && lx[0].digits <= 2 && lx[2].digits <= 2 && (lx[4].digits == 4 || lx[4].digits == 2 && mark != "-"):
		if lx[4].digits == 2 {
			c += 2000
		}
		if mark == "." || a > 12 || m.lang != english && b <= 12 {
			a, b = b, a
		}
		return dated(c, a, b, 5)
	}
	return interval{}, 0
}

func dated(y, month, d, n int) (interval, int) {
	if month < 1 || month > 12 || d < 1 || d > daysIn(y, time.Month(month)) || y < 1800 || y >= 2200 {
		return interval{}, 0
	}
	return day(date(y, time.Month(month), d)), n
}

// matchNumber resolves what begins with a number.
func (m *matcher) matchNumber(i int) (interval, int) {
	if v, n := m.matchDate(i); n > 0 {
		return v, n
	}
	if v, n := m.matchCounted(i); n > 0 {
		return v, n
	}
	if v, n := m.matchPart(i); n > 0 {
		return v, n
	}
	if m.lx[i].digits == 4 {
		if v, n := m.matchDecade(i); n > 0 {
			return v, n
		}
	}
	return m.matchYear(i)
}

// matchYear resolves a year that stands alone where a preposition makes it
// one.
func (m *matcher) matchYear(i int) (interval, int) {
	y, n := m.year(i)
	if n == 0 || y < 1900 || y >= 2100 {
		return interval{}, 0
	}
	if m.is(i+1, "to") || m.is(i+1, "and") && m.is(i-1, "between") {
		if z, k := m.year(i + 2); k > 0 && z > y {
			return span(date(y, 1, 1), date(z, 12, 31)), 2 + k
		}
	}
	next := m.word(i + n)
	plain := next == "" || Stop(next) || !letters(next)
	switch m.word(i - 1) {
	case "in", "since", "en", "desde", "depuis", "seit", "year", "im":
		return yearOf(y), n
	case "of", "by", "until", "till", "before", "after", "around", "during", "from", "to", "early", "mid", "late", "through", "circa", "about", "for", "and", "(", "de":
		if plain {
			return yearOf(y), n
		}
	}
	return interval{}, 0
}

func letters(w string) bool { return w != "" && (w[0] >= 'a' && w[0] <= 'z' || w[0] >= 0x80) }

// matchDecade resolves 1990s, 90s and "nineties".
func (m *matcher) matchDecade(i int) (interval, int) {
	n := 1
	if i < len(m.lx) && apostropheMark(m.word(i)) && m.tight(i) {
		i, n = i+1, 2
	}
	y, ok := m.number(i, "s")
	switch {
	case ok && y%10 == 0 && m.lx[i].digits == 4 && y >= 1800 && y < 2200:
		return decadeOf(y), n
	case ok && y%10 == 0 && m.lx[i].digits == 2 && y >= 20:
		return decadeOf(1900 + y), n
	case ok && y%10 == 0 && m.lx[i].digits == 2:
		return decadeOf(2000 + y), n
	}
	switch m.word(i) {
	case "nineties":
		return decadeOf(1990), n
	case "eighties":
		return decadeOf(1980), n
	case "seventies":
		return decadeOf(1970), n
	case "sixties":
		return decadeOf(1960), n
	case "fifties":
		return decadeOf(1950), n
	}
	return interval{}, 0
}
