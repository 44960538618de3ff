package dialogue

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/internal/requirement"
)

func one(t *testing.T, f Format, o Options, in string) *History {
	t.Helper()
	var all []*History
	for h, err := range Histories(strings.NewReader(in), f, o) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	if len(all) != 1 {
		t.Fatalf("%d histories, want 1", len(all))
	}
	return all[0]
}

func failure(f Format, o Options, in string) error {
	for _, err := range Sessions(strings.NewReader(in), f, o, func(string) {}) {
		if err != nil {
			return err
		}
	}
	return nil
}

const locomoSample = `{"speaker_a":"Ana","speaker_b":"Bo",
 "session_2_date_time":"1:56 pm on 8 May, 2023","session_2":[
  {"speaker":"Ana","dia_id":"D2:1","text":"Look!","img_url":["http://x/y.jpg"],"blip_caption":"a red kite"},
  {"speaker":"Bo","dia_id":"D2:2","text":2022},
  {"speaker":"Bo","dia_id":"D2:3","text":"  "}],
 "session_10_date_time":"someday","session_10":[{"speaker":"Bo","dia_id":"D10:1","text":"Late."}],
 "session_11_date_time":"9:00 am on 1 June, 2023",
 "qa":[
  {"question":"When?","answer":2022,"evidence":["D2:2; D10:1"],"category":2},
  {"question":"What?","answer":"kite","evidence":["D02:01","D9:9","D"],"category":1},
  {"question":"Who?","adversarial_answer":"Eve","evidence":[],"category":5}]}`

func TestLoCoMoReadsWhatIsThereAndWarnsOfTheRest(t *testing.T) {
	h := one(t, LoCoMo, Options{Name: "conv-1"}, locomoSample)
	if len(h.Sessions) != 2 || h.Sessions[0].ID != "session_2" || h.Sessions[1].ID != "session_10" {
		t.Fatalf("sessions %+v", h.Sessions)
	}
	turns := h.Sessions[0].Turns
	if len(turns) != 2 || turns[1].Text != "2022" || turns[0].Role != mem.RolePeer {
		t.Fatalf("turns %+v", turns)
	}
	if p := turns[0].Parts; len(p) != 1 || p[0].Caption != "a red kite" || p[0].URL != "http://x/y.jpg" || p[0].Type != mem.PartImage {
		t.Errorf("parts %+v", p)
	}
	if h.Sessions[1].Time != "" || !warned(h.Warnings, "someday") {
		t.Errorf("a broken date was kept: %q, warnings %q", h.Sessions[1].Time, h.Warnings)
	}
	if got := h.Questions[0]; got.Answer != "2022" || !slices.Equal(got.Evidence, []string{"D2:2", "D10:1"}) || got.Category != "temporal" {
		t.Errorf("question 1: %+v", got)
	}
	if got := h.Questions[1].Evidence; !slices.Equal(got, []string{"D2:1"}) || !warned(h.Warnings, "D9:9") || !warned(h.Warnings, `"D"`) {
		t.Errorf("question 2: %q, warnings %q", got, h.Warnings)
	}
	if !h.Questions[2].Absent {
		t.Error("category 5 is not marked as absent")
	}
}

func warned(warnings []string, about string) bool {
	return slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, about) })
}

func TestLoCoMoSeveralConversationsMustBeChosenFrom(t *testing.T) {
	in := fmt.Sprintf(`[{"sample_id":"a","conversation":%s},{"sample_id":"b","conversation":%s}]`, locomoSample, locomoSample)
	if err := failure(LoCoMo, Options{}, in); err == nil || !strings.Contains(err.Error(), "several") {
		t.Errorf("several conversations: %v", err)
	}
	if err := failure(LoCoMo, Options{Sample: "b"}, in); err != nil {
		t.Errorf("choose b: %v", err)
	}
	if err := failure(LoCoMo, Options{Sample: "c"}, in); err == nil || !strings.Contains(err.Error(), `"c"`) {
		t.Errorf("choose c: %v", err)
	}
}

const longSample = `[{"question_id":"q1","question_type":"knowledge-update","question":"How many?","answer":3,"question_date":"2023/12/14 (Thu) 21:43",
  "haystack_dates":["2023/05/30 (Tue) 03:52","2023/06/01 (Thu) 10:00"],"haystack_session_ids":["s1","s2"],
  "haystack_sessions":[[{"role":"user","content":"I have 2 cats","has_answer":true},{"role":"assistant","content":"Nice"}],[{"role":"user","content":"3 now"}]],
  "answer_session_ids":["s1","gone"]},
 {"question_id":"q2_abs","question_type":"abstention","question":"Dogs?","answer":"none","question_date":"2023/12/14 (Thu) 21:43",
  "haystack_dates":["2023/05/30 (Tue) 03:52"],"haystack_session_ids":["s1"],"haystack_sessions":[[{"role":"user","content":"I have 2 cats"}]]}]`

func sessionsOf(t *testing.T, f Format, o Options, in string) []core.InputSession {
	t.Helper()
	var out []core.InputSession
	for s, err := range Sessions(strings.NewReader(in), f, o, func(string) {}) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func TestLongMemEval(t *testing.T) {
	all := sessionsOf(t, LongMemEval, Options{}, longSample)
	if len(all) != 2 || all[1].ID != "s2" || all[0].Turns[1].ID != "s1:1" || all[0].Turns[1].Role != mem.RoleAssistant || !all[0].Close {
		t.Errorf("union: %+v", all)
	}
	if got := sessionsOf(t, LongMemEval, Options{Question: "q2_abs"}, longSample); len(got) != 1 {
		t.Errorf("history of q2_abs: %d sessions", len(got))
	}
	if err := failure(LongMemEval, Options{Question: "q9"}, longSample); err == nil || !strings.Contains(err.Error(), "q9") {
		t.Errorf("unknown question: %v", err)
	}
	h := one(t, LongMemEval, Options{Question: "q1"}, longSample)
	q := h.Questions[0]
	if !q.Current || q.Answer != "3" || !slices.Equal(q.Sessions, []string{"s1"}) || !slices.Equal(q.Evidence, []string{"s1:0"}) || !warned(h.Warnings, "gone") {
		t.Errorf("question %+v, warnings %q", q, h.Warnings)
	}
	if h := one(t, LongMemEval, Options{Question: "q2_abs"}, longSample); !h.Questions[0].Absent {
		t.Error("q2_abs is not absent")
	}
}

func TestChatKeepsToolsAndImagesAsParts(t *testing.T) {
	h := one(t, Chat, Options{Name: "talk"}, `{"messages":[
	 {"role":"system","content":"Be kind."},
	 {"role":"user","name":"Ana","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"https://x/cat.png"}}]},
	 {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"where\":\"Porto\",\"n\":2}"}}]},
	 {"role":"tool","tool_call_id":"c1","content":"{\"animal\":\"cat\"}"},
	 {"role":"assistant","content":"A cat."}]}`)
	turns := h.Sessions[0].Turns
	if len(turns) != 5 || h.Sessions[0].ID != "talk" || turns[4].ID != "talk:4" {
		t.Fatalf("turns %+v", turns)
	}
	if turns[1].Speaker != "Ana" || turns[1].Text != "What is this?" || turns[1].Parts[0].URL != "https://x/cat.png" {
		t.Errorf("user %+v", turns[1])
	}
	if p := turns[2].Parts[0]; turns[2].Text != "" || p.Type != mem.PartToolCall || p.Name != "look" || p.Text != "where: Porto, n: 2" {
		t.Errorf("call %+v", turns[2])
	}
	if p := turns[3].Parts[0]; turns[3].Text != "" || turns[3].Role != mem.RoleTool || p.Type != mem.PartToolResult || p.Name != "look" || p.Data != `{"animal":"cat"}` || p.Text != "animal: cat" {
		t.Errorf("result %+v", turns[3])
	}
}

func TestChatForms(t *testing.T) {
	if got := sessionsOf(t, Chat, Options{Name: "a"}, `[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]`); len(got) != 1 || len(got[0].Turns) != 2 {
		t.Errorf("list of messages: %+v", got)
	}
	got := sessionsOf(t, Chat, Options{Name: "a"}, `[{"id":"x","messages":[{"role":"user","content":"hi"}]},{"messages":[{"role":"user","content":"ho"}]}]`)
	if len(got) != 2 || got[0].ID != "x" || got[1].ID != "a-2" {
		t.Errorf("list of chats: %+v", got)
	}
}

func TestLines(t *testing.T) {
	in := "\xef\xbb\xbf" + `{"session":"s1","id":"a","speaker":"Ana","time":"2025-03-02T18:00:00Z","text":"Hello."}

{"session":"s1","speaker":"Bo","text":"Hi.","caption":"a dog"}
{"session":"s2","role":"tool","speaker":"clock","text":"12:00"}
`
	got := sessionsOf(t, JSONL, Options{}, in)
	if len(got) != 2 || got[0].Turns[1].ID != "s1:1" || got[0].Turns[1].Parts[0].Caption != "a dog" {
		t.Fatalf("%+v", got)
	}
	if tool := got[1].Turns[0]; tool.Text != "" || tool.Parts[0].Type != mem.PartToolResult {
		t.Errorf("a tool's words became a speaker's: %+v", tool)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	for _, c := range []struct {
		format   Format
		in, want string
	}{
		{JSONL, `{"text":"a"}` + "\n{", "line 2"},
		{JSONL, `{"text":["a"]}`, "text"},
		{JSONL, "", "no dialogue"},
		{JSONL, `{"text":"a","role":"king"}`, `"king"`},
		{Chat, `[{"role":"user"`, "middle of a value"},
		{Chat, `[{"content":"x"}]`, "role"},
		{Chat, `"x"`, "expected a JSON object or array"},
		{LoCoMo, `{"qa":[]}`, "no sessions"},
		{LoCoMo, `[]`, "no dialogue"},
		{LongMemEval, `[{"question_id":"a"}]`, "haystack_sessions"},
		{LongMemEval, ``, "empty"},
		{Chat, `[{"role":"user","content":"` + strings.Repeat("x", MaxTurn+1) + `"}]`, "limit"},
	} {
		if err := failure(c.format, Options{}, c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.40q: error %v, want one with %q", c.format, c.in, err, c.want)
		}
	}
}

func TestDataSetsAreReadWithoutLoss(t *testing.T) {
	h, err := Load(requirement.Data(t, "locomo", "conv-26.json"))
	if err != nil {
		t.Fatal(err)
	}
	if n := h[0].Turns(); n != 419 || len(h[0].Sessions) != 19 || len(h[0].Questions) != 199 {
		t.Errorf("conv-26: %d turns, %d sessions, %d questions", n, len(h[0].Sessions), len(h[0].Questions))
	}
	for _, w := range h[0].Warnings {
		t.Log(w)
	}
	h, err = Load(requirement.Data(t, "longmemeval", "mixed.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(h) != 12 || len(h[0].Sessions) != 39 {
		t.Errorf("mixed: %d histories", len(h))
	}
}
