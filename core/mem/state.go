package mem

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// State is a profile or event memory with the interval in which it held. It is
// a view: nothing of it is stored, it is computed from the live memories each
// time it is read, so deleting the state in the middle joins its neighbours.
type State struct {
	Memory  Memory
	From    string // ISO local date; "" when unknown
	Until   string // ISO local date on which it ended; "" while it holds
	Current bool
	Repeats string // id of the earlier memory that says the same; "" of the first
}

// TimelineStates gives the states of event memories, timeline by timeline (by
// key), each in order of time. A revising event ends the state before it; a
// confirming one, and one that says again what still holds, only repeats it;
// an extending one that says something new adds a point and ends nothing.
func TimelineStates(events []Memory) []State {
	groups, keys := groupBy(events, func(m Memory) (string, bool) {
		if m.Event == nil {
			return "", false
		}
		if m.Event.Timeline != "" {
			return m.Event.Timeline, true
		}
		return m.ID, true
	})
	var out []State
	for _, k := range keys {
		out = append(out, timeline(groups[k])...)
	}
	return out
}

func timeline(events []Memory) []State {
	Sort(events, func(a, b *Memory) int {
		return cmp.Or(cmp.Compare(Day(*a), Day(*b)), inOrder(a, b))
	})
	states := make([]State, 0, len(events))
	head := -1 // the state that holds, an index into states
	for _, m := range events {
		s := State{Memory: m, From: Day(m), Current: true}
		if head >= 0 {
			h := &states[head]
			same := sameWords(stateWords(h.Memory.Event.State), stateWords(m.Event.State))
			switch {
			case m.Event.Relation == Confirms, m.Event.Relation != Opens && same:
				s.Repeats = h.Memory.ID
				states = append(states, s)
				continue
			case m.Event.Relation == Revises:
				for i := range states {
					if states[i].Current {
						states[i].Current, states[i].Until = false, s.From
					}
				}
			}
		}
		states = append(states, s)
		head = len(states) - 1
	}
	for i := range states {
		if r := states[i].Repeats; r != "" {
			j := slices.IndexFunc(states, func(s State) bool { return s.Memory.ID == r })
			states[i].Current, states[i].Until = states[j].Current, states[j].Until
		}
	}
	return states
}

// ProfileStates gives the states of profile memories, grouped by subject and
// attribute (by key), each group in order of time. Of a single-valued
// attribute the newest value holds; two places that one turn names hold
// together ("in Berlin, in Kreuzberg"). Of others every value holds until one
// that says the opposite of it. An Ended memory that ends an earlier value is
// no current state of its own; one that ends nothing is a current negative
// fact.
func ProfileStates(profiles []Memory) []State {
	groups, keys := groupBy(profiles, func(m Memory) (string, bool) {
		if m.Profile == nil {
			return "", false
		}
		attribute, _ := affirmative(*m.Profile)
		return foldWords(m.Profile.Subject) + "\x00" + attribute, true
	})
	var out []State
	for _, k := range keys {
		out = append(out, attributeStates(groups[k])...)
	}
	return out
}

func attributeStates(profiles []Memory) []State {
	var a attribute
	for _, s := range inTime(profiles) {
		a.succeed(s)
	}
	for i := range a.states {
		if r := a.states[i].Repeats; r != "" {
			j := slices.IndexFunc(a.states, func(s State) bool { return s.Memory.ID == r })
			a.states[i].Current, a.states[i].Until = a.states[j].Current, a.states[j].Until
		}
	}
	return a.states
}

// inTime orders profiles by the day from which they held, those of one day as
// they were said. A stretch ("last year") begins no earlier than what was said
// within it before: who lived elsewhere in May moved after that.
func inTime(profiles []Memory) []State {
	Sort(profiles, inOrder)
	states := make([]State, 0, len(profiles))
	for _, m := range profiles {
		s := State{Memory: m, From: Day(m), Current: true}
		if to := m.Profile.Since.To; to > s.From {
			for _, before := range states {
				if before.From >= s.From && before.From < to && !m.saidBy(before.Memory) {
					s.From = dayAfter(before.From)
				}
			}
		}
		at := len(states)
		states = append(states, s)
		for ; at > 0 && states[at-1].From > s.From; at-- {
			states[at] = states[at-1]
		}
		states[at] = s
	}
	return states
}

func dayAfter(iso string) string {
	t, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return iso
	}
	return t.AddDate(0, 0, 1).Format(time.DateOnly)
}

// saidBy reports whether both memories were said in the same turn.
func (m Memory) saidBy(o Memory) bool {
	a, b := len(m.Sources), len(o.Sources)
	return a > 0 && b > 0 && m.Sources[a-1] == o.Sources[b-1]
}

// attribute is an attribute of somebody as its states are found.
type attribute struct {
	states []State
	words  [][]string // of their values
	open   []int      // the states that no later one has ended
}

// succeed adds the next state and ends those of the open ones that it succeeds.
func (a *attribute) succeed(s State) {
	p := *s.Memory.Profile
	_, negated := affirmative(p)
	value := stateWords(p.Value)
	beside := []State{s} // what holds together with s
	for _, i := range a.open {
		if _, was := affirmative(*a.states[i].Memory.Profile); negated == was && sameWords(a.words[i], value) {
			s.Repeats = a.states[i].Memory.ID
			beside = append(beside, a.states[i])
			break
		}
	}
	var still []int
	for _, i := range a.open {
		h := &a.states[i]
		_, was := affirmative(*h.Memory.Profile)
		opposite := negated != was && (within(value, a.words[i]) || was && within(a.words[i], value))
		if opposite || p.Single && !negated && !was && h.Memory.ID != s.Repeats && !slices.ContainsFunc(beside, h.nests) {
			h.Current, h.Until = false, s.From
			s.Current = s.Current && p.Polarity != Ended
			continue
		}
		still = append(still, i)
	}
	if s.Repeats == "" {
		still = append(still, len(a.states))
	}
	a.states, a.words, a.open = append(a.states, s), append(a.words, value), still
}

// nests reports whether two states are places that were named in one turn and
// not for different times: a city and its district.
func (s *State) nests(o State) bool {
	switch name, _ := affirmative(*s.Memory.Profile); name {
	case "location", "住在":
		a, b := s.Memory.Profile.Since, o.Memory.Profile.Since
		return s.Memory.saidBy(o.Memory) && (a == b || a == Anchor{} || b == Anchor{})
	}
	return false
}

// opposites maps an attribute that states a dislike to the one it denies.
var opposites = map[string]string{"dislikes": "likes", "不喜欢": "喜欢", "讨厌": "喜欢"}

// affirmative gives the attribute under which a profile is grouped and whether
// the profile denies its value there.
func affirmative(p Profile) (attribute string, negated bool) {
	attribute = foldWords(p.Attribute)
	negated = p.Polarity == Ended
	if o, ok := opposites[attribute]; ok {
		return o, !negated
	}
	return attribute, negated
}

// Anchor is the time that an event or the beginning of a profile was told to
// have; none where it was not told.
func (m *Memory) Anchor() Anchor {
	switch {
	case m.Event != nil:
		return m.Event.Anchor
	case m.Profile != nil:
		return m.Profile.Since
	}
	return Anchor{}
}

// Day is the ISO local date from which a memory holds: an event's anchor or
// the beginning of a profile where it has one, else the date it was said. ""
// when unknown.
func Day(m Memory) string {
	if from := m.Anchor().From; from != "" {
		return from
	}
	if m.Time.IsZero() {
		return ""
	}
	return m.Time.Format("2006-01-02")
}

// inOrder compares memories by when their last source was said.
func inOrder(a, b *Memory) int {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
}

func groupBy(memories []Memory, key func(Memory) (string, bool)) (groups map[string][]Memory, keys []string) {
	groups = map[string][]Memory{}
	for _, m := range memories {
		k, ok := key(m)
		if !ok {
			continue
		}
		if _, known := groups[k]; !known {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], m)
	}
	slices.Sort(keys)
	return groups, keys
}

// fillers are words that do not tell one state from another.
var fillers = map[string]bool{
	"a": true, "an": true, "the": true, "my": true, "our": true, "is": true, "are": true, "am": true, "on": true,
	"in": true, "at": true, "now": true, "again": true, "back": true, "still": true, "to": true, "too": true, "also": true,
}

// stateWords is a value as the words that tell it from another value.
func stateWords(s string) []string {
	words := strings.Fields(foldWords(s))
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return fillers[w] })
	if len(kept) == 0 {
		kept = words
	}
	slices.Sort(kept)
	return slices.Compact(kept)
}

func foldWords(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ")
}

func sameWords(a, b []string) bool { return len(a) > 0 && slices.Equal(a, b) }

// within reports whether every word of a is a word of b; both are sorted.
func within(a, b []string) bool {
	if len(a) == 0 {
		return false
	}
	for _, w := range a {
		if _, ok := slices.BinarySearch(b, w); !ok {
			return false
		}
	}
	return true
}
