package text

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	porter2 "github.com/blevesearch/snowballstem/english"
)

// Stem returns the Porter2 stem of a folded English word ("painted" and
// "painting" give "paint"). A word that has anything but a–z and apostrophes
// is returned unchanged.
func Stem(w string) string {
	if len(w) < 3 || len(w) > 40 || stemmed(w) {
		return w
	}
	for i := 0; i < len(w); i++ {
		if c := w[i]; (c < 'a' || c > 'z') && c != '\'' {
			return w
		}
	}
	env := snowballstem.NewEnv(w)
	porter2.Stem(env)
	if s := env.Current(); s != "" {
		return s
	}
	return w
}

// stemmed reports a word whose ending no step of Porter2 takes away; that
// spares half the words of a text the stemmer, which allocates.
func stemmed(w string) bool {
	if w[0] == '\'' { // it drops leading apostrophes
		return false
	}
	switch w[len(w)-1] {
	case 'a', 'b', 'f', 'h', 'j', 'k', 'o', 'p', 'q', 'u', 'v', 'w', 'x', 'z':
		return true
	case 'c':
		return !strings.HasSuffix(w, "ic")
	case 'd':
		return !strings.HasSuffix(w, "ed")
	case 'g':
		return !strings.HasSuffix(w, "ing")
	case 'l':
		return !strings.HasSuffix(w, "al") && !strings.HasSuffix(w, "ul") && !strings.HasSuffix(w, "ll")
	case 'm':
		return !strings.HasSuffix(w, "ism")
	case 'n':
		return !strings.HasSuffix(w, "ion")
	case 'r':
		return !strings.HasSuffix(w, "er") && !strings.HasSuffix(w, "or")
	case 't':
		return !strings.HasSuffix(w, "nt")
	}
	return false
}
