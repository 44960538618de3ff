package dialogues

import (
	"bufio"
	"encoding/json"
	"testing"
)

// read decodes every line of a file into T.
func read[T any](t *testing.T, name string) []T {
	t.Helper()
	f, err := Files.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	for in := bufio.NewScanner(f); in.Scan(); {
		var v T
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, v)
	}
	return out
}

func TestQuestionsCiteTurnsThatExist(t *testing.T) {
	for _, name := range Names {
		known := map[string]bool{}
		for _, turn := range read[struct{ ID string }](t, name+".jsonl") {
			if turn.ID == "" || known[turn.ID] {
				t.Errorf("%s: turn id %q is empty or occurs twice", name, turn.ID)
			}
			known[turn.ID] = true
		}
		absent := 0
		for _, q := range read[struct {
			ID, Question, Answer, Category string
			Evidence                       []string
			Absent                         bool
		}](t, name+".questions.jsonl") {
			for _, id := range q.Evidence {
				if !known[id] {
					t.Errorf("%s %s: there is no turn %s", name, q.ID, id)
				}
			}
			if q.Absent == (len(q.Evidence) > 0) || q.Absent == (q.Answer != "") {
				t.Errorf("%s %s: an answer with evidence, or absent: %+v", name, q.ID, q)
			}
			if q.Absent {
				absent++
			}
		}
		if absent == 0 {
			t.Errorf("%s has no question that it does not answer", name)
		}
	}
}
