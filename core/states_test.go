package core_test

import (
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
)

// TestAQuestionIsAnsweredWithTheStateOfItsTime asks about now, about dates,
// and about what was before, after and while something else held.
func TestAQuestionIsAnsweredWithTheStateOfItsTime(t *testing.T) {
	w := newWorld(t)
	w.add("b",
		said("s1", "2025-09-10T10:00:00Z", "Ana: I live in Porto with my cat. I work at Northwind as an accountant.", "Bo: The food there is lovely."),
		said("s2", "2026-01-12T10:00:00Z", "Ana: Big news: I moved to Lyon on 3 January. The flat is tiny.", "Bo: Congratulations! I moved to Hamburg last week."),
		said("s3", "2026-04-20T10:00:00Z", "Ana: I moved to Berlin on 2 April, and I work at Contoso now.", "Bo: How is it? I'm on team Red now."),
		said("s4", "2026-05-20T10:00:00Z", "Bo: I'm on team Blue now. They changed everything."))
	call[core.EvolveResult](w, "evolve", core.EvolveRequest{Call: w.head("b")})
	const porto, lyon, berlin = "location: Porto (10 September 2025 – 3 January 2026)", "location: Lyon (3 January 2026 – 2 April 2026)", "location: Berlin (2 April 2026)"
	const northwind = "employer: Northwind (10 September 2025 – 20 April 2026)"
	const red, blue = "team: on team Red now (20 April 2026 – 20 May 2026)", "team: on team Blue now (20 May 2026)"
	answersInTheOrder(t, w, []asking{
		{"Where does Ana live?", berlin},
		{"Where does Ana live now?", berlin},
		{"Which city is Ana currently living in?", berlin},
		{"Where did Ana live before Berlin?", lyon},
		{"Where did Ana live before she moved to Berlin?", lyon},
		{"Where was Ana living prior to Lyon?", porto},
		{"What was Ana's previous city?", lyon},
		{"Where did Ana live in February 2026?", lyon},
		{"Where was Ana living last October?", porto},
		{"Where did Ana live before 2026?", porto},
		{"Where did Ana live until January 2026?", porto},
		{"Where did Ana move in January?", lyon},
		{"Where did Ana live at first?", porto},
		{"Where did Ana live after Lyon?", berlin},
		{"Where was Ana living when Bo moved to Hamburg?", lyon},
		{"Where did Ana work before Contoso?", northwind},
		{"Where did Ana work in December 2025?", northwind},
		{"When did Ana live in Lyon?", lyon},
		{"Which team was Bo on before Blue?", red},
		{"Which team was Bo on in April 2026?", red},
		{"Which team is Bo on now?", blue},
		{"Does Ana still live in Porto?", berlin},
		{"Wo wohnte Ana vor Berlin?", lyon},
		{"Wo hat Ana gewohnt, bevor sie nach Berlin zog?", lyon},
		{"Wo wohnte Ana im Februar 2026?", lyon},
		{"Wo wohnt Ana jetzt?", berlin},
		{"¿Dónde vivía Ana antes de Berlín?", lyon},
		{"¿Dónde vivía Ana en febrero de 2026?", lyon},
		{"¿Dónde vive Ana ahora?", berlin},
	})
	w.add("b", said("s5", "2026-05-25T10:00:00Z", "Ana: I moved to Hamburg last week. I live in Altona now."))
	answersInTheOrder(t, w, []asking{
		{"Where did Ana live before Altona?", "location: Berlin (2 April 2026 – 18 May 2026)"},
		{"Where did Ana live before Hamburg?", "location: Berlin (2 April 2026 – 18 May 2026)"},
	})
	mentions(t, w.search("b", "Where does Ana live?").Text, "location: Hamburg (since 18–24 May 2026)", "location: Altona (since 25 May 2026)")
	w.remove("b", false, mem.Filter{Sessions: []string{"s5"}})
	used := w.answer("b", "Where did Ana use to live?").Answer.Text
	mentions(t, used, porto, lyon)
	silentOn(t, used, berlin)
	silentOn(t, w.answer("b", "Where did Ana live before Porto?").Answer.Text, porto, lyon, berlin)
}

func TestTheOneWhoAsksIsAnsweredWithTheStateOfTheTime(t *testing.T) {
	w := newWorld(t)
	w.add("b",
		said("s1", "2025-08-10T10:00:00Z", "user: I play chess and I play the flute."),
		said("s2", "2025-09-10T10:00:00Z", "user: I'm a nurse and I live in Graz. Can you suggest a bike route?", "assistant: The Mur cycle path is flat and pretty."),
		said("s3", "2026-02-12T10:00:00Z", "user: I moved to Vienna last week, into a small flat. How do I register my address?", "assistant: At the municipal office."),
		said("s4", "2026-05-20T10:00:00Z", "user: I got promoted to head nurse on 4 May! Also I quit chess in April, I just have no time. I live in Linz now."))
	const vienna, graz = "location: Vienna (2–8 February 2026 – 20 May 2026)", "location: Graz (10 September 2025 – 2 February 2026)"
	const nurse, chess = "occupation: nurse (10 September 2025 – 4 May 2026)", "hobby: chess (10 August 2025 – April 2026)"
	answersInTheOrder(t, w, []asking{
		{"Where was I living in March 2026?", vienna},
		{"Where did I live last autumn?", graz},
		{"What was my previous address?", vienna},
		{"What was my job before I became head nurse?", nurse},
		{"What was my job in April?", nurse},
		{"Where did I live when I quit chess?", vienna},
		{"Do I still play chess?", chess},
		{"Where do I live?", "location: Linz (20 May 2026)"},
		{"Wo habe ich vor Vienna gewohnt?", graz},
	})
}

func TestAChineseQuestionIsAnsweredWithTheStateOfItsTime(t *testing.T) {
	w := newWorld(t)
	w.add("b",
		said("一", "2025-09-10T10:00:00Z", "小何: 我住在成都，我在银行工作。", "阿明: 我很喜欢成都的火锅。"),
		said("二", "2026-01-12T10:00:00Z", "小何: 我上个月搬到了西安。"),
		said("三", "2026-04-20T10:00:00Z", "小何: 我4月2日搬到了重庆。"))
	const chengdu, xian = "住在: 成都 (10 September 2025 – December 2025)", "住在: 西安 (December 2025 – 2 April 2026)"
	answersInTheOrder(t, w, []asking{
		{"小何现在住在哪里？", "住在: 重庆 (2 April 2026)"},
		{"小何搬到重庆之前住在哪里？", xian},
		{"小何2026年2月住在哪里？", xian},
		{"小何去年十月住在哪里？", chengdu},
		{"小何最初住在哪里？", chengdu},
		{"小何以前住在哪里？", chengdu},
	})
}

// asking is a question with the line that answers it.
type asking struct{ question, want string }

// answersInTheOrder checks that each answer begins with what is wanted, and
// that the same state stands first among those of the evidence.
func answersInTheOrder(t *testing.T, w *world, list []asking) {
	t.Helper()
	for _, a := range list {
		r := w.answer("b", a.question)
		first, _, _ := strings.Cut(r.Answer.Text, "\n")
		if !strings.HasSuffix(first, a.want) {
			t.Errorf("%s\n got %s\nwant %s", a.question, first, a.want)
		}
		if item := r.Evidence.Items[0]; item.Current == nil || !strings.HasPrefix(a.want, item.Text) {
			t.Errorf("%s: the evidence begins with %q", a.question, item.Text)
		}
	}
}

func TestWhatEndedIsToldWhereItIsAskedAfter(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s1", "2026-01-10T10:00:00Z", "Ana: I quit fencing, the hall closed.", "Bo: What a pity!"))
	answersInTheOrder(t, w, []asking{{"Does Ana still fence?", "no longer hobby: fencing (10 January 2026)"}, {"Is Ana into fencing?", "no longer hobby: fencing (10 January 2026)"}})
}

func TestANumberIsThatOfItsTime(t *testing.T) {
	w := newWorld(t)
	w.add("b",
		said("s1", "2026-01-10T10:00:00Z", "user: I have 12 stamps in my album. How do I dry them?", "assistant: Between two sheets of blotting paper."),
		said("s2", "2026-03-12T10:00:00Z", "user: I now have 31 stamps, and my best lap time is 2:41."))
	answersInTheOrder(t, w, []asking{
		{"How many stamps do I have?", "stamps: 31 (12 March 2026)"},
		{"How many stamps did I have in February 2026?", "stamps: 12 (10 January 2026 – 12 March 2026)"},
		{"How many stamps did I have before?", "stamps: 12 (10 January 2026 – 12 March 2026)"},
	})
	mentions(t, w.search("b", "How many stamps do I have?").Text, "- user, stamps: 31 (as of 12 March 2026)")
	// What no rule reads is still said: the number before it is not called the last.
	w.add("b", said("s3", "2026-05-02T10:00:00Z", "user: Stamps: 40 by now!"))
	found := w.search("b", "How many stamps do I have?")
	mentions(t, found.Text, "Stamps: 40 by now!")
	silentOn(t, found.Text, "as of")
}
