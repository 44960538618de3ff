// Package dialogue reads dialogues in the formats that people have them in:
// LoCoMo, LongMemEval, JSON lines and OpenAI chat messages, together with the
// questions that evaluation files carry.
//
// It turns bytes into core.InputSession values and judges nothing: what cannot
// be used (a broken date, an evidence id that names no turn, a turn that says
// nothing) is left out, counted and said; what cannot be read, or would not be
// stored, is an error that says where. Large files are read history by history,
// or session by session, never as a whole.
package dialogue

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
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

// Limits of what is read. They bound memory, not usefulness; what one turn may
// hold is core's to say.
const (
	MaxLine    = 32 << 20  // bytes of one line of JSON lines
	MaxHistory = 512 << 20 // bytes of one history of a JSON file
	maxInline  = 64 << 10  // bytes of an image given inside a data: URL
)

// Options choose what is read of a file.
type Options struct {
	Name     string // of the file, without folder and extension: names a session that has no id
	Question string // LongMemEval: only the history of this question
	Sample   string // LoCoMo: the conversation to read, where the file holds several
	Speaker  string // who said the turns that name neither speaker nor role; "": they are refused
	Lenient  bool   // turns that cannot be stored are passed over and counted, not refused

	left *left // of Sessions, which says at its end what was left out
}

// Errors to which a caller may know a way out.
var (
	ErrNobody  = errors.New("names neither speaker nor role")       // of a turn
	ErrSeveral = errors.New("the file holds several conversations") // of a LoCoMo file
)

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
	Warnings  []string // what was left out, a line for each kind of thing

	options Options
	left    *left
}

func newHistory(name string, o Options) *History {
	h := &History{Name: name, options: o, left: o.left}
	if h.left == nil {
		h.left = &left{}
	}
	return h
}

// told is the history with what was left out of it, unless Sessions says that.
func (h *History) told() *History {
	if h.options.left == nil {
		h.Warnings = h.left.say()
	}
	return h
}

// take appends a turn to a session, if it says something and can be stored.
func (h *History) take(s *core.InputSession, t core.InputTurn, where string) (bool, error) {
	if blank(t) {
		h.left.add(saysNothing, "%s", where)
		return false, nil
	}
	if t.Speaker == "" && (t.Role == "" || t.Role == mem.RolePeer) {
		if t.Speaker = h.options.Speaker; t.Speaker == "" {
			return false, h.refuse(ErrNobody, where)
		}
	}
	if err := core.CheckTurn(*s, t); err != nil {
		return false, h.refuse(err, where)
	}
	s.Turns = append(s.Turns, t)
	return true, nil
}

// refused is the error of one turn.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

// Refused reports whether an error is of one turn, so that Options.Lenient would
// pass it over.
func Refused(err error) bool { return errors.As(err, new(refused)) }

// refuse is the error of a turn that cannot be stored, or none where such turns
// are passed over.
func (h *History) refuse(err error, where string) error {
	if !h.options.Lenient {
		return refused{fmt.Errorf("%s: %w", where, err)}
	}
	if e := (*effect.Error)(nil); errors.As(err, &e) {
		err = errors.New(e.Message)
	}
	h.left.add(notStored, "%s (%v)", where, err)
	return nil
}

// Turns counts the turns of a history.
func (h *History) Turns() int {
	n := 0
	for _, s := range h.Sessions {
		n += len(s.Turns)
	}
	return n
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
			yield(nil, unread(f, err))
		}
	}
}

// Sessions reads what an add stores, session by session: JSON lines and chats
// as they stand; of LoCoMo one conversation; of LongMemEval the history of
// Options.Question or, without one, the sessions of all histories, each session
// id once. warn receives, at the end, what was left out, a line for each kind of
// thing.
func Sessions(r io.Reader, f Format, o Options, warn func(string)) iter.Seq2[core.InputSession, error] {
	return func(yield func(core.InputSession, error) bool) {
		o.left = &left{}
		defer func() {
			for _, w := range o.left.say() {
				warn(w)
			}
		}()
		if f == JSONL {
			lineSessions(r, o, yield)
			return
		}
		o.left.seen = map[string]bool{}
		historySessions(r, f, o, yield)
	}
}

func historySessions(r io.Reader, f Format, o Options, yield func(core.InputSession, error) bool) {
	seen := map[string]bool{}
	count := 0
	for h, err := range Histories(r, f, o) {
		if err != nil {
			yield(core.InputSession{}, err)
			return
		}
		if count++; f == LoCoMo && count > 1 {
			yield(core.InputSession{}, unread(f, fmt.Errorf("%w (%q is another); choose one", ErrSeveral, h.Name)))
			return
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
	if len(seen) == 0 {
		yield(core.InputSession{}, unread(f, nothing(o)))
	}
}

// unread is the error of a file that cannot be read as a format.
func unread(f Format, err error) error { return fmt.Errorf("read as %s: %w", f, err) }

func nothing(o Options) error {
	switch {
	case o.Question != "":
		return fmt.Errorf("the file has no question %q", o.Question)
	case o.Sample != "":
		return fmt.Errorf("the file has no conversation %q", o.Sample)
	}
	if o.left != nil {
		if said := o.left.say(); len(said) > 0 {
			return fmt.Errorf("the file holds no dialogue (%s)", strings.Join(said, "; "))
		}
	}
	return errors.New("the file holds no dialogue")
}
