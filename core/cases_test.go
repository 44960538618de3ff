package core_test

// The cases: faults that users of memory systems meet. Each test is one kind
// of fault with a small input that provokes it, over the whole engine. This
// file holds those of what is said and what is kept of it.

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
)

func TestCaseJunkStored(t *testing.T) {
	w := newWorld(t)
	for i := range 50 {
		w.add("b", said(fmt.Sprintf("s%d", i), "2026-01-02T10:00:00Z", "user: How do I boil rice?"))
	}
	w.add("b", said("t", "2026-01-03T10:00:00Z", "user: Is it true that my sister is a nurse?", "user: Should I say that I love rice?"))
	if got := w.list("b", "", mem.KindProfile); len(got) != 0 {
		t.Errorf("profile facts of a question:\n%s", brief(got))
	}
	if got := w.list("b", "", mem.KindEvent, mem.KindRecord); len(got) != 0 {
		t.Errorf("memories of a question:\n%s", brief(got))
	}
}

func TestCaseFeedbackLoop(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s1", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon in March and I work as a nurse."))
	evidence := w.search("b", "Where does Ana live?").Text
	mentions(t, evidence, "Lisbon")
	before := w.list("b", "")
	block := "[leanmem evidence]\n" + evidence + "\n[/leanmem evidence]"
	w.add("b", said("s2", "2026-01-05T10:00:00Z",
		"Ben: "+block+"\nThanks for all of that.", "Ben: "+block))
	after := w.list("b", "")
	if len(find(after, "Lisbon")) != len(find(before, "Lisbon")) {
		t.Errorf("the block was stored again:\n%s", brief(after))
	}
	silentOn(t, w.export("b"), "leanmem evidence")
	only(t, w.list("b", "", mem.KindTurn), "Thanks for all of that.")
}

func TestCaseRepeatThenReversal(t *testing.T) {
	w := newWorld(t)
	w.add("b",
		said("s1", "2026-01-02T10:00:00Z", "user: I love jazz."),
		said("s2", "2026-02-02T10:00:00Z", "user: I love jazz."),
		said("s3", "2026-03-02T10:00:00Z", "user: I can't stand jazz."))
	current := find(w.list("b", "current", mem.KindProfile), "jazz")
	if len(current) != 1 || current[0].Profile.Attribute != "dislikes" || current[0].From != "2026-03-02" {
		t.Fatalf("current:\n%s", brief(current))
	}
	history := w.history("b", core.HistoryRequest{ID: current[0].ID})
	loved := find(history, "likes: jazz")
	if len(history) != 3 || len(loved) == 0 || loved[0].From != "2026-01-02" || loved[0].Until != "2026-03-02" || isCurrent(loved[0]) {
		t.Errorf("history:\n%s", brief(history))
	}
	mentions(t, w.search("b", "Does the user like jazz?").Text, "can't stand jazz")
}

func TestCaseWrongSubject(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s1", "2026-01-02T10:00:00Z", "user: My friend Bo hates fish."))
	profiles := w.list("b", "", mem.KindProfile)
	if fish := only(t, profiles, "fish"); fish.Subject != "Bo" {
		t.Errorf("the subject is %q:\n%s", fish.Subject, brief(profiles))
	}
}

func TestCaseLastWeekFromNow(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s1", "2021-03-10T10:00:00Z", "Ana: I moved last Friday."))
	moved := only(t, w.list("b", "", mem.KindEvent), "moved")
	if moved.Event.Anchor.From != "2021-03-05" || moved.Event.Anchor.To != "2021-03-05" {
		t.Errorf("the anchor is %+v", moved.Event.Anchor)
	}
	mentions(t, w.search("b", "When did Ana move?").Text, "5 March 2021")
}

func TestCaseTimeZone(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s1", "2024-01-01T00:30:00+09:00", "Ana: I signed it today, the lease for the studio."))
	turn := w.list("b", "", mem.KindTurn)[0]
	if turn.Date != "2024-01-01" {
		t.Errorf("the turn is of %s, want the local date", turn.Date)
	}
	signed := only(t, w.list("b", "", mem.KindEvent), "signed it")
	if signed.Date != "2024-01-01" {
		t.Errorf("the event is of %s, want the local date", signed.Date)
	}
	var stored core.ExportResult
	stored = call[core.ExportResult](w, "export", core.ExportRequest{Call: w.head("b")})
	instant := time.Date(2023, 12, 31, 15, 30, 0, 0, time.UTC)
	for _, l := range stored.Lines {
		if l.Turn != nil && !l.Turn.Time.Equal(instant) {
			t.Errorf("the instant is %s, want %s", l.Turn.Time.UTC(), instant)
		}
	}
	// Filters go by the instant.
	for _, c := range []struct {
		after time.Time
		want  int
	}{{instant, 1}, {instant.Add(time.Second), 0}} {
		r := call[core.ListResult](w, "list", core.ListRequest{Call: w.head("b"), Filter: mem.Filter{Kinds: []mem.Kind{mem.KindTurn}, After: c.after}})
		if r.Total != c.want {
			t.Errorf("%d turns at or after %s, want %d", r.Total, c.after, c.want)
		}
	}
}

func TestCaseFactThatReturns(t *testing.T) {
	// Elliptic turns lean on the one before, so they are of one session.
	ellipses := said("s1", "2026-01-10T10:00:00Z", "Bo: Ana on Red", "Bo: now Blue", "Bo: Red again in June")
	ellipses.Turns[1].Time, ellipses.Turns[2].Time = "2026-03-10T10:00:00Z", "2026-06-20T10:00:00Z"
	whole := func(lines ...string) (out []core.InputSession) {
		for i, l := range lines {
			out = append(out, said(fmt.Sprint("s", i), []string{"2026-01-10T10:00:00Z", "2026-03-10T10:00:00Z", "2026-06-20T10:00:00Z"}[i], l))
		}
		return out
	}
	for name, sessions := range map[string][]core.InputSession{
		"elliptic":       {ellipses},
		"whole":          whole("Bo: Ana is on Red.", "Bo: Ana is now on Blue.", "Bo: Ana is on Red again in June."),
		"of the speaker": whole("Ana: I'm on team Red.", "Ana: I'm on team Blue now.", "Ana: I'm on team Red again in June."),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.add("b", sessions...)
			call[core.EvolveResult](w, "evolve", core.EvolveRequest{Call: w.head("b")})
			states := w.list("b", "", mem.KindEvent, mem.KindProfile)
			if len(states) == 0 {
				t.Fatalf("no state:\n%s", brief(w.list("b", "")))
			}
			history := w.history("b", core.HistoryRequest{ID: states[0].ID})
			if len(history) != 3 {
				t.Fatalf("%d states, want 3:\n%s", len(history), brief(states))
			}
			first, second, third := history[0], history[1], history[2]
			if first.From != "2026-01-10" || first.Until != second.From || second.From != "2026-03-10" ||
				second.Until != third.From || third.From[:7] != "2026-06" || isCurrent(first) || isCurrent(second) || !isCurrent(third) {
				t.Errorf("history:\n%s", brief(history))
			}
			for i, colour := range []string{"Red", "Blue", "Red"} {
				mentions(t, history[i].Text, colour)
			}
		})
	}
}

func TestCaseNonEnglish(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s1", "2026-01-02T10:00:00+08:00", "小林: 我每天骑车上班", "阿杰: 我家的猫叫年糕"))
	if got := find(w.list("b", "", mem.KindProfile, mem.KindEvent), "骑车"); len(got) == 0 || got[0].Subject != "小林" {
		t.Errorf("no memory of it is in Chinese:\n%s", brief(w.list("b", "")))
	}
	r := w.search("b", "骑车")
	mentions(t, r.Text, "我每天骑车上班")
	if len(r.Items) == 0 || !strings.Contains(r.Items[0].Text, "骑车") {
		t.Errorf("the first item is %+v", r.Items)
	}
}

func TestCaseAwkwardBytes(t *testing.T) {
	w := newWorld(t)
	const bank, text = "a-b/ü", `C:\tmp | a/b -x "q"`
	w.add(bank, said("s1", "2026-01-02T10:00:00Z", "Ana: "+text))
	if turn := only(t, w.list(bank, "", mem.KindTurn)); turn.Text != text {
		t.Errorf("listed as %q", turn.Text)
	}
	r := w.search(bank, `C:\tmp`)
	mentions(t, r.Text, text)
	stored := call[core.ExportResult](w, "export", core.ExportRequest{Call: w.head(bank)})
	found := false
	for _, l := range stored.Lines {
		found = found || l.Turn != nil && l.Turn.Text == text
	}
	if !found || stored.Bank != bank {
		t.Errorf("exported as %s of bank %q", w.export(bank), stored.Bank)
	}
	if banks := call[core.BanksResult](w, "banks", w.head("")); len(banks.Banks) != 1 || banks.Banks[0] != bank {
		t.Errorf("banks are %q", banks.Banks)
	}
}

func TestCaseTwoValuesAtOnce(t *testing.T) {
	w := newWorld(t)
	w.add("b",
		said("s1", "2026-01-02T10:00:00Z", "user: I play the violin."),
		said("s2", "2026-02-03T10:00:00Z", "user: I also play chess on Sundays."))
	current := w.list("b", "current", mem.KindProfile)
	violin, chess := only(t, current, "violin"), only(t, current, "chess")
	if !isCurrent(violin) || !isCurrent(chess) {
		t.Fatalf("both should be current:\n%s", brief(current))
	}
	w.add("b", said("s3", "2026-03-04T10:00:00Z", "user: I quit chess."))
	current = w.list("b", "current", mem.KindProfile)
	only(t, current, "violin")
	if got := find(current, "chess"); len(got) != 0 {
		t.Errorf("chess is still current:\n%s", brief(got))
	}
	past := only(t, w.list("b", "past", mem.KindProfile), "chess on Sundays")
	if past.From != "2026-02-03" || past.Until != "2026-03-04" {
		t.Errorf("chess held %s–%s", past.From, past.Until)
	}
}

func TestCaseToolCallInADialogue(t *testing.T) {
	w := newWorld(t)
	s := said("s1", "2026-01-02T10:00:00Z", "user: What is the weather in Porto?", "assistant: Let me look.", "tool: ",
		"tool: I adopted a dog yesterday.",
		"assistant: It is 17 degrees in Porto. I love storms and I work at the weather office.")
	s.Turns[1].Parts = []mem.Part{{Type: mem.PartToolCall, Name: "get_weather", Data: `{"city":"Porto","favourite":"I live in Porto"}`}}
	s.Turns[2].Parts = []mem.Part{{Type: mem.PartToolResult, Name: "get_weather", Data: `{"celsius":17,"sky":"drizzle","note":"I love storms"}`}}
	w.add("b", s)
	if got := w.list("b", "", mem.KindProfile, mem.KindEvent); len(got) != 0 {
		t.Errorf("a tool's words became somebody's:\n%s", brief(got))
	}
	turns := w.list("b", "", mem.KindTurn)
	if len(turns) != 5 || turns[1].Parts[0].Data != s.Turns[1].Parts[0].Data || turns[2].Parts[0].Data != s.Turns[2].Parts[0].Data {
		t.Fatalf("parts were not kept: %+v", turns)
	}
	r := w.search("b", "get_weather drizzle")
	mentions(t, r.Text, "drizzle")
	for _, it := range r.Items {
		if strings.Contains(it.Text, "drizzle") && it.Speaker == "user" {
			t.Errorf("the result is given to the user: %+v", it)
		}
	}
}
