package text

import (
	"strings"
	"time"
	"unicode/utf8"
)

// densePhrase is an expression of Chinese, Japanese or Korean that lies way
// units from today.
type densePhrase struct {
	text string
	way  int
	unit unit
}

// Longer phrases stand before their beginnings.
var densePhrases = [...]densePhrase{
	{"今天", 0, days}, {"今日", 0, days}, {"今晚", 0, days}, {"今夜", 0, days}, {"今早", 0, days}, {"本日", 0, days}, {"今朝", 0, days}, {"きょう", 0, days},
	{"昨天", -1, days}, {"昨日", -1, days}, {"昨晚", -1, days}, {"昨夜", -1, days}, {"きのう", -1, days},
	{"前天", -2, days}, {"一昨日", -2, days}, {"おととい", -2, days},
	{"明天", 1, days}, {"明日", 1, days}, {"明晚", 1, days}, {"明後日", 2, days}, {"后天", 2, days}, {"後天", 2, days},
	{"上周末", -1, weekends}, {"上週末", -1, weekends}, {"先週末", -1, weekends}, {"这周末", 0, weekends}, {"這週末", 0, weekends}, {"本周末", 0, weekends}, {"今週末", 0, weekends}, {"下周末", 1, weekends}, {"下週末", 1, weekends},
	{"上周", -1, weeks}, {"上週", -1, weeks}, {"上星期", -1, weeks}, {"上个星期", -1, weeks}, {"上個星期", -1, weeks}, {"上礼拜", -1, weeks}, {"上个礼拜", -1, weeks}, {"先週", -1, weeks},
	{"这周", 0, weeks}, {"這週", 0, weeks}, {"本周", 0, weeks}, {"本週", 0, weeks}, {"这个星期", 0, weeks}, {"這個星期", 0, weeks}, {"今週", 0, weeks},
	{"下周", 1, weeks}, {"下週", 1, weeks}, {"下星期", 1, weeks}, {"下个星期", 1, weeks}, {"下個星期", 1, weeks}, {"来週", 1, weeks},
	{"上个月", -1, months}, {"上個月", -1, months}, {"上月", -1, months}, {"先月", -1, months}, {"这个月", 0, months}, {"這個月", 0, months}, {"本月", 0, months}, {"今月", 0, months},
	{"下个月", 1, months}, {"下個月", 1, months}, {"下月", 1, months}, {"来月", 1, months},
	{"去年", -1, years}, {"昨年", -1, years}, {"前年", -2, years}, {"今年", 0, years}, {"明年", 1, years}, {"来年", 1, years},
	{"오늘", 0, days}, {"어제", -1, days}, {"그저께", -2, days}, {"내일", 1, days}, {"모레", 2, days},
	{"지난주", -1, weeks}, {"지난 주", -1, weeks}, {"이번 주", 0, weeks}, {"다음 주", 1, weeks}, {"다음주", 1, weeks},
	{"지난달", -1, months}, {"지난 달", -1, months}, {"이번 달", 0, months}, {"다음 달", 1, months}, {"작년", -1, years}, {"올해", 0, years}, {"내년", 1, years},
}

// denseTimes finds the expressions of scripts without spaces.
func (m *matcher) denseTimes() []TimeRef {
	var refs []TimeRef
	for i := 0; i < len(m.s); {
		r, w := utf8.DecodeRuneInString(m.s[i:])
		v, n := interval{}, 0
		if dense(r) || '0' <= r && r <= '9' || '０' <= r && r <= '９' {
			v, n = m.denseMatch(i)
		}
		if n == 0 {
			i += w
			if '0' <= r && r <= '9' { // never the tail of a number
				for isDigitByte(m.s, i) {
					i++
				}
			}
			continue
		}
		if m.dated || !v.relative || v.open {
			refs = append(refs, m.ref(v, i, i+n))
		}
		i += n
	}
	return refs
}

func (m *matcher) denseMatch(i int) (interval, int) {
	s := m.s[i:]
	if v, n := m.denseDate(s); n > 0 {
		return v, n
	}
	if v, n := m.denseCounted(s); n > 0 {
		return v, n
	}
	for _, p := range densePhrases {
		if strings.HasPrefix(s, p.text) {
			return m.denseShift(p, s[len(p.text):])
		}
	}
	if wd, n := denseWeekday(s); n > 0 && !strings.HasSuffix(m.s[:i], "每") && !strings.HasSuffix(m.s[:i], "毎週") {
		if m.today.Weekday() == wd {
			return m.relative(day(m.today)), n
		}
		return m.relative(day(before(m.today, wd))), n
	}
	return interval{}, 0
}

// denseShift resolves a phrase with what may narrow it: 上周五, 去年5月.
func (m *matcher) denseShift(p densePhrase, rest string) (interval, int) {
	v := shifted(m.today, p.way, p.way, p.unit)
	n := len(p.text)
	switch p.unit {
	case weeks:
		if wd, k := weekDigit(strings.TrimPrefix(rest, "の")); k > 0 {
			k += len(rest) - len(strings.TrimPrefix(rest, "の"))
			return m.relative(day(inWeek(v.from, wd))), n + k
		}
	case years:
		rest, skipped := skipOf(rest)
		if month, k := denseNumber(rest); k > 0 && month >= 1 && month <= 12 {
			if u, ok := cutAny(rest[k:], "月", "월"); ok > 0 {
				w, d := m.denseDay(v.from.Year(), month, u)
				return m.relative(w), n + skipped + k + ok + d
			}
		}
		for k, names := range [4][]string{{"春天", "春"}, {"夏天", "夏"}, {"秋天", "秋"}, {"冬天", "冬"}} {
			if _, ok := cutAny(rest, names...); ok > 0 {
				return m.relative(seasonOf(v.from.Year(), k)), n + skipped + ok
			}
		}
	}
	return v, n
}

// skipOf drops a の or a space and returns how many bytes that were.
func skipOf(s string) (rest string, n int) {
	rest = strings.TrimPrefix(strings.TrimPrefix(s, "の"), " ")
	return rest, len(s) - len(rest)
}

// cutAny cuts the first of the prefixes that s has and returns its length.
func cutAny(s string, prefixes ...string) (rest string, n int) {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return s[len(p):], len(p)
		}
	}
	return s, 0
}

// denseDate resolves 2023年5月7日, 2023年, 5月7日 and 五月; Korean too.
func (m *matcher) denseDate(s string) (interval, int) {
	a, n := denseNumber(s)
	if n == 0 {
		return interval{}, 0
	}
	rest, k := cutAny(s[n:], "年", "년")
	if k > 0 && a >= 1800 && a < 2200 {
		n += k
		tail, skipped := skipOf(rest)
		month, w := denseNumber(tail)
		if after, k := cutAny(tail[w:], "月", "월"); w > 0 && k > 0 && month >= 1 && month <= 12 {
			v, d := m.denseDay(a, month, after)
			return v, n + skipped + w + k + d
		}
		return yearOf(a), n
	}
	rest, k = cutAny(s[n:], "月", "월")
	if k == 0 || a < 1 || a > 12 {
		return interval{}, 0
	}
	v, d := m.denseDay(openYear, a, rest)
	from, to := v.from, v.to
	v = m.place(0, func(y int) interval {
		return interval{from: yearly(y, from), to: yearly(y, to), grain: v.grain}
	})
	if v.grain == Month {
		v.to = monthOf(v.from.Year(), v.from.Month()).to
	}
	return v, n + k + d
}

// denseDay reads a day after a month.
func (m *matcher) denseDay(y, month int, s string) (interval, int) {
	tail, skipped := skipOf(s)
	d, n := denseNumber(tail)
	if _, k := cutAny(tail[n:], "日", "号", "號", "일"); n > 0 && k > 0 && d >= 1 && d <= daysIn(y, time.Month(month)) {
		return day(date(y, time.Month(month), d)), skipped + n + k
	}
	return monthOf(y, time.Month(month)), 0
}

// denseCounted resolves 三天前, 2週間前, 两年后.
func (m *matcher) denseCounted(s string) (interval, int) {
	lo, n := denseNumber(s)
	hi := lo
	if n == 0 {
		if _, n = cutAny(s, "几", "幾", "数", "數"); n == 0 {
			return interval{}, 0
		}
		lo, hi = 2, 5
	}
	rest, k := cutAny(s[n:], "个", "個", "ヶ", "か", "カ", "ヵ", "개")
	n += k
	u := noUnit
	for _, p := range [...]densePhrase{{"天", 0, days}, {"日間", 0, days}, {"日", 0, days}, {"일", 0, days}, {"星期", 0, weeks}, {"礼拜", 0, weeks},
		{"週間", 0, weeks}, {"周", 0, weeks}, {"週", 0, weeks}, {"주", 0, weeks}, {"月", 0, months}, {"월", 0, months}, {"달", 0, months}, {"年間", 0, years}, {"年", 0, years}, {"년", 0, years}} {
		if strings.HasPrefix(rest, p.text) {
			u, rest, n = p.unit, rest[len(p.text):], n+len(p.text)
			break
		}
	}
	if u == noUnit || lo == 0 || hi > 999 {
		return interval{}, 0
	}
	rest, k = cutAny(rest, "之", "以", " ")
	n += k
	if _, k := cutAny(rest, "前", "전"); k > 0 {
		return m.ago(-lo, -hi, u), n + k
	}
	if _, k := cutAny(rest, "后", "後", "후"); k > 0 {
		return m.ago(lo, hi, u), n + k
	}
	return interval{}, 0
}

// denseWeekday reads 星期五, 周五, 金曜日.
func denseWeekday(s string) (time.Weekday, int) {
	rest, n := cutAny(s, "星期", "礼拜", "禮拜", "周", "週")
	if n == 0 {
		if wd, k := weekDigit(s); k > 3 { // 金曜
			return wd, k
		}
		return 0, 0
	}
	wd, k := weekDigit(rest)
	if k == 0 || k > 3 {
		return 0, 0
	}
	return wd, n + k
}

// weekDigit reads the day of a Chinese week or a Japanese weekday.
func weekDigit(s string) (time.Weekday, int) {
	r, w := utf8.DecodeRuneInString(s)
	for i, c := range "日月火水木金土" {
		if rest, ok := strings.CutPrefix(s[w:], "曜"); ok && r == c {
			_, k := cutAny(rest, "日")
			return time.Weekday(i / 3), w + len("曜") + k
		}
	}
	for i, c := range "日一二三四五六" {
		if r == c {
			return time.Weekday(i / 3), w
		}
	}
	if r == '天' {
		return time.Sunday, w
	}
	return 0, 0
}

// denseNumber reads ASCII or wide digits, or a Chinese numeral below 100.
func denseNumber(s string) (n, length int) {
	for length < len(s) && length < 12 {
		r, w := utf8.DecodeRuneInString(s[length:])
		if r >= '０' && r <= '９' {
			r -= '０' - '0'
		}
		if r < '0' || r > '9' || n > 99999 {
			break
		}
		n, length = 10*n+int(r-'0'), length+w
	}
	if length > 0 {
		return n, length
	}
	tens := -1
	for length < len(s) {
		r, w := utf8.DecodeRuneInString(s[length:])
		d := chineseDigit(r)
		switch {
		case r == '十' && tens < 0:
			if tens = max(n, 1); n > 9 {
				return 0, 0
			}
			n = 0
		case d > 0 && n == 0:
			n = d
		default:
			return max(tens, 0)*10 + n, length
		}
		length += w
	}
	return max(tens, 0)*10 + n, length
}

func chineseDigit(r rune) int {
	switch r {
	case '两', '兩':
		return 2
	}
	for i, c := range "一二三四五六七八九" {
		if r == c {
			return 1 + i/3
		}
	}
	return 0
}
