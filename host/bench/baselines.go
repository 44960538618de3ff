package bench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
	"github.com/leanmem/leanmem/host/dialogue"
	"github.com/leanmem/leanmem/host/meter"
	"github.com/leanmem/leanmem/host/tokens"
)

// ragTurns is how many turns naive RAG gives.
const ragTurns = 10

// Vectors embeds texts for the baselines; purpose is "document" or "query".
type Vectors func(ctx context.Context, texts []string, purpose string) ([][]float32, error)

// Baselines are the methods that leanmem is compared with. Without an embedder
// naive RAG ranks by words, and dense retrieval is left out.
func Baselines(embed Vectors) []Method {
	list := []Method{
		{Name: "full text", Group: Baseline, OwnSize: true, Build: build(nil, nil, math.MaxInt)},
		{Name: "BM25", Group: Baseline, Build: build(bm25, nil, math.MaxInt)},
		{Name: "BM25 + neighbours", Group: Baseline, Build: build(neighbours(bm25), nil, math.MaxInt)},
	}
	if embed == nil {
		return append(list, Method{Name: "naive RAG (10 turns by words)", Group: Baseline, OwnSize: true, Build: build(bm25, nil, ragTurns)})
	}
	return append(list,
		Method{Name: "dense", Group: Baseline, Build: build(nil, embed, math.MaxInt)},
		Method{Name: "naive RAG (10 turns)", Group: Baseline, OwnSize: true, Build: build(nil, embed, ragTurns)})
}

// scorer scores every turn of a transcript for a question.
type scorer func(question string) []float64

// turns is the memory of a baseline: the turns themselves, ranked by words or
// by vectors; in order where there is neither.
type turns struct {
	said    []Said
	lines   []string
	costs   []int // tokens of each line, counted when first needed
	score   scorer
	embed   Vectors
	vectors [][]float32
	most    int
	built   Cost
}

func build(lexical func([]Said) scorer, embed Vectors, most int) func(context.Context, []core.InputSession) (Memory, error) {
	return func(ctx context.Context, sessions []core.InputSession) (Memory, error) {
		start := time.Now()
		t := &turns{said: NewTranscript(sessions).order, embed: embed, most: most}
		texts := make([]string, len(t.said))
		for i, s := range t.said {
			texts[i] = s.Speaker + ": " + s.Text
			t.lines = append(t.lines, strings.TrimPrefix(texts[i], ": "))
		}
		if lexical != nil {
			t.score = lexical(t.said)
		}
		if embed != nil {
			var err error
			if t.vectors, err = embed(ctx, texts, "document"); err != nil {
				return nil, fmt.Errorf("embed %d turns: %w", len(texts), err)
			}
		}
		spent := float64(time.Since(start)) / 1e6
		t.built.MS = meter.Split{Total: spent, Own: spent}
		return t, nil
	}
}

func (t *turns) Built() Cost  { return t.built }
func (t *turns) Close() error { return nil }

func (t *turns) Evidence(ctx context.Context, q dialogue.Question, budget int) (Evidence, Cost, error) {
	start := time.Now()
	scores, err := t.scores(ctx, q.Text)
	if err != nil {
		return Evidence{}, Cost{}, err
	}
	order := make([]int, len(t.said))
	for i := range order {
		order[i] = i
	}
	if scores != nil {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	}
	chosen := t.fill(order, budget)
	e := t.compose(chosen, scores)
	spent := float64(time.Since(start)) / 1e6
	return e, Cost{MS: meter.Split{Total: spent, Own: spent}}, nil
}

func (t *turns) scores(ctx context.Context, question string) ([]float64, error) {
	if t.score != nil {
		return t.score(question), nil
	}
	if t.embed == nil {
		return nil, nil
	}
	v, err := t.embed(ctx, []string{question}, "query")
	if err != nil {
		return nil, fmt.Errorf("embed a question: %w", err)
	}
	out := make([]float64, len(t.vectors))
	for i, w := range t.vectors {
		for j := range w {
			out[i] += float64(w[j]) * float64(v[0][j])
		}
	}
	return out, nil
}

// fill takes turns in order of rank while they fit; those too long for what is
// left are passed over.
func (t *turns) fill(order []int, budget int) []int {
	if budget <= 0 {
		return order[:min(t.most, len(order))]
	}
	const slack = 2 // of tokens that join across lines
	left := budget - slack
	dated := map[string]bool{}
	var chosen []int
	for _, i := range order {
		cost := t.cost(i)
		key := t.said[i].Session
		if !dated[key] {
			cost += tokens.Count(t.header(i))
		}
		if cost > left {
			if left < 8 {
				break
			}
			continue
		}
		left -= cost
		dated[key] = true
		chosen = append(chosen, i)
	}
	return chosen
}

func (t *turns) cost(i int) int {
	if t.costs == nil {
		t.costs = make([]int, len(t.lines))
	}
	if t.costs[i] == 0 {
		t.costs[i] = tokens.Count(t.lines[i] + "\n")
	}
	return t.costs[i]
}

func (t *turns) header(i int) string { return "\n" + t.said[i].Date + "\n" }

// compose writes the turns in the order of the dialogue, one date header a
// session.
func (t *turns) compose(chosen []int, scores []float64) Evidence {
	chosen = slices.Clone(chosen)
	slices.Sort(chosen)
	var b strings.Builder
	var e Evidence
	session := ""
	for n, i := range chosen {
		s := t.said[i]
		if n == 0 || s.Session != session {
			b.WriteString(t.header(i))
			session = s.Session
		}
		b.WriteString(t.lines[i] + "\n")
		item := mem.Item{ID: s.ID, Kind: mem.KindTurn, Text: s.Text, Sources: []string{s.ID}, Date: s.Date, Speaker: s.Speaker}
		if scores != nil {
			item.Score = scores[i]
		}
		e.Items = append(e.Items, item)
	}
	e.Text = strings.TrimPrefix(b.String(), "\n")
	return e
}

// BM25's usual parameters.
const k1, b75 = 1.2, 0.75

// terms are the stems of a text's words, stop words out.
func terms(s string) []string {
	var out []string
	for _, w := range text.Words(s) {
		if !text.Stop(w) {
			out = append(out, text.Stem(w))
		}
	}
	return out
}

// bm25 is plain BM25 over turns with their speakers, stop words out.
func bm25(said []Said) scorer {
	type posting struct {
		turn  int
		count float64
	}
	index := map[string][]posting{}
	lengths := make([]float64, len(said))
	total := 0.0
	for i, s := range said {
		counts := map[string]float64{}
		for _, w := range terms(s.Speaker + " " + s.Text) {
			counts[w]++
			lengths[i]++
		}
		total += lengths[i]
		for w, n := range counts {
			index[w] = append(index[w], posting{i, n})
		}
	}
	mean := total / math.Max(1, float64(len(said)))
	return func(question string) []float64 {
		out := make([]float64, len(said))
		for _, w := range terms(question) {
			found := index[w]
			idf := math.Log(1 + (float64(len(said))-float64(len(found))+0.5)/(float64(len(found))+0.5))
			for _, p := range found {
				out[p.turn] += idf * p.count * (k1 + 1) / (p.count + k1*(1-b75+b75*lengths[p.turn]/mean))
			}
		}
		return out
	}
}

// neighbourShare is how much of a neighbour's score a turn gets: a question is
// often asked in one turn and answered in the next.
const neighbourShare = 0.4

func neighbours(lexical func([]Said) scorer) func([]Said) scorer {
	return func(said []Said) scorer {
		own := lexical(said)
		return func(question string) []float64 {
			scores := own(question)
			out := slices.Clone(scores)
			for i := range said {
				for _, j := range []int{i - 1, i + 1} {
					if j >= 0 && j < len(said) && said[j].Session == said[i].Session {
						out[i] += neighbourShare * scores[j]
					}
				}
			}
			return out
		}
	}
}
