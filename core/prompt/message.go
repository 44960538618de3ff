package prompt

import (
	_ "embed" // the templates
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Message is what one call of a model is asked: a constant instruction, the
// data, the schema of the reply and how long it may be.
type Message struct {
	Stage      string
	System     string
	User       string
	Schema     json.RawMessage
	SchemaName string
	MaxTokens  int
}

// Repair is the one request that follows a reply which could not be read.
func (m Message) Repair() Message {
	m.User += repairText
	return m
}

//go:embed templates/schedule_fused.txt
var scheduleFusedText string

//go:embed templates/schedule.txt
var scheduleText string

//go:embed templates/event.txt
var eventText string

//go:embed templates/gist.txt
var gistText string

//go:embed templates/evolve.txt
var evolveText string

//go:embed templates/plan.txt
var planText string

//go:embed templates/answer.txt
var answerText string

//go:embed templates/repair.txt
var repairText string

// Line is one utterance as a model sees it, under a short id.
type Line struct {
	ID      int
	Speaker string
	Text    string
}

// Segment is a run of lines with the local date on which they were said.
type Segment struct {
	Number int
	Date   string
	Lines  []Line
}

// render writes segments, with one date line where the date changes. numbered
// sets "[n]" before each.
func render(segments []Segment, numbered bool) string {
	var b strings.Builder
	date := "\x00"
	for _, s := range segments {
		if s.Date != date {
			date = s.Date
			b.WriteString("# " + dateLine(date) + "\n")
		}
		if numbered {
			fmt.Fprintf(&b, "[%d]\n", s.Number)
		}
		for _, l := range s.Lines {
			fmt.Fprintf(&b, "%d %s: %s\n", l.ID, Name(l.Speaker), Quote(l.Text))
		}
	}
	return b.String()
}

// dateLine adds the day of the week, by which relative phrases are resolved.
func dateLine(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return "date unknown"
	}
	return date + " " + t.Weekday().String()[:3]
}

// Name is a speaker's name as data: one line without a colon, so that it
// cannot end early and pose as somebody else's words.
func Name(s string) string {
	s = strings.ReplaceAll(Quote(s), ":", "")
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60])
	}
	return s
}
