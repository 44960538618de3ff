package dialogue

import (
	"strings"
	"testing"
)

func fuzzFormat(f *testing.F, format Format, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for s, err := range Sessions(strings.NewReader(in), format, Options{Name: "f"}, func(string) {}) {
			if err != nil {
				continue
			}
			if s.ID == "" || len(s.Turns) == 0 {
				t.Fatalf("a session without id or turns: %+v", s)
			}
			for _, turn := range s.Turns {
				if turn.ID == "" || blank(turn) {
					t.Fatalf("a turn without id or content: %+v", turn)
				}
			}
		}
		for range Histories(strings.NewReader(in), format, Options{}) {
		}
	})
}

func FuzzLoCoMo(f *testing.F)      { fuzzFormat(f, LoCoMo, locomoSample, "["+locomoSample+"]") }
func FuzzLongMemEval(f *testing.F) { fuzzFormat(f, LongMemEval, longSample) }
func FuzzLines(f *testing.F) {
	fuzzFormat(f, JSONL, `{"session":"s","text":"a"}`+"\n"+`{"role":"tool","text":"{\"a\":[1,true]}"}`)
}
func FuzzChat(f *testing.F) {
	fuzzFormat(f, Chat, `[{"role":"user","content":[{"type":"image_url","image_url":"x"}]}]`, `{"messages":[{"role":"tool","content":"[[1]]"}]}`)
}
