package write_test

import (
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/write"
)

func TestAFactHoldsFromTheDateOfItsChange(t *testing.T) {
	at := time.Date(2026, 5, 20, 10, 0, 0, 0, time.UTC)
	tests := []struct{ said, value, from, to string }{
		{"I moved to Lyon on 3 May.", "Lyon", "2026-05-03", "2026-05-03"},
		{"I moved to Lyon in March, and I love chess.", "Lyon", "2026-03-01", "2026-03-31"},
		{"I moved to Lyon in March, and I love chess.", "chess", "", ""},
		{"On 3 May I moved to Lyon for work.", "Lyon", "2026-05-03", "2026-05-03"},
		{"Two weeks ago, we moved to Lyon.", "Lyon", "2026-05-04", "2026-05-10"},
		{"I moved to Lyon and last week I started a new job at Contoso.", "Lyon", "", ""},
		{"I moved to Lyon and last week I started a new job at Contoso.", "Contoso", "2026-05-11", "2026-05-17"},
		{"I started a new job at Contoso on Monday", "Contoso", "2026-05-18", "2026-05-18"},
		{"I quit chess in April", "chess", "2026-04-01", "2026-04-30"},
		{"Also I quit chess in April, I have no time.", "chess", "2026-04-01", "2026-04-30"},
		{"In April, I quit chess and I play the flute.", "chess", "2026-04-01", "2026-04-30"},
		{"I've lived in Porto since 2019", "Porto", "2019-01-01", "2019-12-31"},
		{"I've been vegan since last summer", "vegan", "2025-06-01", "2025-08-31"},
		{"I live in Porto, today it rains", "Porto", "", ""},
		{"I live in Porto this year", "Porto", "", ""},
		{"I moved to Lyon before Christmas", "Lyon", "", ""},
		{"I moved to Lyon when Bo left in March", "Lyon", "", ""},
		{"我上个月搬到了上海", "上海", "2026-04-01", "2026-04-30"},
		{"我住在上海", "上海", "", ""},
	}
	for _, tt := range tests {
		found := false
		for _, f := range write.Facts(tt.said, "Ana", at, write.People{"Ana": true, "Bo": true}) {
			if f.Value != tt.value {
				continue
			}
			found = true
			if f.Since.From != tt.from || f.Since.To != tt.to {
				t.Errorf("%q: %s since %s–%s, want %s–%s", tt.said, f.Value, f.Since.From, f.Since.To, tt.from, tt.to)
			}
		}
		if !found {
			t.Errorf("%q: no fact of %q", tt.said, tt.value)
		}
	}
}

func TestAPlaceWithinAPlaceIsNamedBesideIt(t *testing.T) {
	for said, want := range map[string]string{
		"I moved to Berlin, to Kreuzberg.":           "Ana location=Berlin; Ana location=Kreuzberg",
		"I live in Kreuzberg, in Berlin, with a cat": "Ana location=Kreuzberg; Ana location=Berlin",
		"I moved to Berlin, to start over.":          "Ana location=Berlin",
		"I live in Porto, Bo!":                       "Ana location=Porto",
	} {
		if got := show(write.Facts(said, "Ana", time.Time{}, write.People{"Ana": true})); got != want {
			t.Errorf("Facts(%q)\n got %s\nwant %s", said, got, want)
		}
	}
}

func TestAPastHomeIsNoFactUnlessItLasts(t *testing.T) {
	for said, want := range map[string]string{
		"I've lived in Japan.":                     "",
		"I have lived in Porto for ten years":      "Ana location=Porto",
		"I have worked for Northwind since June":   "Ana employer=Northwind",
		"I have worked for three firms in my life": "",
	} {
		if got := show(write.Facts(said, "Ana", time.Time{}, write.People{"Ana": true})); got != want {
			t.Errorf("Facts(%q)\n got %s\nwant %s", said, got, want)
		}
	}
}

func TestAModelsFactBeginsWhenItsSourceSays(t *testing.T) {
	at := time.Date(2026, 5, 20, 10, 0, 0, 0, time.UTC)
	seg := mem.Segment{Session: "s", Turns: []mem.Turn{{ID: "t1", Speaker: "Ana", Role: mem.RolePeer, Time: at, Text: "I moved to Lyon on 3 May, and I love chess."}}}
	got := write.Complete(seg, mem.Route{Action: mem.ToProfile, Path: mem.LLM, Sources: []int{0}, Facts: []mem.Profile{
		{Subject: "Ana", Attribute: "residence", Value: "Lyon, France"}, {Subject: "Ana", Attribute: "likes", Value: "chess"}, {Subject: "Bo", Attribute: "residence", Value: "Lyon"},
	}}).Facts
	if got[0].Since.From != "2026-05-03" || got[1].Since.From != "" || got[2].Since.From != "" {
		t.Errorf("facts: %+v", got)
	}
}
