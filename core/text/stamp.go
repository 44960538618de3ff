package text

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// stampForms are tried in order on a stamp that squeeze has tidied. A form
// without an offset is taken as UTC.
var stampForms = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999999999Z0700",
	"2006-01-02 15:04:05.999999999", "2006-01-02 15:04", "2006-01-02",
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 Z07:00", "2006-01-02 15:04:05.999999999 -0700",
	"2006-01-02 15:04:05.999999999 -0700 MST", "2006-01-02 15:04 -0700", "2006-01-02 15:04Z07:00",
	"2006-01-02 3:04PM", "2006-01-02 3:04:05PM", "20060102T150405Z0700", "20060102T150405", "20060102",
	"2 Jan 2006", "2 Jan 2006 15:04", "2 Jan 2006 15:04:05", "2 Jan 2006 3:04PM", "2 Jan 2006 3:04:05PM", "2 Jan 2006 3PM",
	"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04 -0700",
	"Jan 2 2006", "Jan 2 2006 15:04", "Jan 2 2006 15:04:05", "Jan 2 2006 3:04PM", "Jan 2 2006 3:04:05PM", "Jan 2 2006 3PM",
	"Jan 2 15:04:05 2006", "Jan 2 15:04:05 MST 2006", "Jan 2 15:04:05 -0700 2006",
	"3:04PM 2 Jan 2006", "3PM 2 Jan 2006", "15:04 2 Jan 2006", "15:04:05 2 Jan 2006", "3:04PM Jan 2 2006", "3PM Jan 2 2006", "15:04 Jan 2 2006",
	"1/2/2006", "1/2/2006 15:04", "1/2/2006 15:04:05", "1/2/2006 3:04PM", "1/2/2006 3:04:05PM",
	"2/1/2006", "2/1/2006 15:04", "2/1/2006 15:04:05", "2/1/2006 3:04PM",
	"2.1.2006", "2.1.2006 15:04", "2.1.2006 15:04:05",
	"2006年1月2日", "2006年1月2日 15:04", "2006年1月2日 15:04:05",
	"Jan 2006", "2006-01", "2006",
}

// ParseStamp reads a time stamp in any usual form: RFC 3339, an ISO date or
// time, "1:56 pm on 8 May, 2023", "2023/05/30 (Tue) 03:52", RFC 1123, a date
// as people write it, or Unix seconds or milliseconds. "5/7/2023" is read
// month first unless only the other order is a date. The offset of the stamp
// is kept; without one it is UTC.
func ParseStamp(s string) (time.Time, error) {
	tidy := squeeze(s)
	if len(s) > 80 || tidy == "" {
		return time.Time{}, unknownStamp(s)
	}
	if t, ok := unixStamp(tidy); ok {
		return t, nil
	}
	for _, form := range stampForms {
		t, err := time.Parse(form, tidy)
		if err != nil || t.Year() < 1 {
			continue
		}
		// A named zone that Parse does not know gets offset 0: say UTC.
		if name, offset := t.Zone(); offset == 0 && name != "UTC" {
			t = t.UTC()
		} else if offset != 0 {
			t = t.In(time.FixedZone("", offset))
		}
		return t, nil
	}
	return time.Time{}, unknownStamp(s)
}

func unknownStamp(s string) error {
	if len(s) > 80 {
		s = s[:runeStart(s, 80)] + "…"
	}
	return fmt.Errorf("parse time stamp %q: not a form such as 2023-05-08T13:56:00+02:00, 2023-05-08, 1:56 pm on 8 May, 2023 or Unix seconds", s)
}

// unixStamp reads seconds (9–11 digits) or milliseconds (12–14) since 1970.
func unixStamp(s string) (time.Time, bool) {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	if len(whole) < 9 || len(whole) > 14 || !allDigits(whole) || fraction != "" && !allDigits(fraction) || len(fraction) > 9 {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || s[0] == '-' && fraction != "" {
		return time.Time{}, false
	}
	if s[0] == '-' {
		n = -n
	}
	if len(whole) > 11 {
		return time.UnixMilli(n).UTC(), true
	}
	nanos, _ := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
	return time.Unix(n, nanos).UTC(), true
}

// squeeze brings a stamp nearer to the forms: single spaces, no commas, no
// weekday, short month names, no ordinal endings, "PM" joined to its hour,
// ISO dates with dashes.
func squeeze(s string) string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case ',', '(', ')', '[', ']', '\u00a0', '\u202f', '\t', '\n', '\r', '|':
			return ' '
		case '‑', '–', '−':
			return '-'
		}
		return r
	}, s)
	var out []string
	for _, f := range strings.Fields(s) {
		word := strings.ToLower(strings.TrimSuffix(f, "."))
		switch {
		case word == "on" || word == "at" || word == "of" || word == "the" || weekdayName(word) >= 0 && !allDigits(word):
			continue
		case monthName(word) > 0:
			f = time.Month(monthName(word)).String()[:3]
		case word == "am" || word == "pm" || word == "a.m" || word == "p.m":
			f = strings.ToUpper(strings.ReplaceAll(word, ".", ""))
			if n := len(out); n > 0 {
				out[n-1] += f
				continue
			}
		case strings.HasSuffix(word, "am") || strings.HasSuffix(word, "pm"):
			f = strings.ToUpper(word)
		default:
			f = isoSlashes(ordinal(f))
		}
		out = append(out, f)
	}
	return strings.Join(out, " ")
}

// ordinal drops the ending of "8th".
func ordinal(f string) string {
	if n := len(f) - 2; n >= 1 && n <= 2 && allDigits(f[:n]) {
		switch strings.ToLower(f[n:]) {
		case "st", "nd", "rd", "th":
			return f[:n]
		}
	}
	return f
}

// isoSlashes turns 2023/5/8 and 2023.5.8 into 2023-05-08.
func isoSlashes(f string) string {
	date, rest := f, ""
	if i := strings.IndexByte(f, 'T'); i > 0 {
		date, rest = f[:i], f[i:]
	}
	parts := strings.FieldsFunc(date, func(r rune) bool { return r == '/' || r == '.' || r == '-' })
	if len(parts) != 3 || len(parts[0]) != 4 {
		return f
	}
	for i, p := range parts {
		if !allDigits(p) || i > 0 && len(p) > 2 {
			return f
		}
		if len(p) == 1 {
			parts[i] = "0" + p
		}
	}
	return strings.Join(parts, "-") + rest
}

// FormatDate gives the ISO date of t in its own offset, "2023-05-07".
func FormatDate(t time.Time) string { return t.Format("2006-01-02") }

// HumanDate gives the date of t as people write it, "7 May 2023".
func HumanDate(t time.Time) string { return t.Format("2 January 2006") }
