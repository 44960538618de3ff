package dialogue

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/host/internal/plainjson"
)

type longQuestion struct {
	ID       json.RawMessage `json:"question_id"`
	Type     string          `json:"question_type"`
	Question string          `json:"question"`
	Answer   json.RawMessage `json:"answer"`
	Date     json.RawMessage `json:"question_date"`
	Sessions json.RawMessage `json:"answer_session_ids"`
}

type longHistory struct {
	longQuestion
	HaystackID word                `json:"haystack_id"`
	Dates      []word              `json:"haystack_dates"`
	IDs        []word              `json:"haystack_session_ids"`
	Haystack   [][]json.RawMessage `json:"haystack_sessions"`
	Questions  []longQuestion      `json:"questions"` // a haystack with questions of its own
}

// readLongMemEval reads the standard schema (a list of questions, each with its
// own haystack) and haystacks with a list of questions.
func readLongMemEval(r io.Reader, o Options, yield func(*History) bool) error {
	return elements(r, func(i int, raw json.RawMessage) (bool, error) {
		var in longHistory
		if err := json.Unmarshal(raw, &in); err != nil {
			return false, fmt.Errorf("history %d: %w", i+1, plainjson.Explain(err))
		}
		name := string(in.HaystackID)
		if name == "" {
			name = scalar(in.ID)
		}
		if name == "" {
			name = fmt.Sprintf("%s-%d", o.Name, i+1)
		}
		if o.Question != "" && !in.asks(o.Question) {
			return true, nil
		}
		h := newHistory(name, o)
		if err := h.longmemeval(in); err != nil {
			return false, fmt.Errorf("history %s: %w", name, err)
		}
		return yield(h.told()), nil
	})
}

func (in *longHistory) asks(id string) bool {
	return scalar(in.ID) == id || slices.ContainsFunc(in.Questions, func(q longQuestion) bool { return scalar(q.ID) == id })
}

func (h *History) longmemeval(in longHistory) error {
	if len(in.Haystack) == 0 {
		return fmt.Errorf("no haystack_sessions")
	}
	if len(in.IDs) != len(in.Haystack) {
		h.left.add(uneven, "history %s (%d ids, %d sessions)", h.Name, len(in.IDs), len(in.Haystack))
	}
	if len(in.Dates) != len(in.Haystack) {
		h.left.add(uneven, "history %s (%d dates, %d sessions)", h.Name, len(in.Dates), len(in.Haystack))
	}
	marked := map[string][]string{} // turns that the file itself marks, by session
	seen := map[string]bool{}
	for i, turns := range in.Haystack {
		id := fmt.Sprintf("session_%d", i+1)
		if i < len(in.IDs) && in.IDs[i] != "" {
			id = string(in.IDs[i])
		}
		if seen[id] {
			h.left.add(twice, "history %s session %s", h.Name, id)
			continue
		}
		seen[id] = true
		s, answers, err := h.longSession(id, turns)
		if err != nil {
			return err
		}
		if i < len(in.Dates) {
			s.Time = h.stamp(string(in.Dates[i]), "session "+id)
		}
		if len(answers) > 0 {
			marked[id] = answers
		}
		if len(s.Turns) == 0 {
			h.left.add(noTurns, "session %s", id)
			continue
		}
		h.Sessions = append(h.Sessions, s)
	}
	questions := in.Questions
	if in.Question != "" {
		questions = append([]longQuestion{in.longQuestion}, questions...)
	}
	for i, q := range questions {
		if len(q.Date) == 0 {
			q.Date = in.Date
		}
		h.longQuestion(i, q, marked, seen)
	}
	return nil
}

func (h *History) longSession(id string, turns []json.RawMessage) (core.InputSession, []string, error) {
	s := core.InputSession{ID: id, Close: true}
	var answers []string
	names := map[string]string{}
	for i, raw := range turns {
		where := fmt.Sprintf("session %s turn %d", id, i+1)
		var m message
		if err := json.Unmarshal(raw, &m); err != nil {
			if err := h.refuse(plainjson.Explain(err), where); err != nil {
				return s, nil, err
			}
			continue
		}
		t, err := h.turn(m, names, where)
		if err != nil {
			err = h.refuse(err, where)
		} else {
			t.ID = fmt.Sprintf("%s:%d", id, i)
			var taken bool
			if taken, err = h.take(&s, t, where); taken && m.HasAnswer {
				answers = append(answers, t.ID)
			}
		}
		if err != nil {
			return s, nil, err
		}
	}
	return s, answers, nil
}

func (h *History) longQuestion(i int, in longQuestion, marked map[string][]string, seen map[string]bool) {
	q := Question{
		ID: scalar(in.ID), Text: in.Question, Answer: scalar(in.Answer), Category: in.Type,
		Time: h.stamp(scalar(in.Date), "question "+scalar(in.ID)),
	}
	if q.ID == "" {
		q.ID = fmt.Sprintf("%s/q%d", h.Name, i+1)
	}
	if strings.TrimSpace(q.Text) == "" {
		h.left.add(noQuestion, "question %s", q.ID)
		return
	}
	q.Absent = strings.HasSuffix(q.ID, "_abs")
	q.Current = in.Type == "knowledge-update" && !q.Absent
	for _, id := range texts(in.Sessions) {
		if !seen[id] {
			h.left.add(noSource, "question %s (%q)", q.ID, id)
			continue
		}
		q.Sessions = append(q.Sessions, id)
		q.Evidence = append(q.Evidence, marked[id]...)
	}
	if q.Absent {
		q.Category = "abstention"
	}
	h.Questions = append(h.Questions, q)
}
