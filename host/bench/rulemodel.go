package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/host/tokens"
)

// messageTokens is what the chat format adds to a system and a user text.
const messageTokens = 11

// RuleModel is a language model that answers every stage by rule, always the
// same, in the form of a good model's replies. It stands in for one where only
// tokens are measured: they are counted exactly (o200k_base), prompts and
// replies alike. It says nothing about quality.
type RuleModel struct {
	// Schemas counts the schema of a reply as part of its prompt, as some
	// providers bill it.
	Schemas bool

	mu    sync.Mutex
	shown int // segments that fused scheduling prompts showed
	made  int // memories in replies about them
}

// Seen tells how many segments it was shown, and how many memories it made.
func (m *RuleModel) Seen() (segments, memories int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shown, m.made
}

// Complete implements hostfuncs.LLM.
func (m *RuleModel) Complete(_ context.Context, p effect.Prompt) (effect.Completion, error) {
	reply := m.answer(p)
	c := effect.Completion{Text: reply, Finish: "stop", OutputTokens: tokens.Count(reply)}
	c.PromptTokens = messageTokens + tokens.Count(p.System) + tokens.Count(p.User)
	if m.Schemas {
		c.PromptTokens += tokens.Count(string(p.Schema))
	}
	return c, nil
}

func (m *RuleModel) answer(p effect.Prompt) string {
	switch p.Stage + " " + p.SchemaName {
	case "schedule routes":
		return m.fused(p.User)
	case "schedule route":
		return m.single(p.User)
	case "event event":
		return compact(map[string]any{"who": speaker(p.User), "key": "plans for the week", "value": gist(p.User), "when": ""})
	case "gist gist":
		return compact(map[string]any{"value": gist(p.User)})
	case "evolve updates":
		return evolved(p.User)
	case "plan plan":
		return `{"entities":[],"attributes":[],"times":[],"relations":[],"scope":"fact","temporal":false,"fidelity":false,"assistant":false,` +
			`"weights":{"profile":0.3,"event":0.4,"record":0.3},"depth":{"profile":8,"event":10,"record":5}}`
	case "answer answer":
		return compact(map[string]any{"answer": gist(cited.FindString(p.User)), "cites": []string{"1"}, "known": true})
	}
	return `{"right":true}`
}

var (
	block = regexp.MustCompile(`(?m)^\[(\d+)\]`)
	line  = regexp.MustCompile(`(?m)^(\d+) ([^:\n]*): (.*)$`)
	cited = regexp.MustCompile(`(?m)^\[1\] .*$`)
	dated = regexp.MustCompile(`(?i)\b(yesterday|last|next|ago|week|tomorrow|today|went|started|moved|planning)\b`)
)

// fused writes a memory for each segment, two for a long one.
func (m *RuleModel) fused(user string) string {
	places := block.FindAllStringSubmatchIndex(user, -1)
	var items []string
	for i, at := range places {
		end := len(user)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		number, lines := user[at[2]:at[3]], line.FindAllStringSubmatch(user[at[1]:end], -1)
		items = append(items, written(number, lines))
		if len(lines) > 4 {
			items = append(items, written(number, lines[len(lines)/2:]))
		}
	}
	m.mu.Lock()
	m.shown += len(places)
	m.made += len(items)
	m.mu.Unlock()
	return `{"segments":[` + strings.Join(items, ",") + `]}`
}

func written(number string, lines [][]string) string {
	if len(lines) == 0 {
		return fmt.Sprintf(`{"seg":%s,"y":"ignore","src":[],"who":"","key":"","value":"","when":""}`, number)
	}
	l := lines[0]
	y, who, key := route(lines), l[2], ""
	if y == "event" {
		key = strings.Join(first(l[3], 2), " ")
	} else if y == "profile" {
		key = "likes"
	} else {
		who = ""
	}
	return fmt.Sprintf(`{"seg":%s,"y":%q,"src":[%s],"who":%s,"key":%s,"value":%s,"when":""}`,
		number, y, l[1], compact(who), compact(key), compact(strings.Join(first(l[3], 5), " ")))
}

func route(lines [][]string) string {
	text := ""
	for _, l := range lines {
		text += l[3] + " "
	}
	switch {
	case strings.Count(text, ",") > 8:
		return "record"
	case dated.MatchString(text):
		return "event"
	case strings.Contains(text, " love ") || strings.Contains(text, " my "):
		return "profile"
	}
	return "record"
}

func (m *RuleModel) single(user string) string {
	lines := line.FindAllStringSubmatch(user, -1)
	if len(lines) == 0 {
		return `{"y":"ignore","src":[],"facts":[]}`
	}
	y, facts := route(lines), "[]"
	if y == "profile" {
		facts = `[{"who":` + compact(lines[0][2]) + `,"key":"likes","value":` + compact(gist(lines[0][0])) + `,"ended":false}]`
	}
	return fmt.Sprintf(`{"y":%q,"src":[%s],"facts":%s}`, y, lines[0][1], facts)
}

// evolved continues the first timeline that an event is offered.
func evolved(user string) string {
	var updates []string
	blocks := block.FindAllStringSubmatchIndex(user, -1)
	for i, at := range blocks {
		end := len(user)
		if i+1 < len(blocks) {
			end = blocks[i+1][0]
		}
		target, y := 0, "new"
		for l := range strings.Lines(user[at[1]:end]) {
			if id, _, ok := strings.Cut(l, " = "); ok {
				if n, err := strconv.Atoi(strings.TrimSpace(id)); err == nil {
					target, y = n, "extend"
					break
				}
			}
		}
		updates = append(updates, fmt.Sprintf(`{"seg":%s,"y":%q,"target":%d}`, user[at[2]:at[3]], y, target))
	}
	return `{"updates":[` + strings.Join(updates, ",") + `]}`
}

// gist is the beginning of what the first line says.
func gist(text string) string {
	if m := line.FindStringSubmatch(text); m != nil {
		text = m[3]
	}
	return strings.Join(first(text, 10), " ")
}

func speaker(user string) string {
	if m := line.FindStringSubmatch(user); m != nil {
		return m[2]
	}
	return ""
}

func first(text string, n int) []string {
	words := strings.Fields(text)
	return words[:min(n, len(words))]
}

func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return `""`
	}
	return string(b)
}
