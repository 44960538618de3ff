package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// completionTokens bounds a reply: room for two memories a segment and more, yet
// a model that repeats itself for ever is stopped.
const completionTokens = 96

// ScheduleFused asks for the routes of many segments with their materialised
// fields (eq. 3 to 6 in one call).
func ScheduleFused(segments []Segment) Message {
	return Message{Stage: "schedule", System: scheduleFusedText, User: render(segments, true), Schema: scheduleFusedSchema,
		SchemaName: "routes", MaxTokens: 256 + completionTokens*len(segments)}
}

// Schedule asks for the route of one segment (eq. 4), the paper's protocol.
func Schedule(s Segment) Message {
	return Message{Stage: "schedule", System: scheduleText, User: render([]Segment{s}, false), Schema: scheduleSchema,
		SchemaName: "route", MaxTokens: 512}
}

// Event asks for ⟨topic, anchor, state⟩ of a span (eq. 6).
func Event(s Segment) Message {
	return Message{Stage: "event", System: eventText, User: render([]Segment{s}, false), Schema: eventSchema, SchemaName: "event", MaxTokens: 200}
}

// Gist asks for the retrieval gist of a span (eq. 5).
func Gist(s Segment) Message {
	return Message{Stage: "gist", System: gistText, User: render([]Segment{s}, false), Schema: gistSchema, SchemaName: "gist", MaxTokens: 200}
}

// Item is one memory that a reply asks to write.
type Item struct {
	Segment int    // Segment.Number
	Action  string // ignore, profile, ended, event, record
	Lines   []int  // Line.ID, only ones that the segment offered
	Who     string
	Key     string // attribute or topic
	Value   string // value, state or gist
	When    string // the time as it was said
}

// Read is what could be read of a reply.
type Read struct {
	Items   []Item
	Whole   bool     // the reply was closed and of the right form
	Refused []string // ids that were never offered, for the report
}

// sameWords is for how many segments a reply may repeat itself.
const sameWords = 3

// Copied lists the segments about which a reply says only what it says, word
// for word, of several others: small models fill a long list with one item.
func Copied(items []Item) map[int]bool {
	type words struct{ action, who, key, value string }
	segments := map[words]map[int]bool{}
	of := func(i Item) words { return words{i.Action, i.Who, i.Key, i.Value} }
	for _, i := range items {
		if segments[of(i)] == nil {
			segments[of(i)] = map[int]bool{}
		}
		segments[of(i)][i.Segment] = true
	}
	out := map[int]bool{}
	for _, i := range items {
		copied := i.Value != "" && len(segments[of(i)]) > sameWords
		if known, seen := out[i.Segment]; copied && (known || !seen) {
			out[i.Segment] = true
		} else {
			out[i.Segment] = false
		}
	}
	return out
}

// Answered reports whether the reply says something of a segment.
func (r Read) Answered(segment int) bool {
	return slices.ContainsFunc(r.Items, func(i Item) bool { return i.Segment == segment })
}

// ParseScheduleFused reads the reply to ScheduleFused about the same segments.
func ParseScheduleFused(reply string, segments []Segment) Read {
	h := reap(reply)
	var r Read
	for _, o := range h.objects {
		action := actionOf(field(o, "y", "action", "type", "kind", "route", "write"))
		if action == "" {
			continue
		}
		item := Item{
			Action: action, Who: word(field(o, "who", "subject", "person", "about")),
			Key:   word(field(o, "key", "attribute", "topic", "attr", "a")),
			Value: word(field(o, "value", "state", "gist", "content", "description", "summary", "text", "v")),
			When:  word(field(o, "when", "time", "date", "anchor", "t")),
		}
		lines := numbers(field(o, "src", "source", "sources", "ids", "lines", "indices", "i"))
		if r.place(&item, field(o, "seg", "segment", "segmentid", "segmentnumber", "segid", "number", "n", "s", "id"), lines, segments) {
			r.Items = append(r.Items, item)
		}
	}
	r.Whole = h.whole && (len(r.Items) > 0 || h.empty)
	return r
}

// place finds the segment that an item names and keeps the lines that it
// offered. An item for a segment or only for lines that were never offered is
// refused.
func (r *Read) place(item *Item, seg gjson.Result, lines []int, segments []Segment) bool {
	i := -1
	switch n, ok := number(seg); {
	case ok:
		i = slices.IndexFunc(segments, func(s Segment) bool { return s.Number == n })
	case !seg.Exists() && len(segments) == 1:
		i = 0
	case !seg.Exists() && len(lines) > 0:
		i = slices.IndexFunc(segments, func(s Segment) bool { return s.offers(lines[0]) })
	}
	if i < 0 {
		r.Refused = append(r.Refused, fmt.Sprintf("segment %s was never offered", clean(seg.Raw)))
		return false
	}
	item.Segment = segments[i].Number
	for _, l := range lines {
		if segments[i].offers(l) {
			item.Lines = append(item.Lines, l)
		} else {
			r.Refused = append(r.Refused, fmt.Sprintf("line %d was never offered in segment %d", l, item.Segment))
		}
	}
	return len(lines) == 0 || len(item.Lines) > 0
}

func (s Segment) offers(line int) bool {
	return slices.ContainsFunc(s.Lines, func(l Line) bool { return l.ID == line })
}

// clean bounds a refused id for a report.
func clean(raw string) string {
	if len(raw) > 20 {
		raw = raw[:20]
	}
	return strings.Map(visibleSpace, strings.ToValidUTF8(raw, "?"))
}

// actionOf reads a write action, however a model spells it.
func actionOf(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	w := strings.ToLower(strings.TrimSpace(v.Str))
	w = strings.TrimSuffix(strings.NewReplacer("_", " ", "-", " ").Replace(w), " memory")
	switch w {
	case "ignore", "ignored", "none", "skip", "discard":
		return "ignore"
	case "profile", "profiles", "fact", "facts":
		return "profile"
	case "ended", "end", "no longer", "profile ended", "negated":
		return "ended"
	case "event", "events":
		return "event"
	case "record", "records":
		return "record"
	}
	return ""
}

// ParseSchedule reads the reply to Schedule: one item for each fact, or one
// item for another action.
func ParseSchedule(reply string, s Segment) Read {
	h := reap(reply)
	var r Read
	for _, o := range slices.Backward(h.objects) {
		action := actionOf(field(o, "y", "action", "type", "kind", "route"))
		if action == "" {
			continue
		}
		one := []Segment{s}
		item := Item{Action: action}
		if !r.place(&item, gjson.Result{}, numbers(field(o, "src", "source", "sources", "ids", "lines", "indices", "i")), one) {
			continue
		}
		r.Whole = h.whole
		if action != "profile" && action != "ended" {
			r.Items = append(r.Items, item)
			return r
		}
		field(o, "facts", "attributes", "profile", "xi", "pairs").ForEach(func(_, f gjson.Result) bool {
			fact := item
			fact.Who, fact.Key = word(field(f, "who", "subject")), word(field(f, "key", "attribute", "a", "name"))
			fact.Value = word(field(f, "value", "v"))
			if truth(field(f, "ended", "negated")) {
				fact.Action = "ended"
			}
			r.Items = append(r.Items, fact)
			return len(r.Items) < 64
		})
		return r
	}
	// A closed reply of empty lists says that there is nothing to keep.
	r.Whole = h.whole && h.empty && len(r.Refused) == 0
	return r
}

// ParseFields reads the reply to Event or Gist: the last object that has a
// value. ok is false when there is none.
func ParseFields(reply string) (item Item, ok bool) {
	h := reap(reply)
	for _, o := range slices.Backward(h.objects) {
		item := Item{
			Who: word(field(o, "who", "subject", "person")), Key: word(field(o, "key", "topic", "e")),
			Value: word(field(o, "value", "state", "gist", "summary", "z", "g")), When: word(field(o, "when", "time", "anchor", "date", "t")),
		}
		if item.Value != "" && !echo(o) {
			return item, true
		}
	}
	return Item{}, false
}
