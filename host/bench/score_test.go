package bench

import (
	"math"
	"slices"
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/dialogue"
)

var said = Said{ID: "D1:1", Session: "s1", Speaker: "Ana", Date: "2023-05-08", Text: "I moved to Porto last week. The flat has a fig tree! Isn't it lovely?"}

func item(change func(*mem.Item)) mem.Item {
	i := mem.Item{Text: said.Text, Sources: []string{"D1:1"}, Speaker: "Ana", Date: "2023-05-08"}
	if change != nil {
		change(&i)
	}
	return i
}

func TestSeenNeedsTheWordsTheSourceTheSpeakerTheDateAndTheText(t *testing.T) {
	for _, c := range []struct {
		name string
		item mem.Item
		cut  string
		want bool
	}{
		{"whole turn", item(nil), "Ana: " + said.Text, true},
		{"a sentence without content left out", item(func(i *mem.Item) { i.Text = "I moved to Porto last week. The flat has a fig tree!" }), "I moved to Porto last week. The flat has a fig tree!", true},
		{"half of it", item(func(i *mem.Item) { i.Text = "I moved to Porto last week." }), "I moved to Porto last week.", false},
		{"paraphrase", item(func(i *mem.Item) { i.Text = "Ana moved to Porto; her flat has a fig tree" }), "Ana moved to Porto; her flat has a fig tree", false},
		{"other source", item(func(i *mem.Item) { i.Sources = []string{"D1:2"} }), said.Text, false},
		{"other speaker", item(func(i *mem.Item) { i.Speaker = "Bo" }), said.Text, false},
		{"other date", item(func(i *mem.Item) { i.Date = "2023-05-09" }), said.Text, false},
		{"cut off", item(nil), said.Text[:30], false},
	} {
		if got := Seen(said, []mem.Item{c.item}, c.cut); got != c.want {
			t.Errorf("%s: seen %v", c.name, got)
		}
	}
}

func TestRecalls(t *testing.T) {
	long := "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty and more"
	history := NewTranscript([]core.InputSession{
		{ID: "s1", Time: "2023-05-08T10:00:00Z", Turns: []core.InputTurn{{ID: "D1:1", Speaker: "Ana", Text: said.Text}, {ID: "D1:2", Speaker: "Bo", Text: "I like kites."}}},
		{ID: "s2", Time: "2023-06-01T10:00:00Z", Turns: []core.InputTurn{{ID: "x", Text: long}}},
	})
	q := dialogue.Question{Evidence: []string{"D1:1", "D1:2"}, Sessions: []string{"s1", "s2"}}
	e := Evidence{Items: []mem.Item{item(nil), {Sources: []string{"D1:2"}, Text: "kites"}}}
	cut := "8 May 2023\nAna: " + said.Text + "\n… " + long[:len(long)-9]
	if r, ok := TextRecall(q, history, e, cut); !ok || r != 0.5 {
		t.Errorf("text recall %v", r)
	}
	if r, _ := IDRecall(q, e); r != 1 {
		t.Errorf("id recall %v", r)
	}
	if r, _ := SessionRecall(q, history, cut); r != 1 {
		t.Errorf("session recall %v", r)
	}
	if r, _ := SessionRecall(q, history, "Ana: I moved to Porto last week. one two three four five six seven eight"); r != 0 {
		t.Errorf("session recall of fragments %v", r)
	}
	if _, ok := TextRecall(dialogue.Question{}, history, e, cut); ok {
		t.Error("a question without evidence was scored")
	}
}

func TestContainment(t *testing.T) {
	for _, c := range []struct {
		answer, evidence string
		want             float64
	}{
		{"two cats", "She has 2 cats.", 1},
		{"$1,400", "paid 1,400 euros", 1},
		{"Ana's red kite", "Ana flew a kite", 2.0 / 3},
		{"年糕", "橘猫，叫年糕", 1},
		{"the", "of the", 1},
	} {
		if got, ok := Containment(dialogue.Question{Answer: c.answer}, c.evidence); !ok || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%q in %q: %v, want %v", c.answer, c.evidence, got, c.want)
		}
	}
	if _, ok := Containment(dialogue.Question{Absent: true, Answer: "x"}, "x"); ok {
		t.Error("an absent answer was scored")
	}
}

func TestDates(t *testing.T) {
	for _, c := range []struct {
		answer, evidence string
		want, ok         bool
	}{
		{"7 May 2023", "2023-05-08\nAna: yesterday (7 May 2023)", true, true},
		{"7 May 2023", "May 7, 2023", true, true},
		{"7 May, 2023", "[2023-05-07]", true, true},
		{"7 May 2023", "8 May 2023", false, true},
		{"May 2023", "in May, 2023", true, true},
		{"May 2023", "8 May 2023", false, true},
		{"June 2023", "last month (2023-06-01 – 2023-06-30)", true, true},
		{"2022", "on 3 March 2022", true, true},
		{"11 to 19 October 2025", "from 2025-10-11 until 2025-10-19", true, true},
		{"9 August to 17 August 2025", "2025-08-09 2025-08-18", false, true},
		{"2025-05-02 到 2025-05-08", "2025年5月2日 2025年5月8日", true, true},
		{"The week before 27 March 2023", "", false, false},
		{"four years", "", false, false},
	} {
		got, ok := DateContained(dialogue.Question{Category: "temporal", Answer: c.answer}, c.evidence)
		if got != c.want || ok != c.ok {
			t.Errorf("%q in %q: %v %v", c.answer, c.evidence, got, ok)
		}
	}
}

func TestCurrentStateMustBeMarked(t *testing.T) {
	yes, no := true, false
	q := dialogue.Question{Current: true, Answer: "Red", Stale: []string{"Blue"}}
	past := mem.Item{Text: "team: Blue", Date: "2025-04-01", Current: &no}
	for _, c := range []struct {
		name          string
		items         []mem.Item
		right, newest bool
	}{
		{"marked", []mem.Item{{Text: "team: Red", Current: &yes}, past}, true, true},
		{"not marked", []mem.Item{{Text: "team: Red"}, past}, false, true},
		{"only the old one", []mem.Item{past}, false, false},
		{"the old one without a date", []mem.Item{{Text: "team: Red", Current: &yes}, {Text: "team: Blue"}}, false, true},
	} {
		right, newest, ok := Current(q, Evidence{Items: c.items}, "team: Red\nteam: Blue")
		if right != c.right || newest != c.newest || !ok {
			t.Errorf("%s: %v %v %v", c.name, right, newest, ok)
		}
	}
}

func TestAUROC(t *testing.T) {
	for _, c := range []struct {
		gold, absent []float64
		want         float64
	}{
		{[]float64{.9, .8}, []float64{.1, .2}, 1},
		{[]float64{.1}, []float64{.9}, 0},
		{[]float64{.5, .5}, []float64{.5}, .5},
		{[]float64{.9, .3}, []float64{.5}, .5},
	} {
		if got := AUROC(c.gold, c.absent); got != c.want {
			t.Errorf("AUROC(%v, %v) = %v", c.gold, c.absent, got)
		}
	}
	if !math.IsNaN(AUROC(nil, []float64{1})) {
		t.Error("AUROC of nothing is a number")
	}
}

func TestBootstrapIsRepeatableAndCoversTheDifference(t *testing.T) {
	var a, b []float64
	for i := range 200 {
		a = append(a, float64(i%4)/4+0.1)
		b = append(b, float64(i%4)/4)
	}
	one, two := PairedBootstrap(a, b, 7), PairedBootstrap(a, b, 7)
	if one != two || !one.Contains(0.1) && math.Abs(one.Low-0.1) > 1e-9 {
		t.Errorf("%v %v", one, two)
	}
	same := PairedBootstrap(a, slices.Clone(a), 7)
	if !same.Contains(0) {
		t.Errorf("a method differs from itself: %v", same)
	}
	if wide := Bootstrap([]float64{0, 1, 0, 1}, 1); wide.Low > 0.3 || wide.High < 0.7 {
		t.Errorf("interval %v of a coin", wide)
	}
}
