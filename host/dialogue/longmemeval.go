package dialogue

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core"
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
	HaystackID string              `json:"haystack_id"`
	Dates      []string            `json:"haystack_dates"`
	IDs        []string            `json:"haystack_session_ids"`
	Haystack   [][]json.RawMessage `json:"haystack_sessions"`
	Questions  []longQuestion      `json:"questions"` // a haystack with questions of its own
}

// readLongMemEval reads the standard schema (a list of questions, each with its
// own haystack) and haystacks with a list of questions.
func readLongMemEval(r io.Reader, o Options, yield func(*History) bool) error {
	return elements(r, func(i int, raw json.RawMessage) (bool, error) {
		var in longHistory
		if err := json.Unmarshal(raw, &in); err != nil {
			return false, fmt.Errorf("history %d: %w", i+1, explain(err))
		}
		name := in.HaystackID
		if name == "" {
			name = scalar(in.ID)
		}
		if name == "" {
			name = fmt.Sprintf("%s-%d", o.Name, i+1)
		}
		if o.Question != "" && !in.asks(o.Question) {
			return true, nil
		}
		h := &History{Name: name}
		if err := h.longmemeval(in); err != nil {
			return false, fmt.Errorf("history %s: %w", name, err)
		}
		return yield(h), nil
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
		h.warn("%d session ids for %d sessions", len(in.IDs), len(in.Haystack))
	}
	if len(in.Dates) != len(in.Haystack) {
		h.warn("%d dates for %d sessions", len(in.Dates), len(in.Haystack))
	}
	marked := map[string][]string{} // turns that the file itself marks, by session
	seen := map[string]bool{}
	for i, turns := range in.Haystack {
		id := fmt.Sprintf("session_%d", i+1)
		if i < len(in.IDs) && in.IDs[i] != "" {
			id = in.IDs[i]
		}
		if seen[id] {
			h.warn("session %s occurs twice; the second was left out", id)
			continue
		}
		seen[id] = true
		s, answers, err := h.longSession(id, turns)
		if err != nil {
			return err
		}
		if i < len(in.Dates) {
			s.Time = h.stamp(in.Dates[i], "session "+id)
		}
		if len(answers) > 0 {
			marked[id] = answers
		}
		if len(s.Turns) > 0 {
			h.Sessions = append(h.Sessions, s)
		}
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
		where := fmt.Sprintf("session %s turn %d", id, i)
		var m message
		if err := json.Unmarshal(raw, &m); err != nil {
			return s, nil, fmt.Errorf("%s: %w", where, explain(err))
		}
		t, err := h.turn(m, names, where)
		if err != nil {
			return s, nil, err
		}
		t.ID = fmt.Sprintf("%s:%d", id, i)
		if blank(t) {
			continue
		}
		if m.HasAnswer {
			answers = append(answers, t.ID)
		}
		s.Turns = append(s.Turns, t)
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
		h.warn("question %s has no text and was left out", q.ID)
		return
	}
	q.Absent = strings.HasSuffix(q.ID, "_abs")
	q.Current = in.Type == "knowledge-update" && !q.Absent
	for _, id := range texts(in.Sessions) {
		if !seen[id] {
			h.warn("question %s: there is no session %s", q.ID, id)
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
