package bench

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/leanmem/leanmem/host/dialogue"
)

// date is a day, a month (Day 0) or a year (Month 0).
type date struct{ Year, Month, Day int }

const monthNames = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`

// The usual forms of a date, on folded text.
var (
	isoForm      = regexp.MustCompile(`\b(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?\b`)
	dayFirst     = regexp.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? (` + monthNames + `)\.?,? ?(\d{4})\b`)
	monthFirst   = regexp.MustCompile(`\b(` + monthNames + `)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b`)
	monthForm    = regexp.MustCompile(`\b(` + monthNames + `)\.?(?: of)?,? (\d{4})\b`)
	yearForm     = regexp.MustCompile(`\b(1[89]\d\d|20\d\d)\b`)
	hanForm      = regexp.MustCompile(`(\d{4})年(\d{1,2})月(?:(\d{1,2})[日号])?`)
	dayInRange   = regexp.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th)?(?: (` + monthNames + `))? (?:to|until|–|-) (\d{1,2})(?:st|nd|rd|th)? (` + monthNames + `),? (\d{4})\b`)
	dateFillings = regexp.MustCompile(`^(?:on|in|the|of|to|until|from|around|early|late|到|–|-|,|\.|\s)*$`)
)

func month(name string) int {
	return strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", name[:3])/3 + 1
}

func num(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// dates lists the dates that stand in a text, as precise as they are written,
// and what is left of the text without them.
func dates(s string) (map[date]bool, string) {
	out := map[date]bool{}
	s = fold(s)
	take := func(re *regexp.Regexp, read func(m []string) []date) {
		for _, m := range re.FindAllStringSubmatch(s, -1) {
			for _, d := range read(m) {
				if d.valid() {
					out[d] = true
				}
			}
		}
		s = re.ReplaceAllString(s, " ")
	}
	take(dayInRange, func(m []string) []date {
		first := m[2]
		if first == "" {
			first = m[4]
		}
		return []date{{num(m[5]), month(first), num(m[1])}, {num(m[5]), month(m[4]), num(m[3])}}
	})
	take(isoForm, func(m []string) []date { return []date{{num(m[1]), num(m[2]), num(m[3])}} })
	take(hanForm, func(m []string) []date { return []date{{num(m[1]), num(m[2]), num(m[3])}} })
	take(dayFirst, func(m []string) []date { return []date{{num(m[3]), month(m[2]), num(m[1])}} })
	take(monthFirst, func(m []string) []date { return []date{{num(m[3]), month(m[1]), num(m[2])}} })
	take(monthForm, func(m []string) []date { return []date{{num(m[2]), month(m[1]), 0}} })
	take(yearForm, func(m []string) []date { return []date{{num(m[1]), 0, 0}} })
	return out, s
}

func (d date) valid() bool {
	if d.Day == 0 {
		return d.Month <= 12
	}
	return time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC).Day() == d.Day && d.Month <= 12
}

func (d date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// DateAnswer reports whether a question asks for a time and its answer is a
// date and nothing else.
func DateAnswer(q dialogue.Question) bool {
	if q.Absent || !strings.Contains(q.Category, "temporal") {
		return false
	}
	found, rest := dates(q.Answer)
	return len(found) > 0 && dateFillings.MatchString(rest)
}

// DateContained reports whether every date of the answer stands in the evidence
// in any usual form. A month is held by "May 2023" or "2023-05" and not by a
// day of that month; a year by any date of that year.
func DateContained(q dialogue.Question, cut string) (right, ok bool) {
	if !DateAnswer(q) {
		return false, false
	}
	want, _ := dates(q.Answer)
	have, _ := dates(cut)
	for d := range have {
		have[date{Year: d.Year}] = true
	}
	for d := range want {
		if !have[d] && !wholeMonth(d, have) {
			return false, true
		}
	}
	return true, true
}

// wholeMonth reports whether a month stands as the interval of its days.
func wholeMonth(d date, have map[date]bool) bool {
	if d.Month == 0 || d.Day != 0 {
		return false
	}
	last := time.Date(d.Year, time.Month(d.Month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return have[date{d.Year, d.Month, 1}] && have[date{d.Year, d.Month, last}]
}
