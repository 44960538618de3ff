package text

// Passages of a long turn. A turn of more than PassageWords words (runs between
// spaces) is indexed and shown as passages of whole sentences: a passage is
// closed when the next sentence would take it past passageFull words and it has
// passageLeast; what is left with fewer joins the passage before.
const (
	PassageWords = 90
	passageFull  = 60
	passageLeast = 25
	// passageMax bounds one passage where a text has no sentences to cut at, in
	// bytes.
	passageMax = 2000
)

// Passages gives the spans of a text's passages; one span, the whole, for a
// text that is short enough. The spans are in order and cover all but white
// space between them.
func Passages(s string) [][2]int {
	if spaced(s) <= PassageWords && len(s) <= passageMax {
		return [][2]int{{0, len(s)}}
	}
	var out [][2]int
	start, end, words := 0, 0, 0
	flush := func() {
		if end > start {
			out = append(out, [2]int{start, end})
		}
		start, words = end, 0
	}
	for _, sp := range SentenceSpans(s) {
		// Only a sentence that fits a passage is counted: counting what is left of
		// a longer one at each cut would take the square of its length.
		long := sp[1]-sp[0] > passageMax
		n := 0
		if !long {
			n = spaced(s[sp[0]:sp[1]])
		}
		if end > start && (long || words+n > passageFull && words >= passageLeast || sp[1]-start > passageMax) {
			flush()
			start = sp[0]
		}
		for sp[1]-sp[0] > passageMax { // no sentence to cut at
			end = sp[0] + cutBefore(s[sp[0]:sp[1]], passageMax)
			flush()
			sp[0], start = end, end
		}
		if long {
			n = spaced(s[sp[0]:sp[1]])
		}
		end = sp[1]
		words += n
	}
	if words < passageLeast && len(out) > 0 && end-out[len(out)-1][0] <= passageMax {
		out[len(out)-1][1] = end
		return out
	}
	flush()
	return out
}

// spaced counts the runs of a text between white space.
func spaced(s string) int {
	n, in := 0, false
	for i := range len(s) {
		space := s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r'
		if !space && !in {
			n++
		}
		in = !space
	}
	return n
}

// cutBefore gives the last place at or before most at which s may be cut: after
// a space where there is one in the last third, else between runes.
func cutBefore(s string, most int) int {
	for i := most; i > most*2/3; i-- {
		if s[i-1] == ' ' || s[i-1] == '\n' {
			return i
		}
	}
	for i := most; i > 0; i-- {
		if s[i]&0xC0 != 0x80 {
			return i
		}
	}
	return most
}
