// Package probe adds verbs to an engine with which the host's tests put it
// through its paces: effects of every kind, and every way in which an instance
// can end. It is built into native test engines and, with the tag probe, into
// test plugins; nothing else may use it.
package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/flow"
)

// Request is what the verbs take.
type Request struct {
	Bank  string `json:"bank"`
	Text  string `json:"text,omitempty"`
	Count int    `json:"count,omitempty"`
}

// prober holds what one instance knows.
type prober struct {
	next flow.Call
	used int      // calls that it served
	kept [][]byte // what alloc holds on to
}

// Wrap gives the engine's verbs with the probes added.
func Wrap(next flow.Call) flow.Call {
	p := &prober{next: next}
	return p.call
}

func (p *prober) call(ctx context.Context, port effect.Port, verb string, request []byte) (json.RawMessage, error) {
	used := p.used
	p.used++
	probes := map[string]func(context.Context, effect.Client, Request) (any, error){
		"probe_echo":    echo,
		"probe_effects": effects,
		"probe_models":  models,
		"probe_panic":   func(_ context.Context, _ effect.Client, r Request) (any, error) { panic("secret " + r.Text) },
		"probe_deaf":    deaf,
		"probe_alloc":   p.alloc,
		"probe_overflow": func(_ context.Context, _ effect.Client, r Request) (any, error) {
			return overflow(r.Count), nil
		},
		"probe_exit": func(context.Context, effect.Client, Request) (any, error) { os.Exit(3); return nil, nil },
		"probe_lock": func(context.Context, effect.Client, Request) (any, error) { select {} },
		// exit_used writes and asks first, and ends an instance unless it is fresh.
		"probe_exit_used": func(ctx context.Context, c effect.Client, r Request) (any, error) {
			out, err := effects(ctx, c, r)
			if err == nil && used > 0 {
				os.Exit(3)
			}
			return out, err
		},
	}
	probe, ok := probes[verb]
	if !ok {
		return p.next(ctx, port, verb, request)
	}
	var r Request
	if err := json.Unmarshal(request, &r); err != nil {
		return nil, effect.Errorf(effect.InvalidArgument, "%s: the request has a field of the wrong type", verb)
	}
	out, err := probe(ctx, effect.Client{Port: port, Bank: r.Bank}, r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

func echo(_ context.Context, _ effect.Client, r Request) (any, error) { return r, nil }

// effects asks for one effect of each kind and tells what came back.
func effects(ctx context.Context, c effect.Client, r Request) (any, error) {
	got := map[string]any{}
	values, version, err := c.Get(ctx, []byte("key\x00\xff"), []byte("absent"))
	if err != nil {
		return nil, err
	}
	got["before"], got["absent"] = string(values[0]), values[1] == nil
	next := version + "+"
	ok, current, err := c.Commit(ctx, version, next, []effect.Write{{Key: []byte("key\x00\xff"), Value: []byte(r.Text)}})
	if err != nil {
		return nil, err
	}
	got["committed"], got["version"] = ok, current
	completions, err := c.Complete(ctx, []effect.Prompt{{Stage: "probe", User: r.Text}, {Stage: "probe", User: "<" + r.Text + ">"}})
	if err != nil {
		return nil, err
	}
	got["completions"] = completions
	vectors, err := c.Embed(ctx, []string{r.Text}, "document")
	if err != nil {
		return nil, err
	}
	got["vector"] = fmt.Sprint(vectors.Row(0))
	entries, more, _, err := c.Scan(ctx, []byte("k"), nil, 10)
	if err != nil {
		return nil, err
	}
	got["entries"], got["more"] = len(entries), more
	if err := c.Progress(ctx, "probe", 1, 1); err != nil {
		return nil, err
	}
	return got, nil
}

// models asks a model so many times, one after another.
func models(ctx context.Context, c effect.Client, r Request) (any, error) {
	var texts []string
	for i := range r.Count {
		out, err := c.Complete(ctx, []effect.Prompt{{Stage: "probe", User: fmt.Sprint(r.Text, i)}})
		if err != nil {
			return nil, err
		}
		if out[0].Err != nil {
			return nil, out[0].Err
		}
		texts = append(texts, out[0].Text)
	}
	return texts, nil
}

// deaf goes on asking whatever it is told.
func deaf(ctx context.Context, c effect.Client, _ Request) (any, error) {
	for {
		c.Complete(ctx, []effect.Prompt{{Stage: "probe", User: "again"}})
	}
}

// alloc holds on to so many megabytes.
func (p *prober) alloc(_ context.Context, _ effect.Client, r Request) (any, error) {
	for range r.Count {
		b := make([]byte, 1<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		p.kept = append(p.kept, b)
	}
	return len(p.kept), nil
}

func overflow(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + overflow(n-1)
}
