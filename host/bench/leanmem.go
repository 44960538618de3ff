package bench

import (
	"context"
	"errors"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/read"
	"github.com/leanmem/leanmem/core/text"
	"github.com/leanmem/leanmem/host"
	"github.com/leanmem/leanmem/host/dialogue"
	"github.com/leanmem/leanmem/host/meter"
)

// Opened is a host over an empty store.
type Opened struct {
	Host  *host.Host
	Meter *meter.Meter
	Close func() error
}

// Opener opens one for the methods of leanmem.
type Opener func(ctx context.Context) (Opened, error)

// LeanMem is leanmem with stages or terms switched off.
func LeanMem(name string, group Group, open Opener, off ...string) Method {
	return leanMem(name, group, open, mem.Options{Off: off})
}

// Unfused is leanmem by the paper's protocol: a scheduling call a segment, then
// an event or a gist call. Without a model it is leanmem itself.
func Unfused(open Opener, off ...string) Method {
	fused := false
	return leanMem("leanmem unfused", Whole, open, mem.Options{Off: off, Fused: &fused})
}

func leanMem(name string, group Group, open Opener, o mem.Options) Method {
	return Method{Name: name, Group: group, Build: func(ctx context.Context, sessions []core.InputSession) (Memory, error) {
		return buildBank(ctx, open, o, sessions)
	}}
}

// Ablations are leanmem with each of the paper's stages off.
func Ablations(open Opener) []Method {
	var out []Method
	for _, s := range mem.Stages {
		out = append(out, LeanMem("w/o "+s, Ablation, open, s))
	}
	return out
}

// TermsOff are leanmem with each retrieval term off.
func TermsOff(open Opener) []Method {
	var out []Method
	for _, t := range read.Terms {
		out = append(out, LeanMem("w/o term "+t, Term, open, t))
	}
	return out
}

// bankName is the one bank of a host that is measured.
const bankName = "bench"

type bankMemory struct {
	Opened
	options mem.Options
	last    time.Time // of the history: questions without a time are asked then
	built   Cost
}

func buildBank(ctx context.Context, open Opener, options mem.Options, sessions []core.InputSession) (Memory, error) {
	o, err := open(ctx)
	if err != nil {
		return nil, err
	}
	b := &bankMemory{Opened: o, options: options, last: lastTime(sessions)}
	b.built.Usage = map[string]mem.Usage{}
	start := time.Now()
	o.Meter.Take(0)
	r, err := o.Host.Add(ctx, core.AddRequest{Call: b.call(), Sessions: sessions})
	if err == nil && r.Stopped != nil {
		err = r.Stopped
	}
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	b.built = Cost{MS: o.Meter.Take(time.Since(start)), Usage: r.Usage}
	return b, nil
}

func lastTime(sessions []core.InputSession) time.Time {
	var last time.Time
	for _, s := range sessions {
		if at, err := text.ParseStamp(s.Time); err == nil && at.After(last) {
			last = at
		}
	}
	return last
}

func (b *bankMemory) call() core.Call {
	return core.Call{Bank: bankName, Now: b.last, Options: b.options}
}

func (b *bankMemory) Built() Cost  { return b.built }
func (b *bankMemory) Close() error { return b.Opened.Close() }

func (b *bankMemory) Evidence(ctx context.Context, q dialogue.Question, budget int) (Evidence, Cost, error) {
	query := mem.Query{Text: q.Text, Budget: budget}
	if at, err := text.ParseStamp(q.Time); err == nil {
		query.Time = at
	}
	b.Meter.Take(0)
	start := time.Now()
	r, err := b.Host.Search(ctx, core.SearchRequest{Call: b.call(), Query: query})
	if err != nil {
		return Evidence{}, Cost{}, err
	}
	cost := Cost{MS: b.Meter.Take(time.Since(start)), Usage: r.Usage}
	return Evidence{Text: r.Text, Items: r.Items, Confidence: &r.Confidence, Sufficient: r.Sufficient}, cost, nil
}
