package text

import "time"

// Grain is the precision with which a temporal expression was said.
type Grain string

const (
	Day     Grain = "day"
	Weekend Grain = "weekend"
	Week    Grain = "week"
	Month   Grain = "month"
	Season  Grain = "season"
	Year    Grain = "year"
	Decade  Grain = "decade"
	Span    Grain = "span" // an open or vague interval: "since 2016", "recently"
)

// TimeRef is a temporal expression and the local calendar dates it denotes.
type TimeRef struct {
	Start, End int    // bytes of the phrase
	Phrase     string // as it was said
	From, To   string // ISO dates, inclusive; "--05-07" where the year is unknown
	Relative   bool   // depends on the date it was said
	Grain      Grain
}

// Temporal finds the temporal expressions of s and resolves them against the
// calendar date of at in at's own offset.
func Temporal(s string, at time.Time) []TimeRef { return nil }

// QueryTimes is Temporal for questions: a month or day without a year keeps
// its year open ("--05-01"), to be resolved by ResolveIn.
func QueryTimes(q string, now time.Time) []TimeRef { return nil }

// ResolveIn lists the closed intervals that ref may denote between the dates
// first and last (ISO, inclusive): one a year where the year is open.
func ResolveIn(ref TimeRef, first, last string) []TimeRef { return nil }
