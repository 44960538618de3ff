package text

// monthName returns 1–12 for the folded English name of a month or its usual
// short form, else 0.
//
//go:noinline
func monthName(w string) int {
	switch w {
	case "january", "jan":
		return 1
	case "february", "feb":
		return 2
	case "march", "mar":
		return 3
	case "april", "apr":
		return 4
	case "may":
		return 5
	case "june", "jun":
		return 6
	case "july", "jul":
		return 7
	case "august", "aug":
		return 8
	case "september", "sep", "sept":
		return 9
	case "october", "oct":
		return 10
	case "november", "nov":
		return 11
	case "december", "dec":
		return 12
	}
	return 0
}

// weekdayName returns 0 (Sunday) to 6 for the folded English name of a day or
// its usual short form, else -1.
//
//go:noinline
func weekdayName(w string) int {
	switch w {
	case "sunday", "sun", "sundays":
		return 0
	case "monday", "mon", "mondays":
		return 1
	case "tuesday", "tue", "tues", "tuesdays":
		return 2
	case "wednesday", "wed", "wednesdays":
		return 3
	case "thursday", "thu", "thur", "thurs", "thursdays":
		return 4
	case "friday", "fri", "fridays":
		return 5
	case "saturday", "sat", "saturdays":
		return 6
	}
	return -1
}
