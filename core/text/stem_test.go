package text

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/snowballstem"
	porter2 "github.com/blevesearch/snowballstem/english"
)

func TestStem(t *testing.T) {
	for in, want := range map[string]string{
		"painted": "paint", "painting": "paint", "agencies": "agenc", "happiness": "happi",
		"is": "is", "骑车": "骑车", "naïveté": "naïveté", "2023": "2023", "": "", "don't": "don't", "'''": "'",
	} {
		if got := Stem(in); got != want {
			t.Errorf("Stem(%q) = %q, want %q", in, got, want)
		}
	}
}

// snowball is the stem by the library that Snowball generates.
func snowball(w string) string {
	if len(w) < 3 || len(w) > longestStemmed || strings.Trim(w, "'abcdefghijklmnopqrstuvwxyz") != "" {
		return w
	}
	env := snowballstem.NewEnv(w)
	porter2.Stem(env)
	if s := env.Current(); s != "" {
		return s
	}
	return w
}

// TestStemIsPorter2 compares with the library: words of the lists and random
// ones of the letters that rules look at, with every ending that a rule knows,
// and two of them.
func TestStemIsPorter2(t *testing.T) {
	endings := strings.Fields("'s' 's ' s es ies ied sses us ss ed eed ing edly eedly ingly y ment ement e l ll ic ance ence able ible ate ive ize iti al ism ion sion tion er ous ant ent able ly ful ness")
	for _, e := range slices.Concat(doubleEndings, laterEndings) {
		endings = append(endings, e[0])
	}
	roots := strings.Fields("skis skies dying lying tying idly gently ugly early only singly sky news howe atlas cosmos bias andes succeed proceed exceed canning inning earring herring outing arsen commun gener y yy ' ''")
	for w := range listed {
		roots = append(roots, w)
	}
	slices.Sort(roots)
	random := rand.New(rand.NewPCG(1, 2))
	const letters = "aeiouybdlstwxrnvczg'"
	for range 4000 {
		b := make([]byte, 1+random.IntN(8))
		for i := range b {
			b[i] = letters[random.IntN(len(letters))]
		}
		roots = append(roots, string(b))
	}
	for _, root := range roots {
		for _, ending := range append(endings, "") {
			for _, w := range []string{root + ending, root + endings[random.IntN(len(endings))] + ending} {
				if got, want := Stem(w), snowball(w); got != want {
					t.Fatalf("Stem(%q) = %q, the library's is %q", w, got, want)
				}
			}
		}
	}
}

func FuzzStem(f *testing.F) {
	for _, w := range []string{"painted", "relational", "'yay'ed's", "generously", "hopping", "bying", "ies", "sayyying"} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, w string) {
		if got, want := Stem(w), snowball(w); got != want {
			t.Fatalf("Stem(%q) = %q, the library's is %q", w, got, want)
		}
	})
}

func BenchmarkStem(b *testing.B) {
	words := Words(turn)
	for b.Loop() {
		for _, w := range words {
			Stem(w)
		}
	}
}
