package text

import (
	"fmt"
	"time"
)

// ParseStamp reads a time stamp in any usual form. A form without an offset is
// taken as UTC.
func ParseStamp(s string) (time.Time, error) {
	return time.Time{}, fmt.Errorf("parse time stamp %q: unknown form", s)
}

// FormatDate gives the ISO date of t in its own offset, "2023-05-07".
func FormatDate(t time.Time) string { return t.Format("2006-01-02") }

// HumanDate gives the date of t as people write it, "7 May 2023".
func HumanDate(t time.Time) string { return t.Format("2 January 2006") }
