package write

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
)

// Quantities that change: a number that somebody has, has reached or has done
// so far. Each is an attribute of its own with one value at a time, named by
// what is counted or measured, so that the next number succeeds it.

// measured reads "my (best) lap time is (now) 27:12" and "our rent went up to
// 900 euros" at "my".
func (e *extractor) measured(my int) {
	const (
		most = 6
	)
	if supposed(e.ws, my) {
		return
	}
	j := my + 1
	for j < len(e.ws) && j <= my+most && !e.ws[j].punct && !e.ws[j].in(linking) && !e.ws[j].in(rises) {
		if w := e.ws[j]; w.in(former|subjects|enders) || verbLike(e.ws, j) && e.ws[j-1].fold != "to" || w.fold == "and" || w.fold == "or" {
			return
		}
		j++
	}
	if j >= len(e.ws) || j == my+1 || e.ws[j].punct || j > my+most {
		return
	}
	to := e.ws[j].in(rises)
	k := j + 1
	for k < len(e.ws) && e.ws[k].in(easing) {
		if e.ws[k].fold == "at" && !to {
			return // a time of day
		}
		k++
	}
	if to && e.ws[k-1].fold != "to" {
		return
	}
	if of := measure(e.ws[my+1 : j]); of != "" {
		e.quantity(of, e.amount(k))
	}
}

// counted reads how many there are of what "I" have, own or have done so far.
// i is the word behind the subject.
func (e *extractor) counted(i int) {
	const ()
	j, done := i, ""
	has := false
	for ; j < len(e.ws) && j < i+8 && !numeral(e.ws[j]); j++ {
		w := e.ws[j].fold
		switch {
		case w == "have" || w == "got" || w == "own" || w == "has":
			has = true
		case w == "am" && j+1 < len(e.ws) && (e.ws[j+1].fold == "up" || e.ws[j+1].fold == "at"):
			has = true
		case w == "managed" || e.ws[j].in(nearing|adverbs) || (w == "up" || w == "at") && done == "":
		case done == "" && has && participle(w):
			done = w
		case done == "" && has && e.ws[j-1].fold == "to" && j > i+1 && e.ws[j-2].fold == "managed":
			done = doing(w)
		default:
			return
		}
	}
	if j >= len(e.ws) || !numeral(e.ws[j]) || !has {
		return
	}
	of := e.thing(j + 1)
	if len(of) == 0 || !e.stillCounting(i, of, done != "") {
		return
	}
	name := strings.ToLower(written(e.s, of))
	if done != "" {
		name += " " + done
	}
	e.quantity(name, e.ws[j:j+1])
}

// participle reports a word that tells what was done: of a regular verb, or of
// a few others.
func participle(w string) bool {
	return participles.has(w) || len(w) > 4 && strings.HasSuffix(w, "ed")
}

// doing is the participle of a verb.
func doing(verb string) string {
	switch verb {
	case "write":
		return "written"
	case "read", "run":
		return verb
	case "see":
		return "seen"
	case "make":
		return "made"
	case "win":
		return "won"
	case "sell":
		return "sold"
	case "catch":
		return "caught"
	}
	return strings.TrimSuffix(verb, "e") + "ed"
}

// thing is what is counted: one to three words behind the number.
func (e *extractor) thing(j int) []word {
	n := 0
	for j+n < len(e.ws) && n < 4 {
		w := e.ws[j+n]
		if w.punct || w.in(enders|subjects|bounding|adverbs) || numeral(w) {
			break
		}
		n++
	}
	of := e.ws[j : j+n]
	if n == 0 || n > 3 || !strings.HasSuffix(of[n-1].fold, "s") || of[n-1].in(passingThings) {
		return nil
	}
	return of
}

// stillCounting reports that the clause says of a number that it is that of
// now: "now", "so far", "in my list".
func (e *extractor) stillCounting(i int, of []word, done bool) bool {
	end := of[len(of)-1].end
	for j := i; j < len(e.ws) && j < i+18; j++ {
		w := e.ws[j]
		next := ""
		if j+1 < len(e.ws) {
			next = e.ws[j+1].fold
		}
		switch {
		case w.punct && w.start > end:
			return false
		case w.fold == "now" || w.fold == "currently" || w.fold == "already", w.fold == "so" && next == "far", w.fold == "to" && next == "date",
			w.fold == "in" && next == "total", w.fold == "a" && next == "total", w.fold == "right" && next == "now":
			return true
		case w.start > end && done && (w.fold == "since" || w.fold == "this" && next == "year"):
			return true
		case w.start > end && !done && (w.fold == "in" || w.fold == "on") && (next == "my" || next == "our"):
			return true
		}
	}
	return false
}

// amount is a number with its unit, nothing where there is more to it.
func (e *extractor) amount(k int) []word {
	if k >= len(e.ws) || !numeral(e.ws[k]) {
		return nil
	}
	value := e.timeless(capture(e.ws[k:]))
	if len(value) == 0 || len(value) > 5 || slices.ContainsFunc(value, func(w word) bool { return w.fold == "old" || w.fold == "of" || w.fold == "away" || w.fold == "ago" }) {
		return nil
	}
	return value
}

// numeral reports a number in digits or in words.
func numeral(w word) bool {
	if w.in(numerals) {
		return true
	}
	f := strings.TrimLeft(w.fold, "$")
	return f != "" && f[0] >= '0' && f[0] <= '9' && !strings.HasSuffix(f, "th") && !strings.HasSuffix(f, "st") && !strings.HasSuffix(f, "nd") && !strings.HasSuffix(f, "rd")
}

// measure names what "my …" measures; "" where it is somebody, or what other
// rules read.
func measure(ws []word) string {
	for len(ws) > 1 && ws[0].in(fresh) {
		ws = ws[1:]
	}
	if len(ws) == 0 {
		return ""
	}
	var names []string
	for _, w := range ws {
		if w.in(relations|pets) || w.fold == "'s" || w.fold == "favourite" || w.fold == "favorite" {
			return ""
		}
		names = append(names, w.fold)
	}
	if len(ws) == 1 && (ws[0].in(possessives) || passingThings.has(ws[0].fold+"s")) {
		return ""
	}
	return strings.Join(names, " ")
}

// quantity adds a number as the one value of what it counts or measures.
func (e *extractor) quantity(of string, value []word) {
	if len(value) == 0 || e.has(0, of) {
		return
	}
	e.facts = append(e.facts, mem.Profile{Subject: e.speaker, Attribute: of, Value: written(e.s, value), Single: true})
}
