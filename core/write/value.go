package write

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core/text"
)

// The words that a pattern captured become the value of a fact here, or are
// refused because they say nothing that lasts.

// fit drops temporal phrases and articles from a captured value and checks it
// against the rule. It returns nothing when the value says nothing.
func (e *extractor) fit(r *rule, value []word) []word {
	if r.attribute != "birthday" {
		value = e.timeless(value)
	}
	if len(value) == 0 || r.lasting && !e.lasting(value) || tastes(r) && fleeting(value) || r.counted && !counts.has(value[0].fold) {
		return nil
	}
	if r.attribute == "interest" && (asks.has(value[0].fold) || fleeting(value)) {
		return nil
	}
	if r.attribute == Hobby && (value[0].fold == "a" || value[0].fold == "an" || value[0].fold == "some") {
		return nil // one game, some song: what was just played
	}
	if r.attribute == Location {
		value = until(value, " with for because and ")
	}
	if len(value) > 1 && value[0].fold == "to" && (r.attribute == Likes || r.attribute == Dislikes) && phatic.has(value[1].fold) {
		return nil
	}
	if len(value) > 1 && (value[0].fold == "to" || !value[0].upper && (value[0].fold == "a" || value[0].fold == "an" || value[0].fold == "the" || value[0].fold == "some")) {
		value = value[1:]
	}
	if len(value) == 0 || empty(value) || r.capital && !value[0].upper {
		return nil
	}
	if r.ends && (value[0].fold == "my" || value[0].fold == "our") {
		return nil // a job, a lease: something that happened, not a trait
	}
	if r.first != "" && !r.first.has(value[0].fold) || r.trade && !trade(value) {
		return nil
	}
	if r.holds != "" && !slices.ContainsFunc(value, func(w word) bool { return r.holds.has(w.fold) }) {
		return nil
	}
	return value
}

// timeless cuts a value where a temporal phrase of the sentence begins, but
// keeps recurrence ("chess on Sundays"), which belongs to the fact.
func (e *extractor) timeless(value []word) []word {
	if len(value) == 0 {
		return value
	}
	for _, r := range e.temporal() {
		if r.Grain == text.Span && !strings.ContainsAny(r.Phrase, "0123456789") {
			continue
		}
		for i, w := range value {
			if w.start >= r.Start && w.start < r.End {
				return trim(value[:i])
			}
		}
	}
	return value
}

// until cuts a value at the first of the words.
func until(value []word, at list) []word {
	for i, w := range value {
		if i > 0 && at.has(w.fold) {
			return value[:i]
		}
	}
	return value
}

// cutShort reports a value that ends before what it is about: "listening to
// …", "games that I …", "a warm …".
func (e *extractor) cutShort(r *rule, value []word) bool {
	if !tastes(r) && r.attribute != Hobby && r.attribute != "interest" {
		return false
	}
	const dangling list = " to with of about into from by "
	last := value[len(value)-1]
	for j, w := range e.ws {
		if w.start < last.end {
			continue
		}
		relates := (w.fold == "that" || w.fold == "which" || w.fold == "who") && j+1 < len(e.ws) && subjects.has(e.ws[j+1].fold)
		if dangling.has(w.fold) || relates && !w.punct {
			return true
		}
		break
	}
	return len(value) > 1 && article.has(value[len(value)-2].fold) && adjective(last.fold)
}

const article list = " a an the some my our "

// tastes reports a rule about what somebody likes or not.
func tastes(r *rule) bool { return r.attribute == Likes || r.attribute == Dislikes }

// phatic verbs after "I hate to", "I like to" say nothing of a taste.
const phatic list = " ask say admit break bother interrupt see hear think know disappoint be believe tell help "

// counts begin a value that states how many there are.
const counts list = " a an one two three four five six seven eight nine ten several some many 2 3 4 5 6 7 8 9 10 my our another "

// fleeting reports a value that points at what was just said or shown: "his
// tech", "the colours", "watching them play". What everybody knows by its
// article ("the sea") and names stay.
func fleeting(value []word) bool {
	const known list = " sea ocean beach outdoors outdoor mountains mountain city country countryside water snow rain sun sunshine summer " +
		"winter spring autumn fall arts theatre theater cinema opera piano guitar violin drums forest woods desert north south cold heat " +
		"heights dark internet gym library park weekend weekends holidays wild stars night moon "
	if subjects.has(value[0].fold) && value[0].fold != "my" && value[0].fold != "our" || value[0].fold == "its" || value[0].fold == "every" {
		return true
	}
	for i, w := range value[:min(3, len(value))] {
		switch w.fold {
		case "them", "him", "it", "this", "these", "those":
			return true
		case "that":
			if !relatesOn(value, i) {
				return true
			}
		}
	}
	if value[0].fold != "the" || len(value) > 1 && value[1].upper {
		return false
	}
	return len(value) < 2 || !known.has(value[1].fold) || len(value) > 2 && !joining.has(value[2].fold) // "the dark sky"
}

// joining words may follow a noun within a value.
const joining list = " and or , with at in on by near around as to when during "

// asks begin what somebody wants of the present talk ("interested in learning
// more about …"), not what interests them.
const asks list = " learning exploring knowing finding getting seeing hearing trying understanding buying using making having discussing any "

// empty reports a value that points at something instead of saying it.
func empty(value []word) bool {
	const (
		pointers list = " it that this those these you your them him her me us yourself u how what when where why who if everything anything " +
			"something nothing one ones others all both each being having getting seeing hearing talking chatting thinking knowing the-most " +
			"with around for of at in on about out up down into over off by from so like as along more any no not such here there every few " +
			"home night nights peace least myself himself herself themselves whatever whenever someone everyone anyone each-other " +
			"my-own when's well better too "
		heads list = " idea way sound look thought suggestion option vibe vibes energy photo picture pic message question answer part role " +
			"fact feeling job point start details kind sort type best rest same other whole point lot lots bit ton tons loads heaps bunch deal couple few thing things stuff time "
		picks list = " one ones option options "
	)
	if pointers.has(value[0].fold) {
		return true
	}
	if len(value) == 1 && (len(value[0].fold) < 2 || subjects.has(value[0].fold)) {
		return true
	}
	if heads.has(value[0].fold) && (len(value) == 1 || value[1].fold == "of" || value[1].fold == "you" || value[1].fold == "i") {
		return true
	}
	if picks.has(value[len(value)-1].fold) {
		return true // of what was just offered
	}
	content := false
	for _, w := range value {
		if w.fold == "you" || w.fold == "your" || w.fold == "yours" {
			return true
		}
		content = content || !w.punct && !text.Stop(w.fold)
	}
	return !content
}

// trade reports whether a value names what one does for a living.
func trade(value []word) bool {
	const (
		named list = " nurse chef teacher student pilot cook coach clerk architect accountant consultant assistant attendant therapist surgeon " +
			"vet veterinarian nanny guide judge intern professor lecturer tutor freelancer entrepreneur ceo cto cfo dj mechanic plumber " +
			"carpenter electrician musician magician librarian paralegal realtor barista model actor actress artist writer author poet " +
			"dancer singer designer developer programmer engineer manager director producer editor photographer painter baker butcher " +
			"banker broker trader driver farmer fisher firefighter police officer soldier sailor lawyer solicitor barrister doctor " +
			"counselor counsellor instructor trainer translator interpreter reporter researcher scientist supervisor administrator " +
			"hairdresser waiter waitress bartender server builder contractor caregiver carer caretaker gardener jeweler tailor potter " +
			"blogger streamer youtuber videographer filmmaker composer conductor drummer guitarist secretary receptionist analyst " +
			"paramedic midwife dentist pharmacist biologist chemist physicist economist statistician lifeguard bodyguard janitor cleaner " +
			"plasterer welder roofer surveyor planner recruiter investor retiree apprentice postdoc "
		stops list = " at for in with of from who on by and to "
	)
	head := value[0]
	for _, w := range value {
		if w.punct || stops.has(w.fold) {
			break
		}
		head = w
	}
	f := head.fold
	for _, suffix := range []string{"ologist", "ician", "eer", "smith", "wright", "grapher"} {
		if strings.HasSuffix(f, suffix) && len(f) > len(suffix)+1 {
			return true
		}
	}
	return named.has(f)
}

// split takes a list of short items apart; anything else stays one value.
func split(s string, value []word, may bool) []string {
	if !may {
		return []string{written(s, value)}
	}
	if slices.ContainsFunc(value, func(w word) bool { return w.quoted }) {
		return []string{written(s, value)} // a title
	}
	var items []string
	start := 0
	for i := 0; i <= len(value); i++ {
		if i < len(value) && value[i].fold != "," && value[i].fold != "and" && value[i].fold != "or" {
			continue
		}
		if i-start > 3 || i == start+1 && i < len(value) && adjective(value[start].fold) {
			return []string{written(s, value)}
		}
		if item := written(s, value[start:i]); item != "" {
			items = append(items, item)
		}
		start = i + 1
	}
	return items
}

func hasCapital(s string) bool { return strings.ContainsFunc(s, unicode.IsUpper) }

func startsUpper(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}
