package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leanmem/leanmem/core/mem"
)

// Answer asks a question of composed evidence (the text between the
// delimiters, without them).
func Answer(question, evidence string, now time.Time) Message {
	date := ""
	if !now.IsZero() {
		date = now.Format(time.DateOnly)
	}
	user := Evidence(evidence) + "\n# " + dateLine(date) + "\nquestion: " + Quote(question) + "\n"
	return Message{Stage: "answer", System: answerText, User: user, Schema: answerSchema, SchemaName: "answer", MaxTokens: 400}
}

// ParseAnswer reads the reply to Answer. Only ids of offered are cited; others
// are refused and reported. A reply without JSON is taken as the answer in
// plain words. ok is false when nothing was said.
func ParseAnswer(reply string, offered []string) (answer mem.Answer, refused []string, ok bool) {
	answer.Path = mem.LLM
	answer.Sources = []string{}
	h := reap(reply)
	for _, o := range slices.Backward(h.objects) {
		text := word(field(o, "answer", "response", "text", "reply"))
		if text == "" || echo(o) {
			continue
		}
		answer.Text = text
		known := field(o, "known", "answerable", "sufficient")
		answer.Known = truth(known) || !known.Exists() && !denies(text)
		for _, id := range list(field(o, "cites", "citations", "sources", "ids", "cited")) {
			id = strings.Trim(id, "[]() ")
			if !slices.Contains(offered, id) {
				refused = append(refused, fmt.Sprintf("cited id %s was never offered", clean(id)))
			} else if !slices.Contains(answer.Sources, id) {
				answer.Sources = append(answer.Sources, id)
			}
		}
		return answer, refused, true
	}
	text := body(reply)
	if len(text) > maxReply {
		text = text[:maxReply]
	}
	text = strings.TrimSpace(strings.Map(keepLines, strings.ToValidUTF8(text, "")))
	if text == "" || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, "```") {
		return mem.Answer{}, nil, false
	}
	answer.Text = text
	answer.Known = !denies(answer.Text)
	return answer, nil, true
}

func keepLines(r rune) rune {
	if r == '\n' {
		return r
	}
	return visible(r)
}

// denies reports an answer in plain words that there is none.
func denies(s string) bool {
	s = strings.ToLower(s)
	for _, d := range []string{"not in the evidence", "does not hold", "doesn't hold", "no information", "not mentioned", "don't know", "do not know",
		"cannot be determined", "not stated", "no evidence", "不知道", "没有提到"} {
		if strings.Contains(s, d) {
			return true
		}
	}
	return false
}
