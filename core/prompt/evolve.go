package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// EventLine is an event as a model sees it while timelines are kept.
type EventLine struct {
	ID                      int // short id, unique in the message; 0 of a new event
	Date, Who, Topic, State string
}

// Incoming is a new event with the earlier ones that it may belong to.
type Incoming struct {
	Number  int
	Event   EventLine
	Related []EventLine
}

func (l EventLine) String() string {
	date := l.Date
	if date == "" {
		date = "?"
	}
	return fmt.Sprintf("%s | %s | %s: %s", date, Name(l.Who), Quote(l.Topic), Quote(l.State))
}

// Evolve asks how new events stand to earlier ones, several in one call.
func Evolve(incoming []Incoming) Message {
	var b strings.Builder
	for _, in := range incoming {
		fmt.Fprintf(&b, "[%d] %s\n", in.Number, in.Event)
		for _, r := range in.Related {
			fmt.Fprintf(&b, "%d = %s\n", r.ID, r)
		}
	}
	return Message{Stage: "evolve", System: evolveText, User: b.String(), Schema: evolveSchema, SchemaName: "updates", MaxTokens: 64 + 40*len(incoming)}
}

// Update is one decision of a reply: Relation is evidence, revise, extend or
// new; Target is a related event's short id, 0 for new.
type Update struct {
	Number   int
	Relation string
	Target   int
}

// Updates is what could be read of a reply to Evolve.
type Updates struct {
	Updates []Update
	Refused []string
}

// Of gives the decision about an incoming event.
func (u Updates) Of(number int) (Update, bool) {
	for _, x := range u.Updates {
		if x.Number == number {
			return x, true
		}
	}
	return Update{}, false
}

// ParseEvolve reads the reply to Evolve about the same events. A decision
// whose target was not offered beside its event is refused.
func ParseEvolve(reply string, incoming []Incoming) Updates {
	var u Updates
	for _, o := range reap(reply).objects {
		relation := relationOf(field(o, "y", "relation", "action", "type", "update"))
		if relation == "" {
			continue
		}
		i := -1
		seg := field(o, "seg", "event", "n", "number", "id", "new")
		if n, ok := number(seg); ok {
			i = slices.IndexFunc(incoming, func(in Incoming) bool { return in.Number == n })
		} else if !seg.Exists() && len(incoming) == 1 {
			i = 0
		}
		if i < 0 {
			u.Refused = append(u.Refused, fmt.Sprintf("event %s was never offered", clean(seg.Raw)))
			continue
		}
		target, _ := number(field(o, "target", "targetid", "to", "of", "related"))
		if relation == "new" {
			target = 0
		} else if !slices.ContainsFunc(incoming[i].Related, func(l EventLine) bool { return l.ID == target }) {
			u.Refused = append(u.Refused, fmt.Sprintf("target %d was never offered for event %d", target, incoming[i].Number))
			continue
		}
		if _, known := u.Of(incoming[i].Number); !known {
			u.Updates = append(u.Updates, Update{Number: incoming[i].Number, Relation: relation, Target: target})
		}
	}
	return u
}

func relationOf(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	switch w := strings.ToLower(strings.TrimSpace(v.Str)); w {
	case "evidence", "revise", "extend", "new":
		return w
	case "confirm", "confirms", "same", "add evidence":
		return "evidence"
	case "revises", "update", "replace", "supersede":
		return "revise"
	case "extends", "continue":
		return "extend"
	case "opens", "none":
		return "new"
	}
	return ""
}
