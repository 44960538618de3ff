package mem_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/mem"
)

func day(s string) time.Time {
	t, err := time.Parse("2006-01-02", s)
	if err != nil {
		panic(err)
	}
	return t
}

func profile(id, date, attribute, value string, opts ...any) mem.Memory {
	p, turn := mem.Profile{Subject: "Ana", Attribute: attribute, Value: value}, "t"+id
	for _, o := range opts {
		switch o := o.(type) {
		case mem.Polarity:
			p.Polarity = o
		case bool:
			p.Single = o
		case mem.Anchor:
			p.Since = o
		case string:
			turn = o
		}
	}
	return mem.Memory{ID: id, Kind: mem.KindProfile, Time: day(date), Profile: &p, Sources: []string{turn}}
}

func event(id, date, state string, relation mem.Relation) mem.Memory {
	return mem.Memory{ID: id, Kind: mem.KindEvent, Time: day(date),
		Event: &mem.Event{Topic: "team", State: state, Timeline: "e1", Relation: relation}}
}

func show(states []mem.State) string {
	var b strings.Builder
	for _, s := range states {
		fmt.Fprintf(&b, "%s %s..%s", s.Memory.ID, s.From, s.Until)
		if s.Current {
			b.WriteString(" current")
		}
		if s.Repeats != "" {
			b.WriteString(" repeats " + s.Repeats)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestProfileStates(t *testing.T) {
	tests := []struct {
		name     string
		profiles []mem.Memory
		want     string
	}{
		{"a repeat and then its reversal leave one current value and a dated history", []mem.Memory{
			profile("p1", "2023-01-01", "likes", "jazz"),
			profile("p2", "2023-02-01", "likes", "jazz"),
			profile("p3", "2023-03-01", "dislikes", "jazz"),
		}, "p1 2023-01-01..2023-03-01\np2 2023-02-01..2023-03-01 repeats p1\np3 2023-03-01.. current\n"},
		{"a dislike that is reversed", []mem.Memory{
			profile("p1", "2023-01-01", "dislikes", "jazz"),
			profile("p2", "2023-03-01", "likes", "Jazz"),
		}, "p1 2023-01-01..2023-03-01\np2 2023-03-01.. current\n"},
		{"a second value joins the first until it ends", []mem.Memory{
			profile("p1", "2023-01-01", "hobby", "violin"),
			profile("p2", "2023-02-01", "hobby", "chess on Sundays"),
			profile("p3", "2023-03-01", "hobby", "chess", mem.Ended),
		}, "p1 2023-01-01.. current\np2 2023-02-01..2023-03-01\np3 2023-03-01..\n"},
		{"a newer single value succeeds and an old one may return", []mem.Memory{
			profile("p1", "2023-01-01", "location", "Rome", true),
			profile("p2", "2023-02-01", "location", "Oslo", true),
			profile("p3", "2023-03-01", "location", "Rome", true),
		}, "p1 2023-01-01..2023-02-01\np2 2023-02-01..2023-03-01\np3 2023-03-01.. current\n"},
		{"deleting the middle state joins its neighbours", []mem.Memory{
			profile("p1", "2023-01-01", "location", "Rome", true),
			profile("p3", "2023-03-01", "location", "Rome", true),
		}, "p1 2023-01-01.. current\np3 2023-03-01.. current repeats p1\n"},
		{"an end that ends nothing is a current negative fact", []mem.Memory{
			profile("p1", "2023-01-01", "hobby", "chess", mem.Ended),
		}, "p1 2023-01-01.. current\n"},
		{"a change holds from the day that was said, not from when it was said", []mem.Memory{
			profile("p1", "2023-01-01", "location", "Rome", true),
			profile("p2", "2023-05-20", "location", "Oslo", true, mem.Anchor{From: "2023-05-03", To: "2023-05-03"}),
		}, "p1 2023-01-01..2023-05-03\np2 2023-05-03.. current\n"},
		{"what is told of an earlier time supersedes nothing", []mem.Memory{
			profile("p1", "2023-01-01", "location", "Rome", true),
			profile("p2", "2023-05-20", "location", "Oslo", true, mem.Anchor{From: "2019-01-01", To: "2019-12-31"}),
		}, "p2 2019-01-01..2023-01-01\np1 2023-01-01.. current\n"},
		{"a stretch begins after what was said within it", []mem.Memory{
			profile("p1", "2023-05-01", "location", "Rome", true),
			profile("p2", "2024-02-20", "location", "Oslo", true, mem.Anchor{From: "2023-01-01", To: "2023-12-31"}),
		}, "p1 2023-05-01..2023-05-02\np2 2023-05-02.. current\n"},
		{"a city and its district hold together until one moves on", []mem.Memory{
			profile("p1", "2023-01-01", "location", "Rome", true),
			profile("p2", "2023-02-01", "location", "Berlin", true, "t7"),
			profile("p3", "2023-02-01", "location", "Kreuzberg", true, "t7"),
			profile("p4", "2023-03-01", "location", "Berlin", true),
			profile("p5", "2023-04-01", "location", "Oslo", true),
		}, "p1 2023-01-01..2023-02-01\np2 2023-02-01..2023-04-01\np3 2023-02-01..2023-04-01\np4 2023-03-01..2023-04-01 repeats p2\np5 2023-04-01.. current\n"},
		{"a move that is dated and a district that is not hold together", []mem.Memory{
			profile("p1", "2023-02-20", "location", "Berlin", true, "t7", mem.Anchor{From: "2023-02-13", To: "2023-02-19"}),
			profile("p2", "2023-02-20", "location", "Kreuzberg", true, "t7"),
		}, "p1 2023-02-13.. current\np2 2023-02-20.. current\n"},
		{"two moves of one turn succeed each other", []mem.Memory{
			profile("p1", "2023-02-20", "location", "Lyon", true, "t7", mem.Anchor{From: "2019-01-01", To: "2019-12-31"}),
			profile("p2", "2023-02-20", "location", "Berlin", true, "t7", mem.Anchor{From: "2023-02-13", To: "2023-02-19"}),
		}, "p1 2019-01-01..2023-02-13\np2 2023-02-13.. current\n"},
		{"two employers of one turn succeed each other", []mem.Memory{
			profile("p1", "2023-01-01", "employer", "Northwind", true, "t7"),
			profile("p2", "2023-01-01", "employer", "Contoso", true, "t7"),
		}, "p1 2023-01-01..2023-01-01\np2 2023-01-01.. current\n"},
		{"what ended may begin again", []mem.Memory{
			profile("p1", "2023-01-01", "hobby", "chess"),
			profile("p2", "2023-02-01", "hobby", "chess", mem.Ended),
			profile("p3", "2023-03-01", "hobby", "chess"),
		}, "p1 2023-01-01..2023-02-01\np2 2023-02-01..2023-03-01\np3 2023-03-01.. current\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := show(mem.ProfileStates(tt.profiles)); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
			slices.Reverse(tt.profiles)
			if got := show(mem.ProfileStates(tt.profiles)); got != tt.want {
				t.Errorf("given in reverse: got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

func TestTimelineStates(t *testing.T) {
	red, blue := event("e1", "2023-01-01", "Red", mem.Opens), event("e2", "2023-02-01", "now Blue", mem.Revises)
	again := event("e3", "2023-05-01", "Red again", mem.Revises)
	again.Event.Anchor = mem.Anchor{From: "2023-06-01", To: "2023-06-30", Phrase: "in June"}
	seen := event("e4", "2023-02-03", "Blue", mem.Confirms)
	next := event("e5", "2023-07-01", "captain", mem.Extends)
	tests := []struct {
		name   string
		events []mem.Memory
		want   string
	}{
		{"a fact that returns has three states", []mem.Memory{red, blue, again},
			"e1 2023-01-01..2023-02-01\ne2 2023-02-01..2023-06-01\ne3 2023-06-01.. current\n"},
		{"deleting the middle state joins its neighbours", []mem.Memory{red, again},
			"e1 2023-01-01.. current\ne3 2023-06-01.. current repeats e1\n"},
		{"evidence adds no state", []mem.Memory{red, blue, seen, again},
			"e1 2023-01-01..2023-02-01\ne2 2023-02-01..2023-06-01\ne4 2023-02-03..2023-06-01 repeats e2\ne3 2023-06-01.. current\n"},
		{"a further point ends nothing", []mem.Memory{red, next},
			"e1 2023-01-01.. current\ne5 2023-07-01.. current\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := show(mem.TimelineStates(tt.events)); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}
