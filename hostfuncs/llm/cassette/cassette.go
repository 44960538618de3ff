// Package cassette records the replies of a language model and plays them back,
// so that a run can be repeated offline and byte for byte.
//
// A file holds one JSON object a line: a hash of the request's content, its
// place among equal requests, and the reply. Neither the request's text nor any
// key or header is in it; the reply's text is.
package cassette

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// line is one recorded reply.
type line struct {
	Key        string            `json:"key"`
	Nth        int               `json:"nth,omitempty"` // among requests of that key, from 0
	Stage      string            `json:"stage,omitempty"`
	Completion effect.Completion `json:"completion"`
}

// Key is the hash of what determines a reply: everything in the prompt but how
// it is shown. The length before each part keeps parts apart.
func Key(p effect.Prompt) string {
	var schema bytes.Buffer
	if json.Compact(&schema, p.Schema) != nil {
		schema.Reset()
		schema.Write(p.Schema)
	}
	h := sha256.New()
	for _, part := range []string{"leanmem prompt 1", p.Stage, p.System, p.User, p.SchemaName, schema.String(), fmt.Sprint(p.MaxTokens)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Recorder is a hostfuncs.LLM that keeps what another one replies.
type Recorder struct {
	llm  hostfuncs.LLM
	path string

	mu    sync.Mutex
	file  *os.File
	nth   map[string]int
	lines []line
	err   error
}

// Record wraps a model. The file is written as replies arrive, so that a run
// that breaks off leaves what it paid for; Close puts it in order. A file that
// exists is continued.
func Record(llm hostfuncs.LLM, path string) (*Recorder, error) {
	lines, err := load(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	// Written anew, lest a line be joined to half of one that broke off.
	if err := save(path, lines); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record to cassette: %w", err)
	}
	r := &Recorder{llm: llm, path: path, file: f, nth: map[string]int{}, lines: lines}
	for _, l := range lines {
		r.nth[l.Key] = max(r.nth[l.Key], l.Nth+1)
	}
	return r, nil
}

// With returns a model whose replies go into the same cassette. Closing is the
// recorder's business.
func (r *Recorder) With(llm hostfuncs.LLM) hostfuncs.LLM { return other{r, llm} }

type other struct {
	r   *Recorder
	llm hostfuncs.LLM
}

// Complete implements hostfuncs.LLM.
func (o other) Complete(ctx context.Context, p effect.Prompt) (effect.Completion, error) {
	return o.r.complete(ctx, o.llm, p)
}

// Complete implements hostfuncs.LLM.
func (r *Recorder) Complete(ctx context.Context, p effect.Prompt) (effect.Completion, error) {
	return r.complete(ctx, r.llm, p)
}

func (r *Recorder) complete(ctx context.Context, llm hostfuncs.LLM, p effect.Prompt) (effect.Completion, error) {
	c, err := llm.Complete(ctx, p)
	if err == nil || lasting(err) {
		kept := c
		kept.Err = effect.AsError(err)
		r.keep(line{Key: Key(p), Stage: p.Stage, Completion: kept})
	}
	return c, err
}

// lasting reports whether an error belongs to the request and would come again,
// unlike a limit or a broken connection.
func lasting(err error) bool {
	return effect.HasCode(err, effect.ModelRefused) || effect.HasCode(err, effect.ContextLength)
}

func (r *Recorder) keep(l line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.Nth = r.nth[l.Key]
	r.nth[l.Key]++
	r.lines = append(r.lines, l)
	if r.err == nil {
		r.err = write(r.file, l)
	}
}

func write(w io.Writer, l line) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// Close orders the file, so that recording the same run twice gives the same
// file however its prompts overlapped, and tells whether all was kept.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.err
	if e := r.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("record to cassette: %w", err)
	}
	slices.SortStableFunc(r.lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Nth, b.Nth))
	})
	return save(r.path, r.lines)
}

func save(path string, lines []line) error {
	var out bytes.Buffer
	for _, l := range lines {
		if err := write(&out, l); err != nil {
			return fmt.Errorf("write cassette: %w", err)
		}
	}
	if err := os.WriteFile(path+".new", out.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write cassette: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write cassette: %w", err)
	}
	return nil
}

// Player is a hostfuncs.LLM that plays a cassette.
type Player struct {
	path    string
	replies map[string][]effect.Completion

	mu   sync.Mutex
	next map[string]int
}

// Replay opens a cassette. Equal requests get their replies in the order of the
// recording, and the last one again when they outnumber it.
func Replay(path string) (*Player, error) {
	lines, err := load(path)
	if err != nil {
		return nil, err
	}
	return &Player{path: path, replies: byKey(lines), next: map[string]int{}}, nil
}

// Load gives the replies of a cassette by the Key of their prompts, equal
// requests in the order of the recording.
func Load(path string) (map[string][]effect.Completion, error) {
	lines, err := load(path)
	return byKey(lines), err
}

func byKey(lines []line) map[string][]effect.Completion {
	out := map[string][]effect.Completion{}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.Nth, b.Nth) })
	for _, l := range lines {
		out[l.Key] = append(out[l.Key], l.Completion)
	}
	return out
}

// Complete implements hostfuncs.LLM.
func (p *Player) Complete(ctx context.Context, prompt effect.Prompt) (effect.Completion, error) {
	if err := hostfuncs.ContextError(ctx, "replay a prompt"); err != nil {
		return effect.Completion{}, err
	}
	key := Key(prompt)
	replies := p.replies[key]
	if len(replies) == 0 {
		return effect.Completion{}, effect.Errorf(effect.ModelFailed, "replay a prompt of stage %q: cassette %s holds no reply to request %s; the prompt, its schema or its limit changed since the recording", prompt.Stage, p.path, key)
	}
	p.mu.Lock()
	c := replies[min(p.next[key], len(replies)-1)]
	p.next[key]++
	p.mu.Unlock()
	if c.Err != nil {
		err := c.Err
		c.Err = nil
		return c, err
	}
	if show := hostfuncs.Delta(ctx); show != nil && prompt.Stream {
		show(prompt, c.Text)
	}
	return c, nil
}

// Unplayed tells how many recorded replies were not asked for.
func (p *Player) Unplayed() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, replies := range p.replies {
		n += max(0, len(replies)-p.next[key])
	}
	return n
}

func load(path string) ([]line, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open cassette: %w", err)
	}
	defer f.Close()
	var lines []line
	in := bufio.NewReader(f)
	for n := 1; ; n++ {
		raw, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(raw)) > 0 {
			var l line
			if e := json.Unmarshal(raw, &l); e != nil || l.Key == "" {
				if err == io.EOF { // a recording that broke off
					return lines, nil
				}
				return nil, effect.Errorf(effect.InvalidArgument, "read cassette %s: line %d is no recorded reply", path, n)
			}
			lines = append(lines, l)
		}
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read cassette %s: %w", path, err)
		}
	}
}
