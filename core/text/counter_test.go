package text

import "testing"

var counted = []string{
	"", "a", "Hello, Bo! I've finished my first bowl last week. It leans a little.", "(word) \"Nature's\" e-mail@example.org",
	"iPhone McDonald don't DON'T we'll THEY'RE O'Neil's", "12345 3rd 2023-05-14 $3.50", "naïve Straße Čapek über l'été",
	"我在柏林住了三年。 Пришёл и ушёл  \n\n\t- x\r\n// y", "a\xffb", "x's 'sx ''s 'tis", "ÀB Aà aÀb 'é", "\u00a0word \u2019s",
}

func TestACounterGivesTheEstimate(t *testing.T) {
	var c Counter
	for range 2 { // from the tables, then from what it remembers
		for _, s := range counted {
			if got, want := c.Count(s), EstimateTokens(s); got != want {
				t.Errorf("%q: %d, want %d", s, got, want)
			}
		}
	}
}

// FuzzPlainPiece compares the way taken for plain words with the pattern.
func FuzzPlainPiece(f *testing.F) {
	for _, s := range counted {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for len(s) > 0 {
			if n := plainPiece(s); n > 0 && n != patternPiece(s) {
				t.Fatalf("%q: %d, the pattern takes %d", s, n, patternPiece(s))
			}
			s = s[1:]
		}
	})
}
