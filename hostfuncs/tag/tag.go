// Package tag finds the entities of texts with a server: a JSON object with the
// texts is posted, and a list of entities for each comes back. GLiNER and its
// like stand behind such a server in a few lines of any language.
//
//	→ {"texts": ["Ana moved to Lima"], "labels": ["person", "place"]}
//	← {"entities": [[{"text": "Ana", "label": "person", "start": 0, "end": 3}]]}
//
// It may not trust what comes back: an entity must stand in its text.
package tag

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/internal/openai"
)

// Options of New. Zero values are the defaults named beside them.
type Options struct {
	URL         string        // required
	Key         string        // sent as bearer token; never logged, never in an error
	Labels      []string      // sent along; none
	BatchTexts  int           // texts of one request: 64
	Timeout     time.Duration // of one attempt: 30 seconds; negative: the caller's deadline alone
	Concurrency int           // requests at once over all callers: 4
	MaxRetries  int           // further attempts: 2; negative: none
	Backoff     time.Duration // the first wait: 500 ms
	Transport   http.RoundTripper
}

func (o Options) config() openai.Config {
	return openai.Config{
		BaseURL: o.URL, Key: o.Key, Timeout: o.Timeout, Concurrency: o.Concurrency,
		MaxRetries: o.MaxRetries, MaxWait: 30 * time.Second, Backoff: o.Backoff, Transport: o.Transport,
		Failed: effect.TagFailed, TimedOut: effect.Deadline,
	}
}

// String tells the server without the key.
func (o Options) String() string { return fmt.Sprintf("tagger, %v", o.config()) }

// GoString keeps %#v from showing the key.
func (o Options) GoString() string { return o.String() }

// Tagger is a hostfuncs.Tagger.
type Tagger struct {
	opts   Options
	client *openai.Client
}

var _ hostfuncs.Tagger = (*Tagger)(nil)

// New returns a provider. It does not talk to the server yet.
func New(o Options) (*Tagger, error) {
	if o.URL == "" {
		return nil, effect.Errorf(effect.InvalidArgument, "a tagger needs the URL of its server")
	}
	if o.BatchTexts <= 0 {
		o.BatchTexts = 64
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Concurrency <= 0 {
		o.Concurrency = 4
	}
	if o.MaxRetries == 0 {
		o.MaxRetries = 2
	}
	client, err := openai.New(o.config())
	if err != nil {
		return nil, err
	}
	return &Tagger{opts: o, client: client}, nil
}

// String tells the server without the key.
func (t *Tagger) String() string { return t.opts.String() }

// GoString keeps %#v from showing the key.
func (t *Tagger) GoString() string { return t.opts.String() }

type request struct {
	Texts  []string `json:"texts"`
	Labels []string `json:"labels,omitempty"`
}

type answer struct {
	Entities [][]effect.Entity `json:"entities"`
}

// Tag implements hostfuncs.Tagger.
func (t *Tagger) Tag(ctx context.Context, texts []string) ([][]effect.Entity, error) {
	out := make([][]effect.Entity, 0, len(texts))
	for from := 0; from < len(texts); from += t.opts.BatchTexts {
		batch := texts[from:min(len(texts), from+t.opts.BatchTexts)]
		var a answer
		err := t.client.Do(ctx, "tag texts", batch, func(ctx context.Context) error {
			a = answer{}
			if err := t.client.Post(ctx, request{batch, t.opts.Labels}, &a); err != nil {
				return err
			}
			if len(a.Entities) != len(batch) {
				return effect.Errorf(effect.TagFailed, "tag texts: %d lists for %d texts", len(a.Entities), len(batch))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for i, list := range a.Entities {
			out = append(out, Place(batch[i], list))
		}
	}
	return out, nil
}

// Place returns the entities that stand in the text, with the byte offsets at
// which they do. A server may count characters instead of bytes, or give no
// offsets; an entity that is not in the text is dropped.
func Place(text string, entities []effect.Entity) []effect.Entity {
	out := []effect.Entity{}
	for _, e := range entities {
		if e.Text == "" && e.Start >= 0 && e.Start < e.End && e.End <= len(text) && utf8.ValidString(text[e.Start:e.End]) {
			e.Text = text[e.Start:e.End]
		}
		if e.Text == "" {
			continue
		}
		if start, ok := find(text, e); ok {
			e.Start, e.End = start, start+len(e.Text)
			out = append(out, e)
		}
	}
	return out
}

func find(text string, e effect.Entity) (int, bool) {
	at := func(start int) bool {
		return start >= 0 && start <= len(text) && strings.HasPrefix(text[start:], e.Text)
	}
	if at(e.Start) && e.End-e.Start == len(e.Text) {
		return e.Start, true
	}
	n := 0
	for i := range text {
		if n == e.Start {
			if at(i) {
				return i, true
			}
			break
		}
		n++
	}
	i := strings.Index(text, e.Text)
	return i, i >= 0
}
