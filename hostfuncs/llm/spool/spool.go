// Package spool keeps the replies of a language model from the moment they
// arrive until what asked for them has ended well. A request carries several
// prompts, and the engine stores its replies together: were the process killed
// while some had arrived and others had not, those would be paid for again.
//
// The file lies beside the store, readable by its owner alone, and holds the
// text of replies under hashes of their prompts, no prompt, key or header. It
// is removed as soon as a command that used it has succeeded.
package spool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/llm/cassette"
)

// LLM is a hostfuncs.LLM over another one.
type LLM struct {
	path string
	llm  hostfuncs.LLM

	mu       sync.Mutex
	left     map[string][]effect.Completion // of an earlier run, not taken yet
	recorder *cassette.Recorder             // opened with the first reply
	err      error
}

var _ hostfuncs.LLM = (*LLM)(nil)

// Wrap keeps what llm replies in a file, and gives first what an earlier run
// left there.
func Wrap(llm hostfuncs.LLM, path string) (*LLM, error) {
	s := &LLM{path: path, llm: llm}
	left, err := cassette.Load(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("open the replies that an earlier run left: %w", err)
	}
	s.left = left
	return s, nil
}

// Complete implements hostfuncs.LLM. What only reads is not kept: the engine
// keeps nothing of it either.
func (s *LLM) Complete(ctx context.Context, p effect.Prompt) (effect.Completion, error) {
	if p.Stream || p.Stage == "plan" || p.Stage == "answer" {
		return s.llm.Complete(ctx, p)
	}
	if c, ok := s.take(p); ok {
		if err := c.Err; err != nil {
			c.Err = nil
			return c, err
		}
		return c, nil
	}
	recorder, err := s.open()
	if err != nil {
		return effect.Completion{}, err
	}
	return recorder.Complete(ctx, p)
}

// take gives a reply that an earlier run left, once.
func (s *LLM) take(p effect.Prompt) (effect.Completion, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := cassette.Key(p)
	list := s.left[key]
	if len(list) == 0 {
		return effect.Completion{}, false
	}
	s.left[key] = list[1:]
	return list[0], true
}

func (s *LLM) open() (*cassette.Recorder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recorder == nil && s.err == nil {
		s.recorder, s.err = cassette.Record(s.llm, s.path)
	}
	return s.recorder, s.err
}

// Close ends the run: after one that did well the file is removed, else it is
// left for the next.
func (s *LLM) Close(well bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.recorder != nil {
		err = s.recorder.Close()
		s.recorder = nil
	}
	if well && err == nil {
		err = Remove(s.path)
	}
	return err
}

// Remove deletes the file of a spool, if there is one.
func Remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the replies that were kept: %w", err)
	}
	return nil
}
