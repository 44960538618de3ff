package dialogue

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

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
	long := strings.Repeat("x", 1<<20+1)
	for _, c := range []struct {
		format   Format
		in, want string
	}{
		{JSONL, `{"speaker":"A","text":"a"}` + "\n{", "line 2"},
		{JSONL, `{"speaker":"A","text":["a"]}`, `field "text" is a list; expected a text`},
		{JSONL, "", "no dialogue"},
		{JSONL, `{"text":"a","role":"king"}`, `line 1: unknown role "king"`},
		{JSONL, "\n\n" + `{"text":"a"}`, "line 3: names neither speaker nor role"},
		{JSONL, `{"speaker":"A","text":"` + long + `"}`, "line 1: 1048594 bytes: the limit of one turn is 1048576"},
		{JSONL, `{"speaker":"A","parts":[{"type":"film"}]}`, `line 1: part 0: type "film"`},
		{Chat, `[{"role":"user"`, "element 1: the JSON ends in the middle of a value"},
		{Chat, `[{"content":"x"}]`, "role"},
		{Chat, `"x"`, "does not begin as JSON does"},
		{Chat, `[{"role":"user","content":"a"}] {"role":"user"}`, "something follows the end of the list at byte 31"},
		{Chat, `[{"messages":[{"role":"user","content":"a"},{"content":"b"}]}]`, "session chat message 2: names neither"},
		{Chat, `[{"messages":{"role":"user"}}]`, `element 1: field "messages" is an object; expected a list`},
		{LoCoMo, `{"qa":[]}`, "no sessions"},
		{LoCoMo, `[]`, "no dialogue"},
		{LoCoMo, `{"session_1":[{"speaker":"A","text":"a"},{"text":"b"}]}`, "session_1 turn 2: names neither"},
		{LongMemEval, `[{"question_id":"a"}]`, "haystack_sessions"},
		{LongMemEval, `[{"haystack_sessions":"a"}]`, `field "haystack_sessions" is a text; expected a list`},
		{LongMemEval, `[{"haystack_sessions":[[{"content":"a"}]]}]`, "session session_1 turn 1: names neither"},
		{LongMemEval, ``, "empty"},
		{Chat, `[{"role":"user","content":"` + long + `"}]`, "element 1: 1048591 bytes: the limit of one turn is 1048576"},
	} {
		if err := failure(c.format, Options{}, c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.40q: error %v, want one with %q", c.format, c.in, err, c.want)
		}
	}
}

// readAll reads the turns of all sessions with what is said to be left out.
func readAll(t *testing.T, f Format, o Options, in string) (turns []core.InputTurn, left []string) {
	t.Helper()
	for s, err := range Sessions(strings.NewReader(in), f, o, func(w string) { left = append(left, w) }) {
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, s.Turns...)
	}
	return turns, left
}

func TestWhatIsLeftOutIsCountedAndSaid(t *testing.T) {
	for _, c := range []struct {
		format Format
		in     string
		turns  int
		left   []string
	}{
		{JSONL, `{"speaker":"A","text":"a"}` + "\n\n  \nnull\n{}\n" + `{"speaker":"A","text":" "}` + "\n\n" + `{"speaker":"A","text":"b"}`, 2, []string{
			"3 empty lines were passed over: line 2, line 3, line 7",
			"3 turns that say nothing were passed over: line 4, line 5, line 6"}},
		{JSONL, `{"speaker":"A","text":"a","time":"soon"}` + strings.Repeat("\n", 8) + `{"speaker":"A","text":"b"}`, 2, []string{
			`1 time is not understood and was left out: line 1 ("soon")`,
			"7 empty lines were passed over: line 2, line 3, line 4, line 5, line 6, …"}},
		{Chat, `[{"role":"user","content":"a"},null,{"role":"user","content":""},{"role":"user","content":[{"type":"film"}]}]`, 1, []string{
			"3 turns that say nothing were passed over: element 2, element 3, element 4",
			`1 part of an unknown type was left out: element 4 ("film")`}},
		{Chat, `[{"id":"x","messages":[]},{"id":7,"messages":[{"role":"user","content":"a"},null]}]`, 1, []string{
			"1 session without turns was passed over: session x",
			"1 turn that says nothing was passed over: session 7 message 2"}},
		{LoCoMo, `{"session_1":[{"speaker":"A","text":"a"},null],"session_2":null,"session_3":[{"speaker":"A","text":""}]}`, 1, []string{
			"2 sessions without turns were passed over: session_2, session_3",
			"2 turns that say nothing were passed over: session_1 turn 2, session_3 turn 1"}},
		// A file repeats its sessions in every history.
		{LongMemEval, strings.Repeat(`{"question_id":"q","haystack_session_ids":["s","e"],"haystack_dates":["2023/05/30","2023/05/30"],"haystack_sessions":[[{"role":"user","content":"a"},null],[]]}`, 3), 1, []string{
			"1 turn that says nothing was passed over: session s turn 2",
			"1 session without turns was passed over: session e"}},
	} {
		turns, left := readAll(t, c.format, Options{}, c.in)
		if len(turns) != c.turns || !slices.Equal(left, c.left) {
			t.Errorf("%s: %d turns, left out %q; want %d and %q", c.format, len(turns), left, c.turns, c.left)
		}
	}
	err := failure(JSONL, Options{}, `{"message":"a"}`+"\n"+`{"message":"b"}`)
	if err == nil || !strings.Contains(err.Error(), "no dialogue (2 turns that say nothing") {
		t.Errorf("a file of other fields: %v", err)
	}
}

func TestTurnsThatCannotBeStoredArePassedOverIfThatIsWanted(t *testing.T) {
	in := `{"speaker":"A","text":"a"}` + "\nnot JSON\n" + `{"text":"b"}` + "\n" + `{"role":"king","text":"c"}` + "\n" + `{"speaker":"A","text":"d"}`
	turns, left := readAll(t, JSONL, Options{Lenient: true}, in)
	if len(turns) != 2 || len(left) != 1 || !strings.HasPrefix(left[0], "3 turns that cannot be stored were passed over: line 2 (not JSON") || !strings.Contains(left[0], "line 3 (names neither") {
		t.Errorf("%d turns, %q", len(turns), left)
	}
	for f, in := range map[Format]string{
		Chat:        `[{"role":"user","content":"a"},{"content":"b"},5]`,
		LoCoMo:      `{"session_1":[{"speaker":"A","text":"a"},{"text":"b"},5]}`,
		LongMemEval: `[{"haystack_sessions":[[{"role":"user","content":"a"},{"content":"b"},5]],"haystack_session_ids":["s"],"haystack_dates":["2023/05/30"]}]`,
	} {
		if turns, left := readAll(t, f, Options{Lenient: true}, in); len(turns) != 1 || len(left) != 1 || !strings.HasPrefix(left[0], "2 turns that cannot") {
			t.Errorf("%s: %d turns, %q", f, len(turns), left)
		}
	}
}

func TestASpeakerForThoseWhoAreNotNamed(t *testing.T) {
	turns, _ := readAll(t, JSONL, Options{Speaker: "Ana"}, `{"text":"a"}`+"\n"+`{"speaker":"Bo","text":"b"}`+"\n"+`{"role":"assistant","text":"c"}`)
	if len(turns) != 3 || turns[0].Speaker != "Ana" || turns[1].Speaker != "Bo" || turns[2].Speaker != "assistant" {
		t.Errorf("%+v", turns)
	}
}

func TestNumbersServeAsIDs(t *testing.T) {
	got := sessionsOf(t, JSONL, Options{}, `{"session":7,"id":1,"speaker":"A","text":"a"}`)
	if len(got) != 1 || got[0].ID != "7" || got[0].Turns[0].ID != "1" {
		t.Errorf("%+v", got)
	}
}

func TestUTF16IsRead(t *testing.T) {
	for _, order := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		in, err := unicode.UTF16(order, unicode.UseBOM).NewEncoder().String(`{"speaker":"Zoë","text":"Grüße"}`)
		if err != nil {
			t.Fatal(err)
		}
		if turns, _ := readAll(t, JSONL, Options{}, in); len(turns) != 1 || turns[0].Text != "Grüße" || turns[0].Speaker != "Zoë" {
			t.Errorf("%+v", turns)
		}
	}
}

func TestFormatsAreFoundByLooking(t *testing.T) {
	for in, want := range map[string]Format{
		`{"session":"s","role":"user","text":"a"}` + "\n":                              JSONL,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}` + "\n": Chat,
		`[{"role":"user","content":"a"}]`:                                              Chat,
		"[\n  {\"role\": \"user\"":                                                     Chat,
		`[{"sample_id":"a"`:                                                            LoCoMo,
		`[{"question_id":"a","haystack_sessions":[[{"role"`:                            LongMemEval,
	} {
		if got, err := SniffBytes([]byte(in), false); got != want || err != nil {
			t.Errorf("%.40q: %q, %v; want %q", in, got, err, want)
		}
	}
	// Chats for fine-tuning come one a line.
	in := `{"messages":[{"role":"user","content":"a"}]}` + "\n" + `{"messages":[{"role":"user","content":"b"}]}` + "\n"
	if got, err := SniffBytes([]byte(in), true); got != Chat || err != nil {
		t.Errorf("chats as JSON lines: %q, %v", got, err)
	}
	if got := sessionsOf(t, Chat, Options{Name: "a"}, in); len(got) != 2 || got[1].ID != "a-2" {
		t.Errorf("chats as JSON lines: %+v", got)
	}
	if got, err := SniffBytes([]byte("\x7fELF\x00"), false); err == nil {
		t.Errorf("a program is %q", got)
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
