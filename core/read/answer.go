package read

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
)

// passagesInAnswer is how many passages an answer without a model quotes,
// valuesInAnswer how many values of one attribute.
const (
	passagesInAnswer = 3
	valuesInAnswer   = 8
)

// unknown is what is said when the evidence does not hold the answer.
const unknown = "The memory does not hold an answer to this."

// AnswerByRules quotes the passages that rank highest, each with its date and
// speaker, or says that the memory does not hold the answer. It never makes a
// sentence of its own about the world.
func AnswerByRules(e mem.Evidence) mem.Answer {
	a := mem.Answer{Path: mem.Rules, Sources: []string{}, Text: unknown}
	if !e.Sufficient || len(e.Items) == 0 {
		return a
	}
	best := slices.Clone(e.Items)
	mem.Sort(best, func(x, y *mem.Item) int {
		// The state that is asked for answers first; then, unless another time
		// is asked about, the one that holds; then turns, however they are scored.
		return cmp.Or(cmp.Compare(rankOf(x), rankOf(y)), cmp.Compare(y.Score, x.Score))
	})
	a.Known = true
	var lines []string
	n := min(passagesInAnswer, len(best))
	for n < min(valuesInAnswer, len(best)) && alike(&best[n], &best[0]) {
		n++
	}
	for i := range best[:n] {
		it := &best[i]
		lines = append(lines, quoted(it))
		a.Sources = append(a.Sources, it.ID)
	}
	a.Text = strings.Join(lines, "\n")
	return a
}

func rankOf(it *mem.Item) int {
	switch {
	case it.Kind == mem.KindTurn || it.Kind == mem.KindRecord:
		return 2
	case it.Asked != nil && *it.Asked:
		return 0
	case it.Asked == nil && it.Current != nil && *it.Current:
		return 1
	}
	return 3
}

// alike reports two values that are asked for of one attribute of somebody.
func alike(x, y *mem.Item) bool {
	a, _, _ := strings.Cut(x.Text, ":")
	b, _, _ := strings.Cut(y.Text, ":")
	return x.Kind == mem.KindProfile && x.Kind == y.Kind && rankOf(x) < 2 && rankOf(x) == rankOf(y) && x.Speaker == y.Speaker && a == b
}

// quoted writes an item as an answer shows it: with the dates to which its words
// resolve, where they tell a time, before the day on which it was said.
func quoted(it *mem.Item) string {
	s := it.Text
	if it.Speaker != "" {
		s = it.Speaker + ": " + s
	}
	switch {
	case it.Resolved != "":
		s += " (" + it.Resolved + "; said on " + humanDay(it.Date) + ")"
	case it.Date != "":
		s += " (" + cmp.Or(it.Held, humanDay(it.Date))
		if it.Corrected != "" {
			s += "; corrected by the user on " + humanDay(it.Corrected)
		}
		s += ")"
	}
	return s
}

// Numbered writes the evidence with a number before each item's line, under
// which a model cites it: "1" is the first of e.Items.
func Numbered(e mem.Evidence) (text string, ids []string) {
	var b strings.Builder
	next := 0
	for line := range strings.Lines(e.Text) {
		if next < len(e.Items) && line[0] != '\t' && strings.Contains(line, firstLine(e.Items[next].Text)) {
			next++
			id := strconv.Itoa(next)
			ids = append(ids, id)
			b.WriteString("[" + id + "] ")
		}
		b.WriteString(line)
	}
	return b.String(), ids
}

// firstLine is where a text of several lines begins; the others are indented.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Cited maps the numbers of a model's answer back to the ids of the items.
func Cited(e mem.Evidence, numbers []string) []string {
	out := []string{}
	for _, s := range numbers {
		if n, err := strconv.Atoi(s); err == nil && n >= 1 && n <= len(e.Items) && !slices.Contains(out, e.Items[n-1].ID) {
			out = append(out, e.Items[n-1].ID)
		}
	}
	return out
}
