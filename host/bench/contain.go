package bench

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/dialogue"
)

// wanted are the words that an answer needs: those the question lists, or those
// of its answer.
func wanted(q dialogue.Question) []string {
	source := q.Answer
	if len(q.Words) > 0 {
		source = strings.Join(q.Words, " ")
	}
	list := content(source)
	slices.Sort(list)
	return slices.Compact(list)
}

// Containment is the share of the answer's words that stand in the evidence; ok
// is false where there is no answer.
func Containment(q dialogue.Question, cut string) (value float64, ok bool) {
	if q.Absent {
		return 0, false
	}
	want := wanted(q)
	if len(want) == 0 {
		return 0, false
	}
	return held(want, cut), true
}

func held(want []string, in string) float64 {
	have := map[string]bool{}
	for _, w := range words(in) {
		have[w] = true
		have[singular(w)] = true
	}
	n := 0
	for _, w := range want {
		if have[w] || have[singular(w)] || have[numerals[w]] {
			n++
		}
	}
	return float64(n) / float64(len(want))
}

// singular takes off the plain plural, so that "cat" is found in "cats".
func singular(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return w[:len(w)-1]
	}
	return w
}

// numerals pairs small numbers as words and as digits, both ways.
var numerals = func() map[string]string {
	m := map[string]string{}
	for i, w := range strings.Fields("one two three four five six seven eight nine ten eleven twelve") {
		digits := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}[i]
		m[w], m[digits] = digits, w
	}
	return m
}()

// Current reports, of a question about a current state, whether the newest
// value stands in an item that is marked as current and every item with an
// earlier value has a date. newest tells whether the value stands in the
// evidence at all.
func Current(q dialogue.Question, e Evidence, cut string) (right, newest, ok bool) {
	if !q.Current {
		return false, false, false
	}
	want := wanted(q)
	if len(want) == 0 {
		return false, false, false
	}
	marked, dated := false, true
	for _, item := range e.Items {
		if !strings.Contains(cut, item.Text) {
			continue
		}
		if held(want, item.Text) == 1 {
			newest = true
			marked = marked || item.Current != nil && *item.Current
		} else if stale(q, item) && item.Date == "" {
			dated = false
		}
	}
	return newest && marked && dated, newest, true
}

func stale(q dialogue.Question, item mem.Item) bool {
	return slices.ContainsFunc(q.Stale, func(v string) bool { return held(content(v), item.Text) == 1 })
}
