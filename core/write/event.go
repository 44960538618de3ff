package write

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// happenings is the most events that rules take from one turn, stateWords the
// most words of a state.
const (
	happenings = 4
	stateWords = 48
)

// Event is one happening that rules found in the turns of a segment.
type happening struct {
	sources []int
	event   mem.Event
	covers  string // the sentence that states it
}

// carry is the subject and topic that an elliptic turn takes over ("now
// Blue"), and the turn that gave them.
type carry struct {
	turn           int
	subject, topic string
	is             bool
}

// happened finds the events that a turn tells, at most happenings. c carries
// the last state of somebody's from turn to turn.
func happened(turns []mem.Turn, i int, lines []line, people People, c *carry) []happening {
	t := turns[i]
	var out []happening
	for j := range lines {
		if len(out) == happenings {
			break
		}
		e, carried, ok := eventOf(lines[j].flush(), t, people, c)
		if !ok {
			continue
		}
		sources := []int{i}
		if carried && c.turn != i {
			sources = []int{c.turn, i}
		}
		c.turn = i
		out = append(out, happening{sources: sources, event: e, covers: lines[j].whole})
	}
	return out
}

// eventOf reads one sentence as an event.
func eventOf(l *line, t mem.Turn, people People, c *carry) (e mem.Event, carried, ok bool) {
	s, ws := l.s, l.stated
	if len(ws) == 0 {
		return e, false, false
	}
	if l.chinese {
		e, ok = denseEvent(s, t, l.dating())
		return e, false, ok
	}
	if e, carried, ok = stateOf(l, t, people, c); ok {
		return e, carried, true
	}
	subject, at := subjectOf(s, ws, t, people)
	if subject == "" {
		return e, false, false
	}
	refs, verb := l.dating(), cue(ws, at)
	if !dated(refs) && (verb < 0 || recurs(ws)) {
		return e, false, false // nothing, or a habit
	}
	topic := topicOf(s, ws, max(verb, at), refs)
	if verb >= 0 && !dated(refs) && !strings.Contains(topic, " ") {
		return e, false, false // "we got this"
	}
	if topic == "" {
		topic = topicOf(s, ws, 0, refs)
	}
	return mem.Event{Subject: subject, Topic: topic, State: clip(s), Anchor: anchorOf(refs)}, false, topic != ""
}

// datable drops phrases of recurrence ("every Friday") from temporal ones.
func datable(s string, refs []text.TimeRef) []text.TimeRef {
	if len(refs) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(refs), func(r text.TimeRef) bool {
		before := strings.ToLower(strings.TrimSpace(s[:r.Start]))
		after, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(s[r.End:])), " ")
		return dayparts.has(strings.Trim(after, ".,!;")) || strings.HasSuffix(before, "every") || strings.HasSuffix(before, "each") || strings.HasPrefix(r.Phrase, "每")
	})
}

// dated reports whether some phrase names a time and not just a stretch of it.
func dated(refs []text.TimeRef) bool {
	return slices.ContainsFunc(refs, func(r text.TimeRef) bool { return r.Grain != text.Span })
}

// anchorOf is the temporal anchor t of eq. 6: the first phrase that names a
// time, else the first that bounds one.
func anchorOf(refs []text.TimeRef) mem.Anchor {
	if len(refs) == 0 {
		return mem.Anchor{}
	}
	r := refs[0]
	for _, x := range refs {
		if x.Grain != text.Span {
			r = x
			break
		}
	}
	if strings.HasPrefix(r.From, "--") {
		return mem.Anchor{Phrase: r.Phrase}
	}
	return mem.Anchor{From: r.From, To: r.To, Phrase: r.Phrase}
}

// subjectOf says whom a sentence is about and where its predicate begins: the
// speaker in the first person or in an elliptic "signed it today", a known
// person by name, else nobody.
func subjectOf(s string, ws []word, t mem.Turn, people People) (subject string, at int) {
	for i, w := range ws {
		switch {
		case w.punct || w.quoted:
		case w.fold == "i" || w.fold == "we" || w.fold == "my" || w.fold == "our" || w.fold == "me" || w.fold == "us":
			if supposed(ws, i) && !hoped(ws, i) {
				continue
			}
			if who, next := relative(s, ws, i); who != "" {
				if strings.HasPrefix(who, "'s ") {
					who = Speaker(t) + who
				}
				return who, next
			}
			return Speaker(t), i + 1
		case w.upper && people[written(s, ws[i:i+1])] && written(s, ws[i:i+1]) != t.Speaker && i+1 < len(ws) && !ws[i+1].punct:
			return written(s, ws[i:i+1]), i + 1
		}
	}
	first := 0
	for first < len(ws) && (ws[first].in(adverbs) || ws[first].punct) {
		first++
	}
	if first < len(ws) && ws[first].in(changes) && ws[first].fold != "will" && ws[first].fold != "found" {
		return Speaker(t), first
	}
	return "", 0
}

// relative reads a sentence that opens with "my brother Tom …": whom it is
// about, by name or as "'s brother", and where the predicate begins.
func relative(s string, ws []word, i int) (who string, next int) {
	if ws[i].fold != "my" && ws[i].fold != "our" || i > 1 && !ws[i-1].punct {
		return "", 0
	}
	j := i + 1
	for j < len(ws) && j < i+3 && ws[j].in(kinship) {
		j++
	}
	if j+1 >= len(ws) || !ws[j].in(relations) || ws[j+1].punct || ws[j+1].fold == "and" || ws[j+1].fold == "'s" {
		return "", 0
	}
	e := extractor{s: s, ws: ws}
	if name := e.properName(j + 1); len(name) > 0 {
		if next = j + 1 + len(name); next < len(ws) && ws[next].fold == "and" {
			return "", 0
		}
		return written(s, name), next
	}
	return "'s " + written(s, ws[i+1:j+1]), j + 1
}

// hoped reports that what stands before the subject makes a plan of it, not a
// supposition.
func hoped(ws []word, i int) bool {
	return i > 0 && (ws[i-1].fold == "hope" || ws[i-1].fold == "when" || ws[i-1].fold == "than" || ws[i-1].fold == "where")
}

// cue finds a verb of change within a few words of the subject.
func cue(ws []word, at int) int {
	for i := at; i < len(ws) && i < at+6; i++ {
		if !ws[i].punct && ws[i].in(changes) {
			return i
		}
	}
	return -1
}

// topicOf is the event topic e: the first content words from the verb of change
// on, or from the predicate where there is none, without temporal phrases.
func topicOf(s string, ws []word, from int, refs []text.TimeRef) string {
	var topic []string
	for i, w := range ws {
		within := slices.ContainsFunc(refs, func(r text.TimeRef) bool { return w.start >= r.Start && w.start < r.End })
		if w.punct || within || i < from || text.Stop(w.fold) || w.in(adverbs) || len(w.fold) < 2 || w.fold == "'s" || w.fold == "going" || w.fold == "gonna" {
			continue
		}
		if topic = append(topic, written(s, ws[i:i+1])); len(topic) == 4 {
			break
		}
	}
	return strings.Join(topic, " ")
}

// clip bounds a state.
func clip(s string) string {
	s, _ = spaced(s)
	n := 0
	for i := range s {
		if s[i] == ' ' {
			if n++; n == stateWords {
				return s[:i]
			}
		}
	}
	return text.Cut(s, 4*stateWords)
}

// stateOf reads the state of somebody or something: "Ana is on Red", "Ana on
// Red", and after it the elliptic "now Blue", "Red again in June".
func stateOf(l *line, t mem.Turn, people People, c *carry) (e mem.Event, carried, ok bool) {
	const most = 7
	s, ws := l.s, l.stated
	n := len(ws)
	for n > 0 && ws[n-1].punct {
		n--
	}
	if n == 0 || n > most+3 || slices.ContainsFunc(ws[:n], func(w word) bool { return w.punct && w.fold != "," }) {
		return e, false, false
	}
	if i := placed(ws[:n], places); i > 0 && named(s, ws[0], people) && (ws[1].fold == "is" || ws[1].fold == "'s" || terse(t)) && n-i <= 6 && !slices.ContainsFunc(ws[i:n], addressed) {
		subject := written(s, ws[:1])
		*c = carry{turn: c.turn, subject: subject, topic: subject, is: true}
		return mem.Event{Subject: subject, Topic: subject, State: written(s, ws[i:n]), Anchor: now(l.dating(), ws[:n], t)}, false, true
	}
	if e, ok = membership(l, ws[:n], t); ok {
		return e, false, true
	}
	again := slices.IndexFunc(ws[:n], func(w word) bool { return w.fold == "again" })
	elliptic := ws[0].fold == "now" && n > 1 && n <= 5 || again > 0 && again <= 3
	if !c.is || !elliptic || slices.ContainsFunc(ws[:n], func(w word) bool { return w.in(subjects) || w.fold == "not" || w.fold == "thanks" }) {
		return e, false, false
	}
	return mem.Event{Subject: c.subject, Topic: c.topic, State: written(s, ws[:n]), Anchor: now(l.dating(), ws[:n], t)}, true, true
}

// membership reads the state of the speaker in "I'm (now) on team Red": one of
// a group at a time, so that the next one succeeds it.
func membership(l *line, ws []word, t mem.Turn) (e mem.Event, ok bool) {
	if len(ws) < 4 || ws[0].fold != "i" || ws[1].fold != "am" {
		return e, false
	}
	i := 1 + placed(ws[1:], on)
	at := slices.IndexFunc(ws, func(w word) bool {
		return w.fold == "team" || w.fold == "squad" || w.fold == "crew" || w.fold == "shift"
	})
	if i == 1 || len(ws)-i > 6 || at < 0 {
		return e, false
	}
	return mem.Event{Subject: Speaker(t), Topic: ws[at].fold, State: written(l.s, ws[i:]), Anchor: now(l.dating(), ws, t)}, true
}

// named reports whether a sentence's first word can be who or what is in a
// state, and not a wish or a greeting.
func named(s string, w word, people People) bool {
	return people[written(s, []word{w})] || w.upper && !w.in(subjects) && !text.Stop(w.fold) && !w.in(changes) && !w.in(wishes)
}

// terse reports a turn of a few words, which may leave "is" out; in a longer
// one the same words are a heading.
func terse(t mem.Turn) bool { return len(strings.Fields(Said(t))) <= 6 }

// addressed reports words that turn a phrase to the listener or make it an
// action.
func addressed(w word) bool {
	return w.fold == "you" || w.fold == "your" || w.fold == "me" || w.fold == "my" || w.fold == "us" || len(w.fold) > 5 && strings.HasSuffix(w.fold, "ing")
}

// placed finds where the state begins in "X (is) (now) on Y", 0 where the
// words have another form.
func placed(ws []word, at list) int {
	i := 1
	for i < len(ws) && (ws[i].fold == "is" || ws[i].fold == "'s" || ws[i].fold == "are" || ws[i].fold == "now" || ws[i].fold == "back" || ws[i].fold == "currently" || ws[i].fold == "still") {
		i++
	}
	if i+1 < len(ws) && ws[i].in(at) && !ws[i+1].punct {
		for i > 1 && (ws[i-1].fold == "now" || ws[i-1].fold == "back") {
			i--
		}
		return i
	}
	return 0
}

// now anchors a state that is said to hold now at the day it was said.
func now(refs []text.TimeRef, ws []word, t mem.Turn) mem.Anchor {
	a := anchorOf(refs)
	if a != (mem.Anchor{}) || t.Time.IsZero() {
		return a
	}
	for _, w := range ws {
		if w.fold == "now" || w.fold == "currently" {
			d := text.FormatDate(t.Time)
			return mem.Anchor{From: d, To: d, Phrase: w.fold}
		}
	}
	return a
}

// denseChanges are verbs of change in Chinese.
var denseChanges = []string{"搬", "买了", "去了", "开始", "换", "辞", "毕业", "结婚", "参加", "离开", "完成", "卖了", "入职", "出生", "通过", "签", "学会", "取消", "决定", "打算", "准备"}

// denseEvent reads an event of a Chinese sentence.
func denseEvent(s string, t mem.Turn, refs []text.TimeRef) (mem.Event, bool) {
	change := slices.ContainsFunc(denseChanges, func(v string) bool { return strings.Contains(s, v) })
	mine := strings.Contains(s, "我")
	if !dated(refs) && (!change || !mine) || strings.ContainsAny(s, "?？") {
		return mem.Event{}, false
	}
	subject := ""
	if mine || change {
		subject = Speaker(t)
	}
	topic := s
	for _, r := range slices.Backward(refs) {
		if r.End <= len(topic) {
			topic = topic[:r.Start] + topic[r.End:]
		}
	}
	topic = strings.Trim(strings.TrimPrefix(strings.TrimSpace(topic), "我"), " ，。！,.!")
	return mem.Event{Subject: subject, Topic: clip(topic), State: clip(s), Anchor: anchorOf(refs)}, topic != ""
}
