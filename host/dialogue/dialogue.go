// Package dialogue reads dialogues in the formats that people have them in:
// LoCoMo, LongMemEval, JSON lines and OpenAI chat messages, together with the
// questions that evaluation files carry.
//
// It turns bytes into core.InputSession values and judges nothing: what cannot
// be used (a broken date, an evidence id that names no turn) is left out with a
// warning, what cannot be read at all is an error that says where. Large files
// are read history by history, or session by session, never as a whole.
package dialogue

import (
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/leanmem/leanmem/core"
)

// Format names a form of dialogue file.
type Format string

const (
	LoCoMo      Format = "locomo"
	LongMemEval Format = "longmemeval"
	JSONL       Format = "jsonl"
	Chat        Format = "chat"
)

// Formats lists every format.
var Formats = []Format{LoCoMo, LongMemEval, JSONL, Chat}

// ParseFormat reads the name of a format.
func ParseFormat(s string) (Format, error) {
	if f := Format(s); slices.Contains(Formats, f) {
		return f, nil
	}
	return "", fmt.Errorf("unknown dialogue format %q: use one of locomo, longmemeval, jsonl, chat", s)
}

// Limits of what is read. They bound memory, not usefulness.
const (
	MaxTurn    = 10 << 20  // bytes of one turn's text
	MaxLine    = 32 << 20  // bytes of one line of JSON lines
	MaxHistory = 512 << 20 // bytes of one history of a JSON file
	maxInline  = 64 << 10  // bytes of an image given inside a data: URL
)

// Options choose what is read of a file.
type Options struct {
	Name     string // of the file, without folder and extension: names a session that has no id
	Question string // LongMemEval: only the history of this question
	Sample   string // LoCoMo: the conversation to read, where the file holds several
}

// Question is one question of an evaluation file with what is known of its
// answer.
type Question struct {
	ID       string   `json:"id"`
	Text     string   `json:"question"`
	Answer   string   `json:"answer,omitempty"`   // as the file gives it
	Words    []string `json:"words,omitempty"`    // words or phrases that evidence must hold; empty: those of Answer
	Stale    []string `json:"stale,omitempty"`    // of a current-state question: earlier values
	Evidence []string `json:"evidence,omitempty"` // ids of the turns that hold the answer
	Sessions []string `json:"sessions,omitempty"` // ids of the sessions that hold the answer
	Category string   `json:"category,omitempty"`
	Time     string   `json:"time,omitempty"`    // when it is asked
	Absent   bool     `json:"absent,omitempty"`  // the dialogue does not hold the answer
	Current  bool     `json:"current,omitempty"` // asks for the newest of several values
}

// History is one dialogue with its questions.
type History struct {
	Name      string
	Sessions  []core.InputSession
	Questions []Question
	Warnings  []string
}

// Turns counts the turns of a history.
func (h *History) Turns() int {
	n := 0
	for _, s := range h.Sessions {
		n += len(s.Turns)
	}
	return n
}

func (h *History) warn(format string, args ...any) {
	h.Warnings = append(h.Warnings, fmt.Sprintf(format, args...))
}

// Histories reads the histories of a file one after another. After an error
// nothing more follows.
func Histories(r io.Reader, f Format, o Options) iter.Seq2[*History, error] {
	return func(yield func(*History, error) bool) {
		var read func(io.Reader, Options, func(*History) bool) error
		switch f {
		case LoCoMo:
			read = readLoCoMo
		case LongMemEval:
			read = readLongMemEval
		case JSONL:
			read = readLines
		case Chat:
			read = readChat
		default:
			yield(nil, fmt.Errorf("unknown dialogue format %q", f))
			return
		}
		stopped := false
		err := read(r, o, func(h *History) bool {
			stopped = !yield(h, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(nil, fmt.Errorf("read %s dialogue: %w", f, err))
		}
	}
}

// Sessions reads what an add stores, session by session: JSON lines and chats
// as they stand; of LoCoMo one conversation; of LongMemEval the history of
// Options.Question or, without one, the sessions of all histories, each session
// id once. warn receives what was left out.
func Sessions(r io.Reader, f Format, o Options, warn func(string)) iter.Seq2[core.InputSession, error] {
	if f == JSONL {
		return lineSessions(r, o, warn)
	}
	return func(yield func(core.InputSession, error) bool) {
		seen := map[string]bool{}
		count := 0
		for h, err := range Histories(r, f, o) {
			if err != nil {
				yield(core.InputSession{}, err)
				return
			}
			if count++; f == LoCoMo && count > 1 {
				yield(core.InputSession{}, fmt.Errorf("read locomo dialogue: the file holds several conversations (%q is another); choose one by name", h.Name))
				return
			}
			for _, w := range h.Warnings {
				warn(w)
			}
			for _, s := range h.Sessions {
				if f == LongMemEval && seen[s.ID] {
					continue
				}
				seen[s.ID] = true
				if !yield(s, nil) {
					return
				}
			}
		}
		if count == 0 {
			yield(core.InputSession{}, nothing(f, o))
		}
	}
}

func nothing(f Format, o Options) error {
	switch {
	case o.Question != "":
		return fmt.Errorf("read %s dialogue: the file has no question %q", f, o.Question)
	case o.Sample != "":
		return fmt.Errorf("read %s dialogue: the file has no conversation %q", f, o.Sample)
	}
	return fmt.Errorf("read %s dialogue: the file holds no dialogue", f)
}
