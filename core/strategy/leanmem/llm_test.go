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
		`{"seg":1,"y":"profile","src":[1],"who":"user","key":"interest","value":"board games","when":""}]}`)
	h := w.open(t)
	add(t, h, dialogue("s", "2023-05-10", "user: Long evenings, board games and rain make me think of winter cabins",
		"assistant: You clearly play chess, which goes with cabins, rain and long evenings."), true)
	derive(t, h, withModel)
	if got := brief(h); got != "p user likes: board games" {
		t.Errorf("memories %q", got)
	}
}

// long fills n sessions that rules are not sure of.
func long(t *testing.T, h *bank.Handle, n int) {
	t.Helper()
	for i := range n {
		var lines []string
		for j := range 12 {
			lines = append(lines, fmt.Sprintf("%s: The keeper of lighthouse %d told story %d about storms, ships, smugglers, geese and the telescope that stood there for decades", []string{"Ana", "Bo"}[j%2], i, j))
		}
		add(t, h, dialogue(fmt.Sprintf("s%02d", i), fmt.Sprintf("2023-05-%02d", i+1), lines...), true)
	}
}

func TestAKillBetweenModelCallsRepeatsNoPaidCall(t *testing.T) {
	whole := newWorld()
	whole.model = byRule
	hw := whole.open(t)
	long(t, hw, 20)
	derive(t, hw, withModel)
	if len(whole.asked) < 3 {
		t.Fatalf("only %d calls", len(whole.asked))
	}
	for kill := 1; ; kill++ {
		w := newWorld()
		w.model = byRule
		h := w.open(t)
		long(t, h, 20)
		n, died := 0, false
		paidFirst := false
		w.before = func(r effect.Request) error {
			// A reply counts as arrived once the commit that keeps it is sent.
			if paidFirst = r.Op == effect.OpComplete; paidFirst || r.Op == effect.OpProgress || r.Op == effect.OpCommit && n > 0 {
				n++
			}
			if n == kill && r.Op != effect.OpCommit {
				died = true
				return errors.New("killed")
			}
			return nil
		}
		_ = leanmem.New().Derive(context.Background(), h, run(withModel))
		w.before = nil
		h = w.open(t)
		derive(t, h, withModel)
		if len(w.asked) != len(whole.asked) {
			t.Errorf("killed at %d: %d calls in all, want %d", kill, len(w.asked), len(whole.asked))
		}
		if texts(h) != texts(hw) {
			t.Errorf("killed at %d: other memories", kill)
		}
		if kill > 40 || !died && kill > n {
			return
		}
	}
}

func TestALimitStopsCleanlyAndIsResumed(t *testing.T) {
	for _, o := range []mem.Options{{LLM: true, MaxCalls: 1}, {LLM: true, BudgetTokens: 4500}} {
		w := newWorld()
		w.model = byRule
		h := w.open(t)
		long(t, h, 20)
		var err error
		runs := 0
		for runs = 1; runs < 30; runs++ {
			if err = leanmem.New().Derive(context.Background(), h, run(o)); err == nil {
				break
			}
			if !effect.HasCode(err, effect.LimitReached) || !strings.Contains(err.Error(), "stays owed") {
				t.Fatalf("%+v: %v", o, err)
			}
		}
		if err != nil || runs < 3 {
			t.Errorf("%+v: %d runs, %v", o, runs, err)
		}
		seen := map[string]bool{}
		for _, p := range w.asked {
			if seen[p.User] {
				t.Errorf("%+v: a prompt was paid for twice", o)
			}
			seen[p.User] = true
		}
		if s := stateOf(t, h, "s19"); s.Derived != 12 {
			t.Errorf("%+v: the last session is derived up to %d", o, s.Derived)
		}
	}
}

func TestAModelThatFailsLeavesTheTurnsOwed(t *testing.T) {
	w := newWorld()
	h := w.open(t)
	add(t, h, dialogue("a", "2023-05-10", "Ana: I love jazz"), true)
	add(t, h, dialogue("s", "2023-05-11", unclear...), true)
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
