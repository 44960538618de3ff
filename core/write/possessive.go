package write

import (
	"strings"

	"github.com/leanmem/leanmem/core/mem"
)

// The patterns of what follows "my …".
var (
	valued     = []string{"is|are|am", "on|in?", "{}"}
	employed   = []string{"as", "a|an", "{}"}
	namedSo    = []string{"'s", "name", "is|'s", "{}"}
	calledSo   = []string{"is|'s", "called|named", "{}"}
	calledOnly = []string{"named|called", "{}"}
)

// possessive reads what "my" at word i introduces: a relation or a pet by
// name, a favourite, or an attribute that is named outright.
func (e *extractor) possessive(i int) {
	j := i + 1
	for j < len(e.ws) && j < i+3 && e.ws[j].in(kinship) {
		j++
	}
	if j >= len(e.ws) {
		return
	}
	noun := e.ws[j]
	switch {
	case noun.punct:
	case noun.in(relations) && e.introduced(i, j):
	case noun.in(relations) && !relatedAgain(e.ws, j):
		e.relation(i+1, j)
	case noun.in(pets):
		e.pet(i, j)
	case noun.fold == "favourite" || noun.fold == "favorite" || noun.fold == "fave":
		e.favourite(i, j)
	case noun.in(possessives):
		if value, ok := e.match(valued, j+1, false); ok {
			if value = e.fit(&rule{attribute: noun.fold}, value); len(value) > 0 && !value[0].in(passing) {
				e.add(e.speaker, Attribute(noun.fold), written(e.s, value), false)
			}
		} else if value, ok := e.match(employed, j+1, false); ok && noun.fold == "job" {
			e.add(e.speaker, Occupation, written(e.s, e.timeless(value)), i > 0 && e.ws[i-1].in(leaving))
		}
	}
}

// introduced reads "Tom is my brother".
func (e *extractor) introduced(my, j int) bool {
	if my < 2 || e.ws[my-1].fold != "is" && e.ws[my-1].fold != "'s" || j+1 < len(e.ws) && !e.ws[j+1].punct {
		return false
	}
	w := e.ws[my-2]
	if w.punct || !w.upper || w.in(subjects) || w.in(impersonal) {
		return false
	}
	e.person(e.ws[j].fold, written(e.s, e.ws[my-2:my-1]))
	return true
}

// relatedAgain reports a genitive of a genitive ("my sister's friend"), whose
// facts are not about the relation; "'s" before a name's rule or a predicate
// is not one.
func relatedAgain(ws []word, j int) bool {
	return j+2 < len(ws) && ws[j+1].fold == "'s" && ws[j+2].fold != "name" && ws[j+2].fold != "a" && ws[j+2].fold != "an" && ws[j+2].fold != "called"
}

// relation reads "my (best) friend Bo …", "my sister's name is …", "my sister
// is …". from is the first word after "my", j the relation itself.
func (e *extractor) relation(from, j int) {
	kind := e.ws[j].fold
	if value, ok := e.match(namedSo, j+1, false); ok && value[0].upper {
		e.person(kind, written(e.s, value))
		return
	}
	if value, ok := e.match(calledSo, j+1, false); ok && value[0].upper {
		e.person(kind, written(e.s, value))
		return
	}
	if name := e.plainName(j + 1); len(name) > 0 {
		e.person(kind, written(e.s, name))
		return
	}
	k := j + 1
	if k < len(e.ws) && e.ws[k].fold == "," {
		k++
	}
	name := e.properName(k)
	if len(name) == 0 {
		e.predicate(j+1, e.speaker+"'s "+written(e.s, e.ws[from:j+1]), true)
		return
	}
	if k > j+1 && (k+len(name) >= len(e.ws) || !e.ws[k+len(name)].punct) {
		return // "my sister, Bo and I": not an apposition
	}
	e.person(kind, written(e.s, name))
	next := k + len(name)
	if next < len(e.ws) && e.ws[next].fold == "," {
		next++
	}
	e.predicate(next, written(e.s, name), true)
}

// properName is the capitalised words at k that can be a person's name.
func (e *extractor) properName(k int) []word {
	n := 0
	for k+n < len(e.ws) && n < 3 {
		w := e.ws[k+n]
		if w.punct || !w.upper || w.fold == "i" || w.in(subjects) {
			break
		}
		n++
	}
	return e.ws[k : k+n]
}

func (e *extractor) person(kind, name string) {
	e.add(e.speaker, kind, name, false)
	if e.people != nil {
		first, _, _ := strings.Cut(name, " ")
		e.people[first] = true
	}
}

// pet reads "my dog Rex", "my dog's name is Rex", "my dog is (called) Rex".
func (e *extractor) pet(my, j int) {
	if e.petGone(my, j, j+1+len(e.properName(j+1))) {
		return
	}
	var name []word
	for _, pattern := range [][]string{namedSo, calledSo, calledOnly} {
		if value, ok := e.match(pattern, j+1, false); ok && value[0].upper {
			name = value
			break
		}
	}
	if name == nil && j+1 < len(e.ws) {
		if name = e.properName(j + 1); len(name) == 0 {
			name = e.plainName(j + 1)
		}
	}
	if len(name) > 0 {
		e.add(e.speaker, Pet, written(e.s, e.ws[j:j+1])+" "+written(e.s, name), false)
	}
}

// favourite reads "my favourite dish is …" and "… is my favourite dish".
func (e *extractor) favourite(my, j int) {
	k := j + 1
	for k < len(e.ws) && k < j+4 && !e.ws[k].punct && e.ws[k].fold != "is" && e.ws[k].fold != "are" && e.ws[k].fold != "'s" && !e.ws[k].in(enders) {
		k++
	}
	of := "favourite " + strings.ToLower(written(e.s, trim(e.ws[j+1:k])))
	if k == j+1 {
		of = "favourite"
	}
	if k < len(e.ws) && (e.ws[k].fold == "is" || e.ws[k].fold == "are" || e.ws[k].fold == "'s") {
		value := e.fit(&rule{}, capture(e.ws[k+1:]))
		if len(value) > 0 && of != "favourite" {
			e.add(e.speaker, Attribute(of), written(e.s, value), false)
		}
		return
	}
	if my < 2 || e.ws[my-1].fold != "is" && e.ws[my-1].fold != "are" {
		return
	}
	start := my - 1
	for start > 0 && !e.ws[start-1].punct && my-start <= 5 && !e.ws[start-1].in(enders) {
		start--
	}
	if value := e.fit(&rule{}, e.ws[start:my-1]); len(value) > 0 {
		if of == "favourite" {
			of = Likes
		}
		e.add(e.speaker, Attribute(of), written(e.s, value), false)
	}
}

// selfNamed reads "I'm Ana" where the clause says nothing else.
func (e *extractor) selfNamed(i int) {
	if e.ws[i].fold != "am" || i+1 >= len(e.ws) || i > 4 {
		return
	}
	name := e.properName(i + 1)
	next := i + 1 + len(name)
	if len(name) == 0 || len(name) > 2 || next < len(e.ws) && !e.ws[next].punct && e.ws[next].fold != "and" {
		return
	}
	if nationality(name[len(name)-1].fold) {
		return
	}
	e.add(e.speaker, Name, written(e.s, name), false)
}

// age reads "I'm 34" and "I'm 34 years old".
func (e *extractor) age(i int) {
	if e.ws[i].fold != "am" || i+1 >= len(e.ws) {
		return
	}
	n := e.ws[i+1].fold
	if len(n) > 3 || strings.Trim(n, "0123456789") != "" {
		return
	}
	if i+2 == len(e.ws) || strings.Contains(".,!;", e.ws[i+2].fold) || e.ws[i+2].fold == "years" && i+3 < len(e.ws) && e.ws[i+3].fold == "old" {
		e.facts = append(e.facts, mem.Profile{Subject: e.speaker, Attribute: "age", Value: n, Single: true})
	}
}

// habit reads what "I" do again and again: a present predicate with words of
// recurrence.
func (e *extractor) habit(i int) {
	for i < len(e.ws) && e.ws[i].in(adverbs) && e.ws[i].fold != "have" && e.ws[i].fold != "been" && e.ws[i].fold != "did" {
		i++
	}
	if i >= len(e.ws) || e.ws[i].in(unhabitual) || strings.HasSuffix(e.ws[i].fold, "ed") {
		return
	}
	end := i
	for end < len(e.ws) && end < i+14 && !e.ws[end].punct && !e.ws[end].in(enders) {
		end++
	}
	if end == i+14 {
		return // cut
	}
	clause := e.ws[i:end]
	if len(clause) < 3 || !recurs(clause) || fleeting(clause[1:]) {
		return
	}
	e.add(e.speaker, Habit, written(e.s, clause), false)
}

// recurs reports words such as "every day", "on Sundays", "twice a week".
func recurs(ws []word) bool {
	const ()
	for i, w := range ws {
		switch {
		case w.fold == "daily" || w.fold == "weekly" || w.fold == "weekdays":
			return true
		case i > 0 && w.in(dayparts) && ws[i-1].in(periods):
			return true
		case i > 0 && ws[i-1].fold == "every" && w.in(periods):
			return true
		case i > 0 && (ws[i-1].fold == "on" || ws[i-1].fold == "in") && w.in(weekdays):
			return true
		case i > 0 && (ws[i-1].fold == "a" || ws[i-1].fold == "per") && w.in(periods) && i > 1 && (ws[i-2].fold == "once" || ws[i-2].fold == "twice" || ws[i-2].fold == "times"):
			return true
		}
	}
	return false
}
