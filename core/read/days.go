package read

import "time"

// noDay stands for an unknown day.
const noDay = int32(-1 << 31)

// dayNumber gives the days from 1970-01-01 to an ISO date; noDay for anything
// else.
func dayNumber(iso string) int32 {
	t, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return noDay
	}
	return int32(t.Unix() / 86400)
}

// isoDay is the inverse of dayNumber; "" for noDay.
func isoDay(d int32) string {
	if d == noDay {
		return ""
	}
	return time.Unix(int64(d)*86400, 0).UTC().Format(time.DateOnly)
}

// humanDay writes a date as evidence shows it: "8 May 2023".
func humanDay(iso string) string {
	t, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return "undated"
	}
	return t.Format("2 January 2006")
}

// shownDay is a day as evidence shows it.
type shownDay struct {
	iso    string
	header string
	cost   int // tokens of the header's line
}

// shownDay writes a day, once while the index lives.
func (ix *index) shownDay(d int32) *shownDay {
	if known := ix.dayOf[d]; known != nil {
		return known
	}
	iso := isoDay(d)
	out := &shownDay{iso: iso, header: humanDay(iso)}
	out.cost = ix.tokens.Count(out.header + "\n")
	if ix.dayOf == nil {
		ix.dayOf = map[int32]*shownDay{}
	}
	ix.dayOf[d] = out
	return out
}
