// Package embed embeds texts with any server that has OpenAI's embeddings
// interface. It may not decide what is embedded; it checks what comes back,
// since servers reorder, shorten, and ignore the dimensions they are asked for.
package embed

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	api "github.com/sashabaranov/go-openai"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/internal/openai"
)

// Options of New. Zero values are the defaults named beside them.
type Options struct {
	BaseURL     string        // https://api.openai.com/v1
	Key         string        // never logged, never in an error
	Model       string        // required
	Dimensions  int           // asked for and checked; 0: whatever the first reply has
	BatchTexts  int           // texts of one request: 128
	BatchTokens int           // estimated tokens of one request: 8,000
	Timeout     time.Duration // of one attempt: 90 seconds; negative: the caller's deadline alone
	Concurrency int           // requests at once over all callers: 8
	MaxRetries  int           // further attempts: 4; negative: none
	MaxWait     time.Duration // for all waiting of one request: 1 minute
	Backoff     time.Duration // the first wait: 500 ms
	// QueryPrefix and DocumentPrefix precede each text for models that were
	// trained so, such as "query: " and "passage: ".
	QueryPrefix, DocumentPrefix string
	Transport                   http.RoundTripper
}

func (o Options) config() openai.Config {
	return openai.Config{
		BaseURL: o.BaseURL, Key: o.Key, Timeout: o.Timeout, Concurrency: o.Concurrency,
		MaxRetries: o.MaxRetries, MaxWait: o.MaxWait, Backoff: o.Backoff, MaxBody: 256 << 20, Transport: o.Transport,
		Failed: effect.EmbedFailed, TimedOut: effect.Deadline,
	}
}

// String tells model and server without the key.
func (o Options) String() string { return fmt.Sprintf("embedder %s, %v", o.Model, o.config()) }

// GoString keeps %#v from showing the key.
func (o Options) GoString() string { return o.String() }

// Embedder is a hostfuncs.Embedder.
type Embedder struct {
	opts   Options
	client *openai.Client

	mu   sync.Mutex
	dims int // of every vector so far
}

var _ hostfuncs.Embedder = (*Embedder)(nil)

// New returns a provider. It does not talk to the server yet.
func New(o Options) (*Embedder, error) {
	if o.Model == "" || o.Dimensions < 0 {
		return nil, effect.Errorf(effect.InvalidArgument, "an embedder needs a model name and no negative dimensions")
	}
	if o.BatchTexts <= 0 {
		o.BatchTexts = 128
	}
	if o.BatchTokens <= 0 {
		o.BatchTokens = 8000
	}
	client, err := openai.New(o.config())
	if err != nil {
		return nil, err
	}
	return &Embedder{opts: o, client: client, dims: o.Dimensions}, nil
}

// Model is the name under which a bank remembers the embedder.
func (e *Embedder) Model() string { return "host:" + e.opts.Model }

// String tells model and server without the key.
func (e *Embedder) String() string { return e.opts.String() }

// GoString keeps %#v from showing the key.
func (e *Embedder) GoString() string { return e.opts.String() }

// Embed implements hostfuncs.Embedder. Requests of one call run in parallel.
func (e *Embedder) Embed(ctx context.Context, texts []string, purpose string) (effect.Vectors, error) {
	if len(texts) == 0 {
		return effect.Vectors{Model: e.Model()}, nil
	}
	inputs := e.inputs(texts, purpose)
	rows := make([][]float32, len(texts))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	var once sync.Once
	var failed error
	for _, b := range batches(inputs, e.opts.BatchTexts, e.opts.BatchTokens) {
		wg.Go(func() {
			if err := e.batch(ctx, inputs[b.from:b.to], rows[b.from:b.to]); err != nil {
				once.Do(func() {
					failed = err
					cancel(err) // the other requests would be paid for in vain
				})
			}
		})
	}
	wg.Wait()
	if failed != nil {
		return effect.Vectors{}, failed
	}
	return e.join(rows)
}

func (e *Embedder) inputs(texts []string, purpose string) []string {
	prefix := e.opts.DocumentPrefix
	if purpose == "query" {
		prefix = e.opts.QueryPrefix
	}
	out := make([]string, len(texts))
	for i, t := range texts {
		if out[i] = prefix + t; out[i] == "" {
			out[i] = " " // servers refuse an empty text
		}
	}
	return out
}

// span is a run of texts that one request carries.
type span struct{ from, to int }

// batches splits texts so that none of the requests is over its limits, unless
// one text alone is.
func batches(texts []string, count, tokens int) (out []span) {
	from, sum := 0, 0
	for i, t := range texts {
		n := openai.Estimate(t)
		if i > from && (i-from == count || sum+n > tokens) {
			out = append(out, span{from, i})
			from, sum = i, 0
		}
		sum += n
	}
	return append(out, span{from, len(texts)})
}

// batch embeds texts with one request, or with smaller ones if the server finds
// it too large.
func (e *Embedder) batch(ctx context.Context, texts []string, rows [][]float32) error {
	err := e.client.Do(ctx, "embed texts", texts, func(ctx context.Context) error {
		resp, err := e.client.API.CreateEmbeddings(ctx, api.EmbeddingRequest{
			Input: texts, Model: api.EmbeddingModel(e.opts.Model), Dimensions: e.opts.Dimensions,
			EncodingFormat: api.EmbeddingEncodingFormatFloat,
		})
		if err != nil {
			return err
		}
		return e.place(resp.Data, rows)
	})
	if err == nil {
		return nil
	}
	if err.Code == effect.ContextLength && len(texts) > 1 {
		half := len(texts) / 2
		if err := e.batch(ctx, texts[:half], rows[:half]); err != nil {
			return err
		}
		return e.batch(ctx, texts[half:], rows[half:])
	}
	return err
}

// place puts vectors where their index says, and checks each.
func (e *Embedder) place(data []api.Embedding, rows [][]float32) error {
	if len(data) != len(rows) {
		return effect.Errorf(effect.EmbedFailed, "embed texts: %d vectors for %d texts", len(data), len(rows))
	}
	clear(rows)
	for _, d := range data {
		if d.Index < 0 || d.Index >= len(rows) || rows[d.Index] != nil {
			return effect.Errorf(effect.EmbedFailed, "embed texts: the server numbers its %d vectors wrongly", len(data))
		}
		if err := e.check(d.Embedding); err != nil {
			return err
		}
		rows[d.Index] = d.Embedding
	}
	return nil
}

// check brings a vector to unit length and refuses one that has none.
func (e *Embedder) check(v []float32) error {
	e.mu.Lock()
	if e.dims == 0 {
		e.dims = len(v)
	}
	dims := e.dims
	e.mu.Unlock()
	if len(v) != dims || dims == 0 {
		return effect.Errorf(effect.EmbedFailed, "embed texts: model %s gave a vector of %d dimensions, expected %d", e.opts.Model, len(v), dims)
	}
	sum := 0.0
	for _, f := range v {
		sum += float64(float64(f) * float64(f))
	}
	length := math.Sqrt(sum)
	if math.IsNaN(length) || math.IsInf(length, 0) {
		return effect.Errorf(effect.EmbedFailed, "embed texts: model %s gave a vector with a number that is not finite", e.opts.Model)
	}
	if length < 1e-12 {
		return effect.Errorf(effect.EmbedFailed, "embed texts: model %s gave a vector of length zero", e.opts.Model)
	}
	// Rounding alone is left as it is, so that a vector stays what it was.
	if math.Abs(length-1) > 1e-6 {
		for i, f := range v {
			v[i] = float32(float64(f) / length)
		}
	}
	return nil
}

func (e *Embedder) join(rows [][]float32) (effect.Vectors, error) {
	v := effect.Vectors{Model: e.Model(), Dims: len(rows[0])}
	v.Data = make([]float32, 0, len(rows)*v.Dims)
	for _, r := range rows {
		v.Data = append(v.Data, r...)
	}
	return v, nil
}
