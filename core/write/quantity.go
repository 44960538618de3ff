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
		links  list = " is are 's takes costs weighs measures of "
		former list = " previous old former first usual next last goal target dream maximum minimum "
		rises  list = " went rose increased grew dropped fell decreased climbed "
		easing list = " now currently up down to about around roughly only just already finally at "
		most        = 6
	)
	if supposed(e.ws, my) {
		return
	}
	j := my + 1
	for j < len(e.ws) && j <= my+most && !e.ws[j].punct && !links.has(e.ws[j].fold) && !rises.has(e.ws[j].fold) {
		if w := e.ws[j].fold; former.has(w) || subjects.has(w) || enders.has(w) || verbLike(e.ws, j) && e.ws[j-1].fold != "to" || w == "and" || w == "or" {
			return
		}
		j++
	}
	if j >= len(e.ws) || j == my+1 || e.ws[j].punct || j > my+most {
		return
	}
	to := rises.has(e.ws[j].fold)
	k := j + 1
	for k < len(e.ws) && easing.has(e.ws[k].fold) {
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
	const (
		having list = " have got own has "
		easing list = " now currently already about around roughly exactly over nearly almost just even a total of to "
		reach  list = " up at "
	)
	j, done := i, ""
	has := false
	for ; j < len(e.ws) && j < i+8 && !numeral(e.ws[j]); j++ {
		w := e.ws[j].fold
		switch {
		case having.has(w):
			has = true
		case w == "am" && j+1 < len(e.ws) && reach.has(e.ws[j+1].fold):
			has = true
		case w == "managed" || easing.has(w) || adverbs.has(w) || reach.has(w) && done == "":
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
	const irregular list = " read written seen run done made met won sold bought sent caught grown built taken taught spent lost drawn drunk eaten " +
		"driven flown ridden swum "
	return irregular.has(w) || len(w) > 4 && strings.HasSuffix(w, "ed")
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
		if w.punct || enders.has(w.fold) || subjects.has(w.fold) || bounding.has(w.fold) || numeral(w) || adverbs.has(w.fold) {
			break
		}
		n++
	}
	of := e.ws[j : j+n]
	if n == 0 || n > 3 || !strings.HasSuffix(of[n-1].fold, "s") || passingThings.has(of[n-1].fold) {
		return nil
	}
	return of
}

// bounding words end what is counted.
const bounding list = " in on at of for with from to so and or about left total out by under per a an the already now "

// passingThings are had or done for the moment; their number is no state.
const passingThings list = " minutes hours days weeks months years seconds questions ideas options things ways reasons choices thoughts problems " +
	"issues meetings appointments exams tests deadlines tasks goals concerns points times tips suggestions plans people guests ones friends " +
	"kids children sons daughters brothers sisters siblings "

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
	const named list = " two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen " +
		"twenty thirty forty fifty sixty seventy eighty ninety hundred "
	if named.has(w.fold) {
		return true
	}
	f := strings.TrimLeft(w.fold, "$")
	return f != "" && f[0] >= '0' && f[0] <= '9' && !strings.HasSuffix(f, "th") && !strings.HasSuffix(f, "st") && !strings.HasSuffix(f, "nd") && !strings.HasSuffix(f, "rd")
}

// measure names what "my …" measures; "" where it is somebody, or what other
// rules read.
func measure(ws []word) string {
	const fresh list = " current new latest own total newest recent "
	for len(ws) > 1 && fresh.has(ws[0].fold) {
		ws = ws[1:]
	}
	if len(ws) == 0 {
		return ""
	}
	var names []string
	for _, w := range ws {
		if relations.has(w.fold) || pets.has(w.fold) || w.fold == "'s" || w.fold == "favourite" || w.fold == "favorite" {
			return ""
		}
		names = append(names, w.fold)
	}
	if len(ws) == 1 && (possessives.has(ws[0].fold) || passingThings.has(ws[0].fold+"s")) {
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
