package dialogue

import (
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core"
)

// fuzzFormat: whatever a file holds, what is read of it is what core takes, and
// what was left out can be said.
func fuzzFormat(f *testing.F, format Format, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, o := range []Options{{Name: "f"}, {Name: "f", Lenient: true}, {Name: "f", Speaker: "Ana"}} {
			for s, err := range Sessions(strings.NewReader(in), format, o, func(string) {}) {
				if err != nil {
					if o.Lenient && Refused(err) {
						t.Fatalf("a turn was refused: %v", err)
					}
					continue
				}
				checkSession(t, s)
			}
		}
		for range Histories(strings.NewReader(in), format, Options{}) {
		}
		_, _ = SniffBytes([]byte(in), false)
		_, _ = SniffBytes([]byte(in), true)
	})
}

func checkSession(t *testing.T, s core.InputSession) {
	if s.ID == "" || len(s.Turns) == 0 {
		t.Fatalf("a session without id or turns: %+v", s)
	}
	for _, turn := range s.Turns {
		if turn.ID == "" || blank(turn) {
			t.Fatalf("a turn without id or content: %+v", turn)
		}
		if err := core.CheckTurn(s, turn); err != nil {
			t.Fatalf("a turn that core refuses: %v: %+v", err, turn)
		}
	}
}

func FuzzLoCoMo(f *testing.F)      { fuzzFormat(f, LoCoMo, locomoSample, "["+locomoSample+"]") }
func FuzzLongMemEval(f *testing.F) { fuzzFormat(f, LongMemEval, longSample) }
func FuzzLines(f *testing.F) {
	fuzzFormat(f, JSONL, `{"session":"s","speaker":"A","text":"a"}`+"\n"+`{"role":"tool","text":"{\"a\":[1,true]}"}`, "null\n\n"+`{"text":7}`, "\xff\xfe{\x00}\x00")
}
func FuzzChat(f *testing.F) {
	fuzzFormat(f, Chat, `[{"role":"user","content":[{"type":"image_url","image_url":"x"}]}]`, `{"messages":[{"role":"tool","content":"[[1]]"}]}{"messages":[null]}`)
}
