package bank

import (
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// TurnText is the text of a turn that is indexed and embedded: its own text,
// then the texts and captions of its parts, and what its tools were called with
// and gave.
func TurnText(t mem.Turn) string {
	rest := partsText(&t)
	if t.Text == "" || rest == "" {
		return t.Text + rest
	}
	return t.Text + "\n" + rest
}

func partsText(t *mem.Turn) string {
	var lines []string
	for _, p := range t.Parts {
		if p.Text != t.Text {
			lines = append(lines, p.Text)
		}
		lines = append(lines, p.Caption, p.Name)
		if p.Type == mem.PartToolCall || p.Type == mem.PartToolResult {
			lines = append(lines, p.Data)
		}
	}
	return joinLines(lines)
}

// passage is a piece of a turn that is indexed as a row of its own.
type passage struct {
	start, end int    // in TurnText
	text       string // what is indexed: more than the span where a caption belongs to it
	signals    text.Signals
}

// passagesOf cuts a turn into passages: one, where all of it is short. What is
// not the turn's own text never shares a passage with it then, but for a short
// rest (a caption), whose words belong to the first.
func passagesOf(t *mem.Turn) []passage {
	whole, rest := TurnText(*t), partsText(t)
	var out []passage
	switch {
	case len(text.Passages(whole)) <= 1:
		out = []passage{{0, len(whole), whole, text.SignalsOf(t.Text)}}
	case len(text.Passages(rest)) <= 1:
		if out = addPassages(nil, t.Text, 0); len(out) > 0 {
			out[0].text = joinLines([]string{out[0].text, rest})
		}
	default:
		out = addPassages(nil, t.Text, 0)
		out = addPassages(out, rest, len(whole)-len(rest))
	}
	if len(out) == 0 {
		out = []passage{{0, len(whole), whole, 0}}
	}
	for _, p := range t.Parts {
		if p.Type == mem.PartImage || p.Caption != "" {
			out[0].signals |= text.SignalCaption
		}
	}
	return out
}

func addPassages(out []passage, s string, at int) []passage {
	if s == "" {
		return out
	}
	for _, span := range text.Passages(s) {
		piece := s[span[0]:span[1]]
		out = append(out, passage{at + span[0], at + span[1], piece, text.SignalsOf(piece)})
	}
	return out
}

// TurnTexts lists the texts of a turn's passages, for an embedder that gives
// one vector for each.
func TurnTexts(t mem.Turn) []string {
	var out []string
	for _, p := range passagesOf(&t) {
		out = append(out, p.text)
	}
	return out
}

// indexWords gives the words of a text that are indexed: all but stop words.
func indexWords(s string) []string {
	words, _ := appendWords(make([]string, 0, len(s)/8+1), nil, s)
	return words
}

// appendWords appends the words of a text that are indexed; tokens is room for
// all of them.
func appendWords(to []string, tokens []text.Token, s string) ([]string, []text.Token) {
	tokens = text.AppendTokens(tokens[:0], s)
	for i := range tokens {
		if w := tokens[i].Text; !text.Stop(w) {
			to = append(to, w)
		}
	}
	return to, tokens
}

// MemoryText is the text of a memory that is indexed and embedded: its own
// text, its subject, the keywords of a record, and the wordings that a user
// corrected: who asks in the words of the dialogue must find the correction.
func MemoryText(m mem.Memory) string {
	lines := []string{m.Text()}
	if s := m.Subject(); s != "" && !strings.Contains(lines[0], s) {
		lines = append(lines, s)
	}
	if m.Record != nil {
		lines = append(lines, m.Record.Keywords...)
	}
	for _, r := range m.Revisions {
		lines = append(lines, r.Text)
	}
	return joinLines(lines)
}

func joinLines(lines []string) string {
	kept := lines[:0]
	for _, l := range lines {
		if l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}
