package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/leanmem/leanmem/host/dialogue"
	"github.com/leanmem/leanmem/host/tokens"
)

// Key names one measurement.
type Key struct {
	Run      string `json:"run"` // fingerprint of program and settings
	History  string `json:"history"`
	Method   string `json:"method"`
	Question string `json:"question,omitempty"` // empty: of the build
	Budget   int    `json:"budget,omitempty"`   // 0: the method's own size
}

// Result is one line of a results file: what was measured of one question at
// one budget, or of one build. A measure that does not apply is absent.
type Result struct {
	Key
	Category   string   `json:"category,omitempty"`
	Absent     bool     `json:"absent,omitempty"`
	TextRecall *float64 `json:"text_recall,omitempty"`
	IDRecall   *float64 `json:"id_recall,omitempty"`
	Session    *float64 `json:"session_recall,omitempty"`
	Answer     *float64 `json:"answer,omitempty"`
	Date       *float64 `json:"date,omitempty"`
	Current    *float64 `json:"current,omitempty"`
	Newest     *float64 `json:"newest,omitempty"` // the newest value stands in the evidence, marked or not
	Confidence *float64 `json:"confidence,omitempty"`
	Sufficient bool     `json:"sufficient,omitempty"`
	Tokens     int      `json:"tokens"`
	Turns      int      `json:"turns,omitempty"` // of a build
	Cost       Cost     `json:"cost"`
	// Answered is what a reader made of the evidence, where there is one.
	Answered *Answered `json:"answered,omitempty"`
}

// Score measures a piece of evidence. budget 0 leaves it uncut.
func Score(k Key, q dialogue.Question, t *Transcript, e Evidence) Result {
	cut := e.Text
	r := Result{Key: k, Category: q.Category, Absent: q.Absent, Tokens: tokens.Count(e.Text), Confidence: e.Confidence, Sufficient: e.Sufficient}
	if k.Budget > 0 && r.Tokens > k.Budget {
		cut = tokens.Cut(e.Text, k.Budget)
	}
	if q.Absent {
		return r
	}
	r.TextRecall = given(TextRecall(q, t, e, cut))
	r.IDRecall = given(IDRecall(q, e))
	r.Session = given(SessionRecall(q, t, cut))
	r.Answer = given(Containment(q, cut))
	if right, ok := DateContained(q, cut); ok {
		r.Date = given(truth(right), true)
	}
	if right, newest, ok := Current(q, e, cut); ok {
		r.Current, r.Newest = given(truth(right), true), given(truth(newest), true)
	}
	return r
}

func given(v float64, ok bool) *float64 {
	if !ok {
		return nil
	}
	return &v
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Ledger keeps results, in memory and where it has a file also there, so that a
// run that was interrupted goes on.
type Ledger struct {
	known map[Key]Result
	file  *os.File
}

// OpenLedger reads the results of a file, which need not exist; "" keeps them
// in memory only. A line that an interruption tore is dropped.
func OpenLedger(path string) (*Ledger, error) {
	l := &Ledger{known: map[Key]Result{}}
	if path == "" {
		return l, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open results: %w", err)
	}
	l.file = f
	whole := int64(0)
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read results %s: %w", path, err)
		}
		var r Result
		if json.Unmarshal(bytes.TrimSpace(line), &r) == nil {
			l.known[r.Key] = r
		}
		whole += int64(len(line))
	}
	if err := f.Truncate(whole); err != nil {
		return nil, fmt.Errorf("open results %s: %w", path, err)
	}
	_, err = f.Seek(whole, io.SeekStart)
	return l, err
}

// Get gives an earlier result.
func (l *Ledger) Get(k Key) (Result, bool) {
	r, ok := l.known[k]
	return r, ok
}

// Put keeps a result.
func (l *Ledger) Put(r Result) error {
	l.known[r.Key] = r
	if l.file == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("keep result: %w", err)
	}
	_, err = l.file.Write(append(line, '\n'))
	return err
}

// Close closes the file.
func (l *Ledger) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
