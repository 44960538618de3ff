package bench

import (
	"context"
	"fmt"
	"math"

	"github.com/leanmem/leanmem/core/embed"
	"github.com/leanmem/leanmem/hostfuncs"
)

// embedBatch is how many texts a provider is asked for at once.
const embedBatch = 128

// EmbedderOf gives the embedder of the baselines: the host's where there is
// one, else the built-in table; nil where that covers nothing.
func EmbedderOf(e hostfuncs.Embedder) Vectors {
	if e != nil {
		return func(ctx context.Context, texts []string, purpose string) ([][]float32, error) {
			return ask(ctx, e, texts, purpose)
		}
	}
	if _, ok := embed.Text("I moved to another town last week."); !ok {
		return nil
	}
	return func(_ context.Context, texts []string, _ string) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i, s := range texts {
			out[i] = builtIn(s)
		}
		return out, nil
	}
}

func ask(ctx context.Context, e hostfuncs.Embedder, texts []string, purpose string) ([][]float32, error) {
	var out [][]float32
	for len(texts) > 0 {
		n := min(embedBatch, len(texts))
		v, err := e.Embed(ctx, texts[:n], purpose)
		if err != nil {
			return nil, err
		}
		if v.Dims <= 0 || len(v.Data) != n*v.Dims {
			return nil, fmt.Errorf("embed: %d numbers of %d dimensions for %d texts", len(v.Data), v.Dims, n)
		}
		for i := range n {
			out = append(out, v.Row(i))
		}
		texts = texts[n:]
	}
	return out, nil
}

// builtIn is the table's vector at unit length; of a text that it does not
// cover all zero, so that it is never near anything.
func builtIn(s string) []float32 {
	v, _ := embed.Text(s)
	out := make([]float32, embed.Dims)
	sum := 0.0
	for i, x := range v {
		out[i] = float32(x)
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return out
	}
	for i := range out {
		out[i] = float32(float64(out[i]) / math.Sqrt(sum))
	}
	return out
}
