package core

import (
	"context"
	"fmt"
	"maps"
	"strconv"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

func itoa(n int) string { return strconv.Itoa(n) }

// maxFieldBytes is the longest value, state or gist that a caller may write.
const maxFieldBytes = 16 << 10

// update corrects a memory; its earlier wording is kept among its revisions.
func (e *Engine) update(ctx context.Context, o *opened, q *UpdateRequest) (*UpdateResult, error) {
	if err := o.exists(); err != nil {
		return nil, err
	}
	if err := o.compatible(); err != nil {
		return nil, err
	}
	vectors, err := o.updateVectors(ctx, q)
	if err != nil {
		return nil, err
	}
	err = o.Commit(ctx, func(s *bank.Snapshot) (*bank.Change, error) {
		m, err := revised(s, q, o)
		if err != nil {
			return nil, err
		}
		return &bank.Change{Memories: []mem.Memory{m}, Vectors: vectors}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("memory %.80q: %w", q.ID, err)
	}
	row, ok := o.Snapshot().Find(q.ID)
	if !ok {
		return nil, effect.Errorf(effect.NotFound, "no memory has the id %.80q", q.ID)
	}
	return &UpdateResult{Entry: newViewer(o).entry(row), Outcome: o.outcome()}, nil
}

// revised gives the memory as the request wants it.
func revised(s *bank.Snapshot, q *UpdateRequest, o *opened) (mem.Memory, error) {
	row, ok := s.Find(q.ID)
	if !ok {
		return mem.Memory{}, effect.Errorf(effect.NotFound, "no memory has that id")
	}
	if s.Row(row).Kind == mem.KindTurn {
		return mem.Memory{}, effect.Errorf(effect.InvalidArgument, "it is a turn: what was said is not changed; delete it, or add what is right")
	}
	m := s.MemoryAt(row)
	before := m.Text()
	if err := reword(&m, q); err != nil {
		return m, err
	}
	if m.Text() != before {
		m.Path = mem.User
		m.Revisions = append(m.Revisions[:len(m.Revisions):len(m.Revisions)], mem.Revision{Text: before, Until: o.run.Now})
	}
	if q.Labels != nil {
		m.Labels = maps.Clone(q.Labels)
	}
	if q.Expires != nil {
		m.Expires = *q.Expires
	}
	return m, nil
}

// reword gives a memory the value, state or gist that is asked for.
func reword(m *mem.Memory, q *UpdateRequest) error {
	for _, f := range []struct {
		name string
		to   *string
		set  func(string) bool
	}{
		{"value", q.Value, func(v string) bool {
			if m.Profile == nil {
				return false
			}
			p := *m.Profile
			p.Value, m.Profile = v, &p
			return true
		}},
		{"state", q.State, func(v string) bool {
			if m.Event == nil {
				return false
			}
			ev := *m.Event
			ev.State, m.Event = v, &ev
			return true
		}},
		{"gist", q.Gist, func(v string) bool {
			if m.Record == nil {
				return false
			}
			r := *m.Record
			r.Gist, m.Record = v, &r
			return true
		}},
	} {
		if f.to == nil {
			continue
		}
		if *f.to == "" || len(*f.to) > maxFieldBytes {
			return effect.Errorf(effect.InvalidArgument, "%s of %d bytes: it takes 1 to %d", f.name, len(*f.to), maxFieldBytes)
		}
		if !f.set(*f.to) {
			return effect.Errorf(effect.InvalidArgument, "a %s has no %s", m.Kind, f.name)
		}
	}
	return nil
}

// updateVectors embeds the new wording where the host embeds.
func (o *opened) updateVectors(ctx context.Context, q *UpdateRequest) (map[string][]int8, error) {
	if o.run.Options.Embedder != hostEmbedder {
		return nil, nil
	}
	m, err := revised(o.Snapshot(), q, o)
	if err != nil {
		return nil, err
	}
	return o.embed(ctx, []embedded{{m.ID, []string{bank.MemoryText(m)}}}, o.adopt)
}
