package embed

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// piecesOf lists the pieces of a text; a piece that continues a word has "##"
// before it.
func piecesOf(text string) []string {
	var out []string
	for w := range words(text) {
		var of []string
		for at := 0; at < len(w); {
			end, row := longest(w, at)
			if row < 0 {
				of = nil
				break
			}
			p := w[at:end]
			if at > 0 {
				p = "##" + p
			}
			of, at = append(of, p), end
		}
		out = append(out, of...)
	}
	return out
}

// testdata/pieces.txt was written by the reference implementation of BERT's
// uncased tokeniser: a text, and on the next line behind a tab its pieces,
// without marks and other scripts, for which the table has no rows.
func TestPiecesEqualTheReferenceTokeniser(t *testing.T) {
	f, err := os.Open("testdata/pieces.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	n := 0
	for lines.Scan() {
		text := lines.Text()
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), "\t") {
			t.Fatalf("no pieces follow %q", text)
		}
		if got, want := strings.Join(piecesOf(text), " "), lines.Text()[1:]; got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
		n++
	}
	if err := lines.Err(); err != nil || n < 15 {
		t.Fatalf("%d samples, %v", n, err)
	}
}

func TestPiecesAreNotLookedForInOverlongWords(t *testing.T) {
	if got := piecesOf(strings.Repeat("x", maxWord+1)); len(got) != 0 {
		t.Errorf("an overlong word has the pieces %q", got)
	}
}
