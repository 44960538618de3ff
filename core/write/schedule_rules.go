package write

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// What a segment must hold beyond its facts and events to be kept as a record,
// in content words: when nothing else was found, beside something found, and
// of the words that are no anchor's.
const (
	recordAlone  = 4
	recordBeside = 12
	recordOthers = 40
)

// Decision is what the rules make of a segment.
type Decision struct {
	Routes []mem.Route
	// Clear says that the rules are sure: a model would only repeat it. Such a
	// segment is not shown to one.
	Clear bool
}

// Schedule is Write Scheduling by rules (eq. 3 and 4). A segment may have
// several routes: the facts that its turns state, the events that they tell,
// and a record where more is said than those hold. A segment that only asks or
// says nothing is ignored; its turns can be found all the same.
//
// Names are believed within their segment: what a session knew before it must
// not matter, or turn by turn and at once would differ.
func Schedule(seg mem.Segment) Decision {
	var d Decision
	people := PeopleOf(seg.Turns)
	var c carry
	covered := map[string]bool{}
	lines := make([][]line, len(seg.Turns)) // of the anchors
	for _, i := range seg.Anchors {
		t := seg.Turns[i]
		if !t.Role.Anchor() {
			continue
		}
		lines[i] = linesOf(t)
		if facts := turnFacts(t, lines[i], people, covered); len(facts) > 0 {
			d.Routes = append(d.Routes, mem.Route{Action: mem.ToProfile, Sources: []int{i}, Facts: facts, Path: mem.Rules})
		}
		for _, h := range happened(seg.Turns, i, lines[i], people, &c) {
			covered[h.covers] = true
			d.Routes = append(d.Routes, mem.Route{Action: mem.ToEvent, Sources: h.sources, Event: &h.event, Path: mem.Rules})
		}
	}
	left := remainder(seg, lines, covered)
	found := len(d.Routes) > 0
	if left.worthRecord(found) {
		d.Routes = append(d.Routes, mem.Route{Action: mem.ToRecord, Sources: telling(seg), Path: mem.Rules})
	}
	// What is left is not worth a record beside what was found: a model would
	// hardly add to it.
	d.Clear = found && !left.worthRecord(true)
	if len(d.Routes) == 0 {
		d.Routes = []mem.Route{{Action: mem.Ignore, Path: mem.Rules}}
		d.Clear = left.said < recordAlone && left.others < recordOthers
	}
	return d
}

// Unified is the ablation without scheduling: every segment becomes one
// summary, whatever it holds.
func Unified(seg mem.Segment) Decision {
	if len(seg.Anchors) == 0 {
		return Decision{Routes: []mem.Route{{Action: mem.Ignore, Path: mem.Rules}}, Clear: true}
	}
	return Decision{Routes: []mem.Route{{Action: mem.ToRecord, Sources: telling(seg), Path: mem.Rules}}}
}

func turnFacts(t mem.Turn, lines []line, people People, covered map[string]bool) []mem.Profile {
	var facts []mem.Profile
	for i := range lines {
		if f := lines[i].facts(Speaker(t), people); len(f) > 0 {
			covered[lines[i].whole] = true
			facts = append(facts, f...)
		}
	}
	return dedupe(facts)
}

// rest is what a segment holds beyond its facts and events, in content words.
type rest struct {
	said   int  // stated by anchors
	others int  // said by turns that are no anchors
	lists  bool // a list or code, whose wording matters
}

func (r rest) worthRecord(found bool) bool {
	if r.lists || r.others >= recordOthers {
		return true
	}
	if found {
		return r.said >= recordBeside
	}
	return r.said >= recordAlone
}

func remainder(seg mem.Segment, lines [][]line, covered map[string]bool) rest {
	var r rest
	var g bagger
	for i, t := range seg.Turns {
		shown := Shown(t)
		key := slices.Contains(seg.Anchors, i)
		switch {
		case !t.Role.Anchor():
			r.others += g.content(shown)
		case key:
			r.lists = r.lists || strings.Contains(shown, "```") || strings.Count(shown, "\n- ")+strings.Count(shown, "\n* ")+strings.Count(shown, "\n1.") > 1
			of := lines[i]
			if captioned(t) {
				t.Text, t.Parts = shown, nil
				of = linesOf(t)
			}
			for j := range of {
				if l := &of[j]; !covered[l.whole] && !l.asks && !cheers(l.whole, l.ws) && !text.IsPhatic(l.whole) {
					r.said += g.content(l.whole)
				}
			}
		}
	}
	return r
}

// cheers reports a sentence that only speaks of the listener: praise, a wish,
// advice.
func cheers(s string, ws []word) bool {
	you := false
	for i := range ws {
		w := &ws[i]
		switch w.fold {
		case "you", "your", "you're", "yours", "yourself":
			you = true
		case "i", "my", "we", "our", "me", "mine":
			return false
		}
		if w.upper && w.start > 0 {
			return false
		}
	}
	return you && !text.HasDigit(s)
}

// telling lists the turns of a segment that a record points at: all but those
// that say nothing.
func telling(seg mem.Segment) []int {
	var out []int
	for i, t := range seg.Turns {
		if captioned(t) || !hollow(Shown(t)) {
			out = append(out, i)
		}
	}
	return out
}
