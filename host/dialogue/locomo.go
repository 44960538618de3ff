package dialogue

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
)

// LoCoMo's categories by number.
var locomoCategories = map[string]string{
	"1": "multi-hop", "2": "temporal", "3": "open-domain", "4": "single-hop", "5": "adversarial",
}

type locomoTurn struct {
	Speaker string          `json:"speaker"`
	ID      string          `json:"dia_id"`
	Text    json.RawMessage `json:"text"`
	Caption json.RawMessage `json:"blip_caption"`
	URL     json.RawMessage `json:"img_url"`
}

type locomoQuestion struct {
	Question string          `json:"question"`
	Answer   json.RawMessage `json:"answer"`
	Evidence json.RawMessage `json:"evidence"`
	Category json.RawMessage `json:"category"`
}

// readLoCoMo reads a list of conversations or a single one; the sessions stand
// in the object itself or under "conversation".
func readLoCoMo(r io.Reader, o Options, yield func(*History) bool) error {
	return elements(r, func(i int, raw json.RawMessage) (bool, error) {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(raw, &fields); err != nil {
			return false, fmt.Errorf("conversation %d: %w", i+1, explain(err))
		}
		name := scalar(fields["sample_id"])
		if name == "" {
			name = o.Name
			if i > 0 {
				name = strings.TrimPrefix(fmt.Sprintf("%s-%d", o.Name, i+1), "-")
			}
		}
		if o.Sample != "" && o.Sample != name {
			return true, nil
		}
		h := &History{Name: name}
		if err := h.locomo(fields); err != nil {
			return false, fmt.Errorf("conversation %s: %w", name, err)
		}
		return yield(h), nil
	})
}

func (h *History) locomo(fields map[string]json.RawMessage) error {
	conversation := fields
	if raw, ok := fields["conversation"]; ok {
		conversation = nil
		if err := json.Unmarshal(raw, &conversation); err != nil {
			return fmt.Errorf("field conversation: %w", explain(err))
		}
	}
	known := map[string]bool{}
	for _, n := range sessionNumbers(conversation) {
		s, err := h.locomoSession(n, conversation)
		if err != nil {
			return err
		}
		for _, t := range s.Turns {
			known[t.ID] = true
		}
		if len(s.Turns) > 0 {
			h.Sessions = append(h.Sessions, s)
		}
	}
	if len(h.Sessions) == 0 {
		return fmt.Errorf(`no sessions: expected lists named "session_1", "session_2", …`)
	}
	var questions []locomoQuestion
	if raw, ok := fields["qa"]; ok {
		if err := json.Unmarshal(raw, &questions); err != nil {
			return fmt.Errorf("field qa: %w", explain(err))
		}
	}
	for i, q := range questions {
		h.locomoQuestion(i, q, known)
	}
	return nil
}

var sessionKey = regexp.MustCompile(`^session_(\d{1,6})$`)

// sessionNumbers lists the sessions that exist, in order. Dates of sessions
// that do not exist are no sessions.
func sessionNumbers(conversation map[string]json.RawMessage) []int {
	var out []int
	for key, raw := range conversation {
		m := sessionKey.FindStringSubmatch(key)
		if m == nil || len(raw) == 0 || raw[0] != '[' {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (h *History) locomoSession(n int, conversation map[string]json.RawMessage) (core.InputSession, error) {
	key := fmt.Sprintf("session_%d", n)
	s := core.InputSession{ID: key, Close: true}
	s.Time = h.stamp(scalar(conversation[key+"_date_time"]), key)
	var turns []locomoTurn
	if err := json.Unmarshal(conversation[key], &turns); err != nil {
		return s, fmt.Errorf("%s: %w", key, explain(err))
	}
	for i, t := range turns {
		turn := core.InputTurn{ID: t.ID, Speaker: t.Speaker, Role: mem.RolePeer, Text: scalar(t.Text)}
		if turn.ID == "" {
			turn.ID = fmt.Sprintf("D%d:%d", n, i+1)
		}
		if caption, url := scalar(t.Caption), first(texts(t.URL)); caption != "" || url != "" {
			turn.Parts = []mem.Part{{Type: mem.PartImage, Caption: caption, URL: url}}
		}
		if blank(turn) {
			h.warn("%s: turn %s says nothing and was left out", key, turn.ID)
			continue
		}
		if err := fits(turn, key+" turn "+turn.ID); err != nil {
			return s, err
		}
		s.Turns = append(s.Turns, turn)
	}
	return s, nil
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func (h *History) locomoQuestion(i int, in locomoQuestion, known map[string]bool) {
	q := Question{ID: fmt.Sprintf("%s/q%d", h.Name, i+1), Text: in.Question, Answer: scalar(in.Answer)}
	if strings.TrimSpace(q.Text) == "" {
		h.warn("question %d has no text and was left out", i+1)
		return
	}
	number := scalar(in.Category)
	q.Category = locomoCategories[number]
	if q.Category == "" {
		q.Category = "category " + number
	}
	q.Absent = number == "5"
	for _, cited := range texts(in.Evidence) {
		ids := evidenceIDs(cited)
		if len(ids) == 0 {
			h.warn("question %d: evidence %q names no turn", i+1, cited)
		}
		for _, id := range ids {
			switch {
			case !known[id]:
				h.warn("question %d: there is no turn %s", i+1, id)
			case !slices.Contains(q.Evidence, id):
				q.Evidence = append(q.Evidence, id)
			}
		}
	}
	h.Questions = append(h.Questions, q)
}

var evidenceID = regexp.MustCompile(`D:?0*(\d+):0*(\d+)`)

// evidenceIDs reads the turn ids of one evidence entry: usually one, but
// "D8:6; D9:17", "D9:1 D4:4" and "D30:05" occur.
func evidenceIDs(s string) []string {
	var out []string
	for _, m := range evidenceID.FindAllStringSubmatch(s, -1) {
		out = append(out, "D"+m[1]+":"+m[2])
	}
	return out
}
