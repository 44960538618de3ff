package leanmem_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
	"github.com/leanmem/leanmem/core/strategy/leanmem"
)

var withModel = mem.Options{LLM: true, Model: "m"}

// unclear is a session that rules are not sure of.
var unclear = []string{
	"Ana: My week was all about the old lighthouse and its keeper", "Bo: The keeper told stories about storms, ships and smugglers",
	"Ana: He keeps a goat, two geese and a telescope in the lantern room",
}

var blockNumber = regexp.MustCompile(`(?m)^\[(\d+)\]$`)

// byRule answers a fused scheduling prompt with one record a segment.
func byRule(p effect.Prompt) effect.Completion {
	var items []string
	for _, m := range blockNumber.FindAllStringSubmatch(p.User, -1) {
		items = append(items, fmt.Sprintf(`{"seg":%s,"y":"record","src":[],"who":"","key":"","value":"gist %x","when":""}`, m[1], len(p.User)))
	}
	return effect.Completion{Text: `{"segments":[` + strings.Join(items, ",") + `]}`, PromptTokens: 500, OutputTokens: 30 * len(items)}
}

func TestRepliesThatModelsGive(t *testing.T) {
	item := func(y, src, who, key, value string) string {
		return fmt.Sprintf(`{"seg":1,"y":%q,"src":[%s],"who":%q,"key":%q,"value":%q,"when":""}`, y, src, who, key, value)
	}
	tests := []struct {
		name    string
		replies []string
		asked   int
		gaveUp  int
		want    string // memories; "rules" for what the rules make
		report  string
	}{
		{"reasoning before JSON that keeps nothing", []string{`<think>ok</think>{"facts":[]}`}, 1, 0, "rules", ""},
		{"reasoning before JSON", []string{`<think>{"seg":1}</think>{"segments":[` + item("record", "1", "", "", "the lighthouse") + `]}`}, 1, 0, "r the lighthouse", ""},
		{"a code fence", []string{"Sure!\n```json\n{\"segments\":[" + item("record", "1", "", "", "the lighthouse") + "]}\n```"}, 1, 0, "r the lighthouse", ""},
		{"a bare array", []string{"[" + item("profile", "3", "the keeper", "pet", "goat") + "]"}, 1, 0, "p the keeper pet: goat", ""},
		{"renamed keys", []string{`{"result":[{"segment":"1","type":"Profile","sources":[1],"subject":"Ana","attribute":"interest","text":"lighthouses"}]}`}, 1, 0, "p Ana likes: lighthouses", ""},
		{"the schema echoed back", []string{`{"$defs":{},"properties":{}}`}, 2, 1, "rules", "rules took over"},
		{"nonsense, then an answer", []string{"I cannot do that", `{"segments":[` + item("event", "1", "Ana", "lighthouse week", "visited it") + `]}`}, 2, 0, "e lighthouse week: visited it", ""},
		{"a cut in mid-string", []string{`{"segments":[{"seg":1,"y":"prof`}, 2, 1, "rules", "rules took over"},
		{"a cut after a whole item", []string{`{"segments":[` + item("record", "1", "", "", "the lighthouse") + `,{"seg":1,"y":"ev`}, 1, 0, "r the lighthouse", ""},
		{"a segment never offered", []string{`{"segments":[{"seg":42,"y":"record","src":[1],"value":"x"}]}`}, 2, 1, "rules", "segment 42 was never offered"},
		{"a line never offered", []string{`{"segments":[` + item("record", "1,77", "", "", "the lighthouse") + `]}`}, 1, 0, "r the lighthouse", "line 77 was never offered"},
		{"nothing worth keeping", []string{`{"segments":[` + item("ignore", "", "", "", "") + `]}`}, 1, 0, "", ""},
		{"an empty reply", []string{""}, 2, 1, "rules", "rules took over"},
	}
	rules := newWorld()
	hr := rules.open(t)
	add(t, hr, dialogue("s", "2023-05-10", unclear...), true)
	derive(t, hr, mem.Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld()
			w.model = says(tt.replies...)
			h := w.open(t)
			add(t, h, dialogue("s", "2023-05-10", unclear...), true)
			l := derive(t, h, withModel)
			if len(w.asked) != tt.asked || l.Usage["schedule"].Calls != tt.asked {
				t.Errorf("asked %d times, ledger %+v; want %d", len(w.asked), l.Usage["schedule"], tt.asked)
			}
			if l.Usage["schedule"].Fallbacks != tt.gaveUp {
				t.Errorf("fallbacks %d, want %d", l.Usage["schedule"].Fallbacks, tt.gaveUp)
			}
			want := tt.want
			if want == "rules" {
				want = brief(hr)
			}
			if got := brief(h); got != want {
				t.Errorf("memories %q, want %q", got, want)
			}
			if !strings.Contains(strings.Join(l.Reports, "\n"), tt.report) {
				t.Errorf("reports %q, want %q", l.Reports, tt.report)
			}
			if tt.report == "" && len(l.Reports) > 0 {
				t.Errorf("reports %q", l.Reports)
			}
			if s := stateOf(t, h, "s"); s.Derived != 3 {
				t.Errorf("derived %d turns, want 3", s.Derived)
			}
		})
	}
}

func TestTheModelCannotPutFactsInTheAssistantsMouth(t *testing.T) {
	w := newWorld()
	w.model = says(`{"segments":[{"seg":1,"y":"profile","src":[2],"who":"user","key":"hobby","value":"chess","when":""},` +
		`{"seg":1,"y":"profile","src":[1],"who":"The assistant","key":"hobby","value":"cabins","when":""},` +
		`{"seg":1,"y":"profile","src":[1],"who":"user","key":"interest","value":"board games","when":""}]}`)
	h := w.open(t)
	add(t, h, dialogue("s", "2023-05-10", "user: Long evenings, board games and rain make me think of winter cabins",
		"assistant: You clearly play chess, which goes with cabins, rain and long evenings."), true)
	derive(t, h, withModel)
	if got := brief(h); got != "p user likes: board games" {
		t.Errorf("memories %q", got)
	}
}

// long fills n sessions that rules are not sure of, about a batch to two.
func long(t *testing.T, h *bank.Handle, n int) { lengthy(t, h, n, rumour) }

const rumour = " Nobody in the village by the northern cliffs believed a word of it, least of all the old ferryman with his wooden leg and the brass lantern that he carried"

func lengthy(t *testing.T, h *bank.Handle, n int, tail string) {
	t.Helper()
	for i := range n {
		var lines []string
		for j := range 12 {
			lines = append(lines, fmt.Sprintf("%s: %s of lighthouse %d told story %d about %s, ships, %s, geese and the telescope that stood there for decades until %s came.%s",
				[]string{"Ana", "Bo"}[j%2], things[(i+j)%7], i, j, things[(i+2*j)%7], things[(3*i+j)%7], things[(i+5*j)%7], tail))
		}
		add(t, h, dialogue(fmt.Sprintf("s%02d", i), fmt.Sprintf("2023-05-%02d", i+1), lines...), true)
	}
}

var things = []string{"the keeper", "a smuggler", "storms", "the harbour dog", "fog and silence", "an old brass clock", "whales"}

func TestAKillBetweenModelCallsRepeatsNoPaidCall(t *testing.T) {
	const sessions = 31
	whole := newWorld()
	whole.model = byRule
	hw := whole.open(t)
	long(t, hw, sessions)
	derive(t, hw, withModel)
	if len(whole.asked) < 9 {
		t.Fatalf("only %d calls: they fit one request", len(whole.asked))
	}
	for kill := 1; ; kill++ {
		w := newWorld()
		w.model = byRule
		h := w.open(t)
		long(t, h, sessions)
		n, died, lost := 0, false, 0
		var last effect.Request
		w.before = func(r effect.Request) error {
			if n++; n >= kill {
				if !died && r.Op == effect.OpCommit && last.Op == effect.OpComplete {
					lost = len(last.Prompts) // killed before their replies were kept
				}
				died = true
				return errors.New("killed")
			}
			if r.Op == effect.OpCommit || r.Op == effect.OpComplete {
				last = r
			}
			return nil
		}
		_ = leanmem.New().Derive(context.Background(), h, run(withModel))
		w.before = nil
		h = w.open(t)
		derive(t, h, withModel)
		if len(w.asked) != len(whole.asked)+lost {
			t.Errorf("killed at effect %d: %d calls in all, want %d and %d lost", kill, len(w.asked), len(whole.asked), lost)
		}
		if texts(h) != texts(hw) {
			t.Errorf("killed at effect %d: other memories", kill)
		}
		if !died {
			return
		}
	}
}

func TestALimitStopsCleanlyAndIsResumed(t *testing.T) {
	for _, tail := range []string{"", " Yes.", " Nobody believed him.", rumour} {
		whole := newWorldWith(byRule)
		hw := whole.open(t)
		lengthy(t, hw, 14, tail)
		derive(t, hw, withModel)
		for _, o := range []mem.Options{{LLM: true, Model: "m", MaxCalls: 1}, {LLM: true, Model: "m", BudgetTokens: 4500}} {
			w := newWorldWith(byRule)
			h := w.open(t)
			lengthy(t, h, 14, tail)
			resume(t, h, o)
			if len(w.asked) != len(whole.asked) || texts(h) != texts(hw) {
				t.Errorf("%+v: %d calls, want %d and the same memories\n%s\n%s", o, len(w.asked), len(whole.asked), texts(h), texts(hw))
			}
		}
	}
}

// resume derives again and again under a limit until all is done.
func resume(t *testing.T, h *bank.Handle, o mem.Options) {
	t.Helper()
	for runs := 1; runs < 30; runs++ {
		err := leanmem.New().Derive(context.Background(), h, run(o))
		if err == nil {
			if runs < 2 {
				t.Errorf("%+v: the limit did not stop it", o)
			}
			return
		}
		if !effect.HasCode(err, effect.LimitReached) || !strings.Contains(err.Error(), "stays owed") {
			t.Fatalf("%+v: %v", o, err)
		}
	}
	t.Errorf("%+v: never done", o)
}

func TestAModelThatFailsLeavesTheTurnsOwed(t *testing.T) {
	w := newWorld()
	h := w.open(t)
	add(t, h, dialogue("s", "2023-05-11", unclear...), true)
	add(t, h, dialogue("z", "2023-05-12", "Ana: I love jazz"), true)
	err := leanmem.New().Derive(context.Background(), h, run(withModel))
	if !effect.HasCode(err, effect.Unavailable) || !strings.Contains(err.Error(), "1 of 4 due turns are memory, the rest stays owed") {
		t.Errorf("error %v", err)
	}
	if got := brief(h); got != "p Ana likes: jazz" {
		t.Errorf("memories %q, want what the rules settled", got)
	}
	w.model = func(effect.Prompt) effect.Completion {
		return effect.Completion{Err: &effect.Error{Code: effect.RateLimited, Message: "slow down", Retryable: true, RetryAfter: 1000}}
	}
	if err := leanmem.New().Derive(context.Background(), h, run(withModel)); !effect.HasCode(err, effect.RateLimited) {
		t.Errorf("error %v", err)
	}
	w.model = byRule
	derive(t, h, withModel)
	if s := stateOf(t, h, "s"); s.Derived != 3 {
		t.Errorf("derived %d turns, want 3", s.Derived)
	}
}

func TestABatchThatIsTooLongIsSplit(t *testing.T) {
	w := newWorld()
	w.model = func(p effect.Prompt) effect.Completion {
		if len(p.User) > 4000 {
			return effect.Completion{Err: effect.Errorf(effect.ContextLength, "too long")}
		}
		return byRule(p)
	}
	h := w.open(t)
	long(t, h, 6)
	l := derive(t, h, withModel)
	if l.Usage["schedule"].Fallbacks != 0 {
		t.Errorf("fallbacks: %v", l.Reports)
	}
	for _, m := range memories(h) {
		if m.Path != mem.LLM {
			t.Errorf("%s %q was made by %s", m.Kind, m.Text(), m.Path)
		}
	}
}

func TestAHugeTurnIsShownInPieces(t *testing.T) {
	w := newWorld()
	longest := 0
	w.model = func(p effect.Prompt) effect.Completion {
		longest = max(longest, len(p.User))
		return byRule(p)
	}
	h := w.open(t)
	var said strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&said, "lighthouse %d stands on rocks. ", i)
	}
	add(t, h, dialogue("s", "2023-05-10", "Ana: "+said.String()), true)
	derive(t, h, withModel)
	if longest > 20000 || len(w.asked) < 10 {
		t.Errorf("%d calls, the longest of %d bytes", len(w.asked), longest)
	}
}

func TestThePapersProtocolAsksStageByStage(t *testing.T) {
	off := false
	w := newWorld()
	w.model = func(p effect.Prompt) effect.Completion {
		switch p.Stage {
		case "schedule":
			if strings.Contains(p.User, "lighthouse 0") {
				return effect.Completion{Text: `{"y":"event","src":[1],"facts":[]}`}
			}
			return effect.Completion{Text: `{"y":"record","src":[],"facts":[]}`}
		case "event":
			return effect.Completion{Text: `{"who":"Ana","key":"lighthouse","value":"heard a story","when":""}`}
		}
		return effect.Completion{Text: `{"value":"stories of a keeper"}`}
	}
	h := w.open(t)
	long(t, h, 2)
	o := withModel
	o.Fused = &off
	l := derive(t, h, o)
	if l.Usage["schedule"].Calls == 0 || l.Usage["event"].Calls == 0 || l.Usage["gist"].Calls == 0 || l.Usage["schedule"].Estimated == 0 {
		t.Errorf("usage %+v", l.Usage)
	}
	if got := brief(h); !strings.Contains(got, "e lighthouse: heard a story") || !strings.Contains(got, "r stories of a keeper") {
		t.Errorf("memories %q", got)
	}
	o = withModel
	o.Off = []string{mem.OffScheduling}
	h = newWorldWith(w.model).open(t)
	long(t, h, 1)
	l = derive(t, h, o)
	if l.Usage["gist"].Calls == 0 || l.Usage["schedule"].Calls != 0 {
		t.Errorf("w/o scheduling: usage %+v", l.Usage)
	}
}

func newWorldWith(model func(effect.Prompt) effect.Completion) *world {
	w := newWorld()
	w.model = model
	return w
}

func TestUsedRepliesAreDropped(t *testing.T) {
	w := newWorld()
	w.model = byRule
	h := w.open(t)
	add(t, h, dialogue("s", "2023-05-10", unclear...), true)
	derive(t, h, withModel)
	h = w.open(t)
	p := w.asked[0]
	hash := mem.Digest("reply", prompt.Version, withModel.Model, p.Stage, p.SchemaName, p.System, p.User)
	if _, kept := h.Snapshot().Reply(hash); kept {
		t.Error("the reply is still kept")
	}
	if h.Snapshot().Totals()["schedule"].Calls != 1 {
		t.Errorf("totals %+v", h.Snapshot().Totals())
	}
}
