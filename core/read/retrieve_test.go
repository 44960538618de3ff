package read

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/mem"
)

func TestSpeakerNamedInTheQuestionComesFirst(t *testing.T) {
	s := dialogue(t, `
== 2023-01-01
Ana: I play the violin on Sundays.
Bo: I play the violin on Mondays.
`)
	for name, want := range map[string]string{"Ana": "Sundays", "Bo": "Mondays"} {
		if f, _ := ask(s, "When does "+name+" play the violin?", 500); !strings.Contains(first(f), want) {
			t.Errorf("%s: %q comes first", name, first(f))
		}
	}
	a, _ := ask(s, "When does Ana play the violin?", 500, TermSpeaker)
	b, _ := ask(s, "When does Bo play the violin?", 500, TermSpeaker)
	if first(a) != first(b) {
		t.Error("without the speaker term the name still decides")
	}
}

func TestNickname(t *testing.T) {
	s := dialogue(t, "== 2023-01-01\nMelanie: I sail.\nCaroline: I sail too.\n")
	q := Analyse(s, mem.Query{Text: "Does Mel sail?"})
	if len(q.named) != 1 || strings.Contains(q.Bare, "Mel") {
		t.Errorf("named %v, bare %q", q.named, q.Bare)
	}
}

func TestAnswerIsFoundThroughTheQuestionBeforeIt(t *testing.T) {
	s := dialogue(t, friends)
	f, _ := ask(s, "On which day is the pottery class?", 500)
	if p := place(f, "Every Thursday evening"); p < 0 || p > 2 {
		t.Errorf("the answer, which shares no word with the question, is at place %d", p)
	}
}

func TestLikeWordsMatch(t *testing.T) {
	s := dialogue(t, friends)
	f, _ := ask(s, "What did they enjoy in Portugal?", 500)
	if p := place(f, "Lisbon"); p < 0 || p > 3 {
		t.Errorf("Lisbon is at place %d for a question about Portugal", p)
	}
}

func TestPeriodInTheQuestionLiftsWhatWasSaidThen(t *testing.T) {
	s := dialogue(t, friends)
	with, _ := ask(s, "What happened to the telescope in August 2023?", 500)
	without, _ := ask(s, "What happened to the telescope in August 2023?", 500, TermTime)
	if !strings.Contains(first(with), "sold the telescope") {
		t.Errorf("%q comes first", first(with))
	}
	gap := func(f *Found) float64 {
		return f.Ranking.Turns[0].Score - f.Ranking.Turns[place(f, "brother gave")].Score
	}
	if gap(with) <= gap(without) {
		t.Errorf("the period adds nothing: lead %.3f with, %.3f without", gap(with), gap(without))
	}
}

func TestUserAsksAboutHimself(t *testing.T) {
	s := dialogue(t, `
== 2023-01-01
user: My sister's wedding is in Bath in June.
assistant: A wedding in Bath in June sounds lovely. Your sister could visit the Roman baths.
`)
	if f, _ := ask(s, "Where is my sister's wedding?", 500); !strings.HasPrefix(first(f), "My sister's") {
		t.Errorf("%q comes first", first(f))
	}
}

func TestFilteredAndExpiredTurnsNeverRank(t *testing.T) {
	s := dialogue(t, friends)
	q := Analyse(s, mem.Query{Text: "telescope"})
	keep := s.Matcher(mem.Filter{Speakers: []string{"Ana"}}, q.Time)
	r := RankTurns(s, q, mem.Plan{}, keep, func(string) bool { return false }, 100)
	for _, x := range r.Turns {
		if who := s.Row(int(r.ix.rows[x.at])).Speaker; who != "Ana" {
			t.Errorf("a turn of %s ranks", who)
		}
	}
	if len(r.Turns) == 0 {
		t.Error("nothing ranks")
	}
}

func TestChineseIsFoundWithoutTheTable(t *testing.T) {
	s := dialogue(t, "== 2023-01-01\n小明: 我每天骑车上班。\n小红: 我喜欢坐地铁。\n小明: 今天下雨了。\n")
	if f, _ := ask(s, "谁骑车？", 500); !strings.Contains(first(f), "骑车") {
		t.Errorf("%q comes first", first(f))
	}
}

// TestOneCharacterIsFoundWithinWords asks for what stands only beside other
// characters, as nearly every character does.
func TestOneCharacterIsFoundWithinWords(t *testing.T) {
	for _, c := range []struct{ script, question, want string }{
		{"小林: 我最近开始学陶艺了，老师姓周。\n阿杰: 我养了一只橘猫，叫年糕。\n小林: 我每天骑车上班。\n阿杰: 明天我要去杭州出差。", "猫", "橘猫"},
		{"小林: 我最近开始学陶艺了，老师姓周。\n阿杰: 爷爷在院子里种了菊花。\n小林: 我每天骑车上班。\n阿杰: 明天我要去杭州出差。", "花？", "菊花"},
		{"花子: 先月から駅前のパン屋で働いています。\n健: 昨日、犬と一緒に海まで歩きました。\n花子: 毎日電車で通っています。\n健: 来週、京都へ行きます。", "犬?", "犬と"},
		{"민수: 어제 친구와 함께 영화를 봤어요.\n지은: 우리 할머니 댁에서 개를 키워요.\n민수: 매일 지하철로 출근해요.\n지은: 다음 주에 부산에 가요.", "개", "개를"},
	} {
		s := dialogue(t, "== 2024-05-01\n"+c.script)
		f, e := ask(s, c.question, 2000)
		if got := first(f); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q comes first", c.question, got)
		}
		if !e.Sufficient {
			t.Errorf("%s: the evidence is said not to hold it (confidence %.2f)", c.question, e.Confidence)
		}
	}
}

func TestLongTurnIsRankedByPassage(t *testing.T) {
	long := strings.Repeat("Drink enough water and rest well between the sessions of the week. ", 30) +
		"The Mayo video about posture is called Sitting Properly at a Desk. " + strings.Repeat("Stretch your back after every long walk in the park. ", 30)
	s := dialogue(t, "== 2023-01-01\nuser: How do I sit at work?\nassistant: "+long+"\n")
	_, e := ask(s, "What is the Mayo video about posture called?", 300)
	if !strings.Contains(e.Text, "Sitting Properly at a Desk") {
		t.Errorf("the passage that matters is missing:\n%s", e.Text)
	}
	if e.Tokens > 300 || strings.Count(e.Text, "Drink enough water") > 12 {
		t.Errorf("%d tokens of %d allowed", e.Tokens, 300)
	}
}

func TestSameQuestionSameBytesWarmAndCold(t *testing.T) {
	s := dialogue(t, friends)
	_, cold := ask(s, "What did Bo do with the telescope?", 400)
	ask(s, "Something else entirely about bowls?", 400)
	_, warm := ask(s, "What did Bo do with the telescope?", 400)
	if cold.Text != warm.Text || cold.Confidence != warm.Confidence {
		t.Errorf("cold:\n%s\nwarm:\n%s", cold.Text, warm.Text)
	}
}

func TestOneTopicYieldsSoonerInAnAssistantsLog(t *testing.T) {
	script := func(one, other string) string {
		var b strings.Builder
		b.WriteString("== 2023-03-06\n")
		for i := range 15 {
			fmt.Fprintf(&b, "%s: The kiln reaches its heat in %d hours with clay of kind %d.\n%s: Fire the clay in the kiln at step %d and let the kiln rest.\n", one, i+2, i, other, i)
		}
		fmt.Fprintf(&b, "== 2023-04-06\n%s: The cups came out of the kiln cracked.\n%s: What a pity.\n", one, other)
		return b.String()
	}
	of := func(one, other string) int {
		f, _ := ask(dialogue(t, script(one, other)), "How does clay go into the kiln?", 2000)
		return place(f, "cracked")
	}
	friends, log := of("Ana", "Bo"), of("user", "assistant")
	if log >= friends || friends < 0 {
		t.Errorf("the other session's turn is at place %d among friends and at %d in a log", friends, log)
	}
}
