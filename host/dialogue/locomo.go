package dialogue

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/internal/plainjson"
)

// LoCoMo's categories by number.
var locomoCategories = map[string]string{
	"1": "multi-hop", "2": "temporal", "3": "open-domain", "4": "single-hop", "5": "adversarial",
}

type locomoTurn struct {
	Speaker word            `json:"speaker"`
	ID      word            `json:"dia_id"`
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
			return false, fmt.Errorf("conversation %d: %w", i+1, plainjson.Explain(err))
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
		h := newHistory(name, o)
		if err := h.locomo(fields); err != nil {
			return false, fmt.Errorf("conversation %s: %w", name, err)
		}
		return yield(h.told()), nil
	})
}

func (h *History) locomo(fields map[string]json.RawMessage) error {
	conversation := fields
	if raw, ok := fields["conversation"]; ok {
		conversation = nil
		if err := json.Unmarshal(raw, &conversation); err != nil {
			return fmt.Errorf("field conversation: %w", plainjson.Explain(err))
		}
	}
	known := map[string]bool{}
	for _, key := range h.sessionKeys(conversation) {
		s, err := h.locomoSession(key, conversation)
		if err != nil {
			return err
		}
		for _, t := range s.Turns {
			known[t.ID] = true
		}
		if len(s.Turns) == 0 {
			h.left.add(noTurns, "%s", key)
			continue
		}
		h.Sessions = append(h.Sessions, s)
	}
	if len(h.Sessions) == 0 {
		return fmt.Errorf(`no sessions: expected lists named "session_1", "session_2", …`)
	}
	var questions []locomoQuestion
	if raw, ok := fields["qa"]; ok {
		if err := json.Unmarshal(raw, &questions); err != nil {
			return fmt.Errorf("field qa: %w", plainjson.Explain(err))
		}
	}
	for i, q := range questions {
		h.locomoQuestion(i, q, known)
	}
	return nil
}

var sessionKey = regexp.MustCompile(`^session_(\d{1,6})$`)

// sessionKeys lists the sessions that exist, in order. Dates of sessions that
// do not exist are no sessions.
func (h *History) sessionKeys(conversation map[string]json.RawMessage) []string {
	var out, empty []string
	for key, raw := range conversation {
		switch {
		case !sessionKey.MatchString(key):
		case len(raw) > 0 && raw[0] == '[':
			out = append(out, key)
		default:
			empty = append(empty, key)
		}
	}
	number := func(key string) int {
		n, _ := strconv.Atoi(sessionKey.FindStringSubmatch(key)[1])
		return n
	}
	order := func(a, b string) int { return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b)) }
	slices.SortFunc(out, order)
	slices.SortFunc(empty, order)
	for _, key := range empty {
		h.left.add(noTurns, "%s", key)
	}
	return out
}

func (h *History) locomoSession(key string, conversation map[string]json.RawMessage) (core.InputSession, error) {
	s := core.InputSession{ID: key, Close: true}
	s.Time = h.stamp(scalar(conversation[key+"_date_time"]), key)
	var turns []json.RawMessage
	if err := json.Unmarshal(conversation[key], &turns); err != nil {
		return s, fmt.Errorf("%s: %w", key, plainjson.Explain(err))
	}
	for i, raw := range turns {
		where := fmt.Sprintf("%s turn %d", key, i+1)
		var t locomoTurn
		if err := json.Unmarshal(raw, &t); err != nil {
			if err := h.refuse(plainjson.Explain(err), where); err != nil {
				return s, err
			}
			continue
		}
		turn := core.InputTurn{ID: string(t.ID), Speaker: string(t.Speaker), Role: mem.RolePeer, Text: scalar(t.Text)}
		if turn.ID == "" {
			turn.ID = fmt.Sprintf("D%s:%d", strings.TrimPrefix(key, "session_"), i+1)
		}
		if caption, url := scalar(t.Caption), first(texts(t.URL)); caption != "" || url != "" {
			turn.Parts = []mem.Part{{Type: mem.PartImage, Caption: caption, URL: url}}
		}
		if _, err := h.take(&s, turn, where); err != nil {
			return s, err
		}
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
		h.left.add(noQuestion, "question %d", i+1)
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
			h.left.add(noSource, "question %d (%.40q)", i+1, cited)
		}
		for _, id := range ids {
			switch {
			case !known[id]:
				h.left.add(noSource, "question %d (%q)", i+1, id)
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
