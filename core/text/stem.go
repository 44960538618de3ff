package text

import (
	"github.com/blevesearch/snowballstem"
	porter2 "github.com/blevesearch/snowballstem/english"
)

// Stem returns the Porter2 stem of a folded English word ("painted" and
// "painting" give "paint"). A word that has anything but a–z and apostrophes
// is returned unchanged.
func Stem(w string) string {
	if len(w) < 3 || len(w) > 40 {
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
