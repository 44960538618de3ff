package bench

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
	"github.com/leanmem/leanmem/host/dialogue"
)

// Evidence is what a method gives for a question.
type Evidence struct {
	Text       string
	Items      []mem.Item
	Confidence *float64 // in [0,1]; nil where the method reports none
	Sufficient bool
}

// Said is a turn as the file has it, with what evidence must say of it.
type Said struct {
	ID, Session, Speaker, Date, Text string
}

// Transcript finds the turns of a history by id and by session.
type Transcript struct {
	turns    map[string]Said
	sessions map[string][]Said
	order    []Said
}

// NewTranscript indexes the turns of a history.
func NewTranscript(sessions []core.InputSession) *Transcript {
	t := &Transcript{turns: map[string]Said{}, sessions: map[string][]Said{}}
	for _, s := range sessions {
		for _, turn := range s.Turns {
			said := Said{ID: turn.ID, Session: s.ID, Speaker: turn.Speaker, Text: turn.Text}
			stamp := turn.Time
			if stamp == "" {
				stamp = s.Time
			}
			if at, err := text.ParseStamp(stamp); err == nil {
				said.Date = at.Format("2006-01-02")
			}
			t.turns[said.ID] = said
			t.sessions[s.ID] = append(t.sessions[s.ID], said)
			t.order = append(t.order, said)
		}
	}
	return t
}

// seenShare is how much of a turn's words must stand verbatim in one item.
const seenShare = 0.8

// Seen reports whether a reader of the evidence, cut at the budget, sees the
// turn: sentences of it that stand verbatim in one item hold at least 80 % of
// its words, the item names the turn as a source, its speaker and date are
// right, and the item's text stands in the cut evidence.
func Seen(t Said, items []mem.Item, cut string) bool {
	for _, item := range items {
		if slices.Contains(item.Sources, t.ID) && item.Speaker == t.Speaker && item.Date == t.Date &&
			strings.Contains(cut, item.Text) && verbatim(t.Text, item.Text) >= seenShare {
			return true
		}
	}
	return false
}

// verbatim is the share of a turn's content words in sentences of it that stand
// verbatim in the passage.
func verbatim(turn, passage string) float64 {
	passage = plain(passage)
	all, held := 0, 0
	for _, s := range sentences(turn) {
		n := len(content(s))
		all += n
		if strings.Contains(passage, plain(s)) {
			held += n
		}
	}
	if all == 0 {
		return 0
	}
	return float64(held) / float64(all)
}

// TextRecall is the share of a question's gold turns that are seen; ok is false
// where the question names none.
func TextRecall(q dialogue.Question, t *Transcript, e Evidence, cut string) (recall float64, ok bool) {
	return share(q.Evidence, func(id string) bool { return Seen(t.turns[id], e.Items, cut) })
}

// IDRecall is the share of a question's gold turns that some item cites. It is
// easily won by citing wide spans: never quote it alone.
func IDRecall(q dialogue.Question, e Evidence) (recall float64, ok bool) {
	return share(q.Evidence, func(id string) bool {
		return slices.ContainsFunc(e.Items, func(i mem.Item) bool { return slices.Contains(i.Sources, id) })
	})
}

// passageWords is the length of a verbatim passage that shows a session.
const passageWords = 20

// SessionRecall is the share of a question's answer sessions of which a whole
// turn, or a verbatim passage of at least 20 words, stands in the evidence.
func SessionRecall(q dialogue.Question, t *Transcript, cut string) (recall float64, ok bool) {
	flat := plain(cut)
	passages := shingles(strings.Fields(flat))
	return share(q.Sessions, func(id string) bool {
		return slices.ContainsFunc(t.sessions[id], func(s Said) bool {
			if len(content(s.Text)) > 0 && strings.Contains(flat, plain(s.Text)) {
				return true
			}
			for p := range shingles(strings.Fields(s.Text)) {
				if passages[p] {
					return true
				}
			}
			return false
		})
	})
}

// shingles lists every run of passageWords words.
func shingles(w []string) map[string]bool {
	out := map[string]bool{}
	for i := 0; i+passageWords <= len(w); i++ {
		out[strings.Join(w[i:i+passageWords], " ")] = true
	}
	return out
}

func share(ids []string, holds func(string) bool) (float64, bool) {
	if len(ids) == 0 {
		return 0, false
	}
	n := 0
	for _, id := range ids {
		if holds(id) {
			n++
		}
	}
	return float64(n) / float64(len(ids)), true
}
