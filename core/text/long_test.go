package text

import (
	"strings"
	"testing"
)

// A turn may be a megabyte of anything. Work that grows with its square would
// take minutes; the bound is generous, since timing never decides: the test
// ends or it does not.
func TestLongOddTextsEnd(t *testing.T) {
	for name, unit := range map[string]string{"line breaks": "\n", "CRLF": "\r\n", "abbreviations": "Dr.\n", "blanks": " ", "points": ". ", "initials": "A. "} {
		s := strings.Repeat(unit, 1_000_000/len(unit)) + "x"
		end := 0
		for _, p := range SentenceSpans(s) {
			if p[0] != end {
				t.Fatalf("%s: a gap at %d", name, end)
			}
			end = p[1]
		}
		if end != len(s) {
			t.Errorf("%s: %d of %d bytes covered", name, end, len(s))
		}
		Passages(s)
	}
}
