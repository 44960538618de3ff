package write

import (
	"strings"

	"github.com/leanmem/leanmem/core/text"
)

// What ends or comes back, and what "is" names.

// among reports whether a word stands on a list of words between spaces that is
// looked at seldom.
//
//go:noinline
func among(list, w string) bool { return strings.Contains(list, " "+w+" ") }

// in gives what a word is in a table of "word=…" between spaces, "" for none.
//
//go:noinline
func in(table, w string) string {
	_, rest, _ := strings.Cut(table, " "+w+"=")
	to, _, _ := strings.Cut(rest, " ")
	return to
}

// habits names what people give up and resume.
const habits = " smoke=smoking smokes=smoking smoking=smoking drink=drinking drinks=drinking drinking=drinking vape=vaping vapes=vaping vaping=vaping " +
	"gamble=gambling gambles=gambling gambling=gambling "

// deaths follow a pet that is dead.
var deaths = [][]string{{"has|have?", "died"}, {"has|have?", "passed", "away"}, {"was", "put", "down"}}

// petGone reads that the pet which "my" at word my introduces is dead: the noun
// stands at word j, what follows it and its name at k. One without a name is
// believed only where hardly more is said: another may have died long ago.
func (e *extractor) petGone(my, j, k int) bool {
	if k >= len(e.ws) || supposed(e.ws, my) && e.ws[my-1].fold != "when" {
		return false
	}
	gone := my > 0 && e.ws[my-1].fold == "put" && e.ws[k].fold == "down"
	for _, d := range deaths {
		_, ok := e.match(d, k, false)
		gone = gone || ok
	}
	if !gone || k == j+1 && (my > 0 || len(e.ws)-k > 3) {
		return false
	}
	return e.add(e.speaker, Pet, written(e.s, e.ws[j:k]), true)
}

// plainName is the name of one or two words that follows the "is" at word i and
// ends the clause ("my boss is Kim"), and nothing that somebody is ("… is
// Dutch").
func (e *extractor) plainName(i int) []word {
	if i >= len(e.ws) || e.ws[i].fold != "is" {
		return nil
	}
	name := e.properName(i + 1)
	next := i + 1 + len(name)
	if len(name) == 0 || len(name) > 2 || next < len(e.ws) && !e.ws[next].punct && e.ws[next].fold != "and" && e.ws[next].fold != "but" {
		return nil
	}
	for k := range name {
		w := &name[k]
		if written := e.s[w.start:w.end]; w.in(relations|pets) || text.Stop(w.fold) || len(written) > 1 && written[1] < 'a' || nationality(w.fold) {
			return nil
		}
	}
	return name
}

// nationality reports a word that says of what people, faith or profession
// somebody is, mostly by its end, or a title or day.
func nationality(w string) bool {
	for n := 2; n <= min(5, len(w)); n++ {
		if among(" ish ese ian can ic ist slim man ench tch day ", w[len(w)-n:]) {
			return true
		}
	}
	return among(" mr mrs ms dr hindu greek swiss czech thai welsh gemini virgo libra aries taurus pisces cancer god santa satan ", w)
}
