// Package meter measures where the time of a call goes: the store, the
// embedder, the language model, and what is left for leanmem's own code. It
// wraps a hostfuncs.Set and changes nothing of what passes through.
package meter

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// Meter gathers the time spent in effects since the last Take.
type Meter struct {
	store, embed, llm, tag atomic.Int64 // nanoseconds
}

// Split is where the milliseconds of a call went. Effects that run in parallel
// count for each, so that Own can fall short; it is never negative.
type Split struct {
	Total float64 `json:"total"`
	Own   float64 `json:"own"`
	Store float64 `json:"store"`
	Embed float64 `json:"embed"`
	LLM   float64 `json:"llm"`
}

// Plus adds two splits.
func (s Split) Plus(t Split) Split {
	return Split{s.Total + t.Total, s.Own + t.Own, s.Store + t.Store, s.Embed + t.Embed, s.LLM + t.LLM}
}

// Wrap returns the set with a meter in front of what it supplies.
func Wrap(set hostfuncs.Set) (hostfuncs.Set, *Meter) {
	m := &Meter{}
	if set.Store != nil {
		set.Store = store{set.Store, m}
	}
	if set.Embedder != nil {
		set.Embedder = embedder{set.Embedder, m}
	}
	if set.LLM != nil {
		set.LLM = llm{set.LLM, m}
	}
	if set.Tagger != nil {
		set.Tagger = tagger{set.Tagger, m}
	}
	return set, m
}

// Take gives the split of a call that took total, and starts anew.
func (m *Meter) Take(total time.Duration) Split {
	s := Split{
		Total: ms(int64(total)), Store: ms(m.store.Swap(0)),
		Embed: ms(m.embed.Swap(0) + m.tag.Swap(0)), LLM: ms(m.llm.Swap(0)),
	}
	s.Own = round(max(0, s.Total-s.Store-s.Embed-s.LLM))
	return s
}

func ms(ns int64) float64 { return round(float64(ns) / 1e6) }

func round(v float64) float64 { return float64(int64(v*1000+0.5)) / 1000 }

func spent(to *atomic.Int64, since time.Time) { to.Add(int64(time.Since(since))) }

type store struct {
	hostfuncs.Store
	m *Meter
}

func (s store) Get(ctx context.Context, bank string, keys [][]byte) ([][]byte, string, error) {
	defer spent(&s.m.store, time.Now())
	return s.Store.Get(ctx, bank, keys)
}

func (s store) Scan(ctx context.Context, bank string, prefix, after []byte, limit int) (hostfuncs.Page, error) {
	defer spent(&s.m.store, time.Now())
	return s.Store.Scan(ctx, bank, prefix, after, limit)
}

func (s store) Commit(ctx context.Context, bank, expected, version string, writes []effect.Write) (bool, string, error) {
	defer spent(&s.m.store, time.Now())
	return s.Store.Commit(ctx, bank, expected, version, writes)
}

// Compact passes through to a store that can.
func (s store) Compact(ctx context.Context) error {
	if c, ok := s.Store.(hostfuncs.Compacter); ok {
		defer spent(&s.m.store, time.Now())
		return c.Compact(ctx)
	}
	return nil
}

type embedder struct {
	hostfuncs.Embedder
	m *Meter
}

func (e embedder) Embed(ctx context.Context, texts []string, purpose string) (effect.Vectors, error) {
	defer spent(&e.m.embed, time.Now())
	return e.Embedder.Embed(ctx, texts, purpose)
}

type llm struct {
	hostfuncs.LLM
	m *Meter
}

func (l llm) Complete(ctx context.Context, p effect.Prompt) (effect.Completion, error) {
	defer spent(&l.m.llm, time.Now())
	return l.LLM.Complete(ctx, p)
}

type tagger struct {
	hostfuncs.Tagger
	m *Meter
}

func (t tagger) Tag(ctx context.Context, texts []string) ([][]effect.Entity, error) {
	defer spent(&t.m.tag, time.Now())
	return t.Tagger.Tag(ctx, texts)
}
