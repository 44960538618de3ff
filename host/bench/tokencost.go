package bench

import (
	"context"
	"errors"
	"slices"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
	"github.com/leanmem/leanmem/host"
	"github.com/leanmem/leanmem/host/dialogue"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

// TokenWay is one way of building memory whose tokens are measured.
type TokenWay struct {
	Name    string
	Unfused bool // the paper's protocol
	Parts   bool // session by session instead of all at once
	Rules   bool // without a model, to compare what is kept
}

// TokenWays are those of the table.
var TokenWays = []TokenWay{
	{Name: "whole history at once"},
	{Name: "session by session", Parts: true},
	{Name: "paper's protocol, at once", Unfused: true},
	{Name: "paper's protocol, by session", Unfused: true, Parts: true},
	{Name: "rules alone", Rules: true},
}

// TokenBuild is what building memory of one history took.
type TokenBuild struct {
	History  string               `json:"history"`
	Way      string               `json:"way"`
	Stages   map[string]mem.Usage `json:"stages"`
	Memories map[string]int       `json:"memories"`
	Shown    int                  `json:"segments_shown"` // to the model
	Written  int                  `json:"memories_written"`
}

// Total is the usage of all stages.
func (b TokenBuild) Total() mem.Usage {
	l := mem.Ledger{Usage: b.Stages}
	return l.Total()
}

// TokenAnswers is what answering the questions of one history took.
type TokenAnswers struct {
	History    string    `json:"history"`
	Budget     int       `json:"budget"`
	Questions  int       `json:"questions"`
	Planned    int       `json:"planned"` // by the model
	Usage      mem.Usage `json:"usage"`   // plan and answer: the answer's prompt holds the evidence
	TextRecall []float64 `json:"-"`
}

// MeasureBuild builds memory of a history with the rule model.
func MeasureBuild(ctx context.Context, h *dialogue.History, way TokenWay, schemas bool) (b TokenBuild, err error) {
	model := &RuleModel{Schemas: schemas}
	m, err := openToken(ctx, h, way, model)
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, m.host.Close()) }()
	stats, err := m.host.Stats(ctx, m.call)
	if err != nil {
		return b, err
	}
	b = TokenBuild{History: h.Name, Way: way.Name, Stages: stats.Totals, Memories: stats.Counts}
	b.Shown, b.Written = model.Seen()
	if way.Unfused {
		b.Shown = b.Stages["schedule"].Calls
	}
	return b, nil
}

// MeasureAnswers answers the questions of a history at each budget.
func MeasureAnswers(ctx context.Context, h *dialogue.History, budgets []int, schemas bool) (out []TokenAnswers, err error) {
	m, err := openToken(ctx, h, TokenWay{}, &RuleModel{Schemas: schemas})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.host.Close()) }()
	transcript := NewTranscript(h.Sessions)
	for _, budget := range budgets {
		a := TokenAnswers{History: h.Name, Budget: budget}
		for _, q := range h.Questions {
			if q.Absent {
				continue
			}
			query := mem.Query{Text: q.Text, Budget: budget}
			if at, err := text.ParseStamp(q.Time); err == nil {
				query.Time = at
			}
			r, err := m.host.Answer(ctx, core.AnswerRequest{Call: m.call, Query: query})
			if err != nil {
				return nil, err
			}
			a.Questions++
			if r.Usage["plan"].Calls > 0 {
				a.Planned++
			}
			for _, u := range r.Usage { // a sum: order does not matter
				a.Usage = a.Usage.Plus(u)
			}
			e := Evidence{Text: r.Evidence.Text, Items: r.Evidence.Items}
			if s := Score(Key{Budget: budget}, q, transcript, e); s.TextRecall != nil {
				a.TextRecall = append(a.TextRecall, *s.TextRecall)
			}
		}
		out = append(out, a)
	}
	return out, nil
}

type tokenMemory struct {
	host *host.Host
	call core.Call
}

// openToken builds the memory, evolution included.
func openToken(ctx context.Context, h *dialogue.History, way TokenWay, model hostfuncs.LLM) (m tokenMemory, err error) {
	set := hostfuncs.Set{Store: memory.New()}
	options := mem.Options{Model: "rules"}
	if !way.Rules {
		set.LLM = model
	}
	if way.Unfused {
		fused := false
		options.Fused = &fused
	}
	m.host, err = host.Open(ctx, host.Config{Set: set, Options: options})
	if err != nil {
		return m, err
	}
	m.call = core.Call{Bank: bankName, Now: lastTime(h.Sessions)}
	parts := [][]core.InputSession{h.Sessions}
	if way.Parts {
		parts = slices.Collect(slices.Chunk(h.Sessions, 1))
	}
	for _, sessions := range parts {
		sessions = slices.Clone(sessions)
		for i := range sessions {
			sessions[i].Close = true
		}
		r, err := m.host.Add(ctx, core.AddRequest{Call: m.call, Sessions: sessions})
		if err == nil && r.Stopped != nil {
			err = r.Stopped
		}
		if err != nil {
			return m, errors.Join(err, m.host.Close())
		}
	}
	if _, err := m.host.Evolve(ctx, core.EvolveRequest{Call: m.call}); err != nil {
		return m, errors.Join(err, m.host.Close())
	}
	return m, nil
}
