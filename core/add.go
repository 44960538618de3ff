package core

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

const (
	maxTurnBytes   = 1 << 20 // of one turn's text, parts, names and labels together
	commitTurns    = 256     // turns stored in one commit, so that long adds show progress and survive a kill
	commitBytes    = 1 << 20
	defaultIdleMin = 60
)

// add stores turns, then derives what is due. The turns are durable and
// findable before anything is derived from them.
func (e *Engine) add(ctx context.Context, o *opened, q *AddRequest) (*AddResult, error) {
	if err := o.compatible(); err != nil {
		return nil, err
	}
	turns, err := intake(o.strategy, q, o.run.Ledger)
	if err != nil {
		return nil, err
	}
	before, owed := countKinds(o.Snapshot()), pending(o.Snapshot())
	res := &AddResult{}
	total := len(turns)
	for len(turns) > 0 {
		n, err := o.store(ctx, turns, res)
		if err != nil {
			return nil, fmt.Errorf("store turns (%d stored so far): %w", res.Added, err)
		}
		turns = turns[n:]
		if err := o.Client().Progress(ctx, "store", total-len(turns), total); err != nil {
			return nil, err
		}
		if n == 0 { // the next turn waits until its session's closed part is settled
			if res.Stopped, err = stopped(o.strategy.Derive(ctx, o.Handle, o.run)); err != nil {
				return nil, fmt.Errorf("derive before a session goes on (%d turns stored so far): %w", res.Added, err)
			}
			o.reopen = res.Stopped != nil
		}
	}
	if !q.Defer {
		if res.Stopped, err = o.settle(ctx); err != nil {
			return nil, fmt.Errorf("%d turns are stored, deriving failed: %w", res.Added, err)
		}
	}
	res.Derived = difference(countKinds(o.Snapshot()), before)
	res.Pending = pending(o.Snapshot())
	res.Settled = max(0, owed+res.Added-res.Pending) // another writer may have added meanwhile
	res.Outcome = o.outcome()
	return res, nil
}

// settle derives what is due and consolidates a full event buffer.
func (o *opened) settle(ctx context.Context) (*effect.Error, error) {
	stop, err := stopped(o.strategy.Derive(ctx, o.Handle, o.run))
	if err != nil || stop != nil {
		return stop, err
	}
	return stopped(o.strategy.Evolve(ctx, o.Handle, o.run, false))
}

// arrival is a turn on its way in.
type arrival struct {
	turn  mem.Turn
	close bool // its session is closed after it
}

// intake checks and normalises the turns of a request, in order.
func intake(s Strategy, q *AddRequest, l *mem.Ledger) ([]arrival, error) {
	if q.Sessions == nil {
		return nil, effect.Errorf(effect.InvalidArgument, "no sessions are given; [] stores nothing and goes on with what waits")
	}
	var out []arrival
	for i, in := range q.Sessions {
		if in.ID == "" {
			return nil, effect.Errorf(effect.InvalidArgument, "session %d has no id", i)
		}
		base, err := stamp(in.Time, time.Time{})
		if err != nil {
			return nil, effect.Errorf(effect.InvalidArgument, "session %.80q: %v", in.ID, err)
		}
		equal := map[string]int{}
		first := len(out)
		for j, t := range in.Turns {
			turn, err := normalise(in, t, base)
			if err != nil {
				return nil, effect.AsError(fmt.Errorf("session %.80q, turn %d: %w", in.ID, j, err))
			}
			turn.Expires = q.ExpiresAt
			// The id is that of what was said, before anything is cleaned out.
			turn.ID = turnID(turn, t, equal)
			turn = s.Admit(turn)
			if turn.Text == "" && len(turn.Parts) == 0 {
				l.Report(fmt.Sprintf("session %q, turn %d holds nothing to store: skipped", in.ID, j))
				continue
			}
			out = append(out, arrival{turn: turn})
		}
		if in.Close && len(out) > first {
			out[len(out)-1].close = true
		}
	}
	return out, nil
}

// turnID keys a turn by the caller's id, else by its index, else by how many
// equal turns of the request precede it.
func turnID(t mem.Turn, in InputTurn, equal map[string]int) string {
	key := in.ID
	switch {
	case key != "":
		key = "id:" + key
	case in.Index != nil:
		key = fmt.Sprintf("index:%d", *in.Index)
	default:
		same := mem.Digest(t.Session, t.Speaker, t.Time.UTC().String(), said(t))
		key = fmt.Sprintf("same:%d", equal[same])
		equal[same]++
	}
	return mem.TurnID(t.Session, key, t.Speaker, t.Time, said(t))
}

// said is all that identifies what a turn says.
func said(t mem.Turn) string {
	s := t.Text
	for _, p := range t.Parts {
		s += "\x00" + string(p.Type) + "\x00" + p.Text + "\x00" + p.Caption + "\x00" + p.URL + "\x00" + p.Name + "\x00" + p.Data
	}
	return s
}

func stamp(s string, base time.Time) (time.Time, error) {
	if s == "" {
		return base, nil
	}
	return text.ParseStamp(s)
}

// normalise gives a turn its speaker, role, time and labels.
func normalise(in InputSession, t InputTurn, base time.Time) (mem.Turn, error) {
	at, err := stamp(t.Time, base)
	if err != nil {
		return mem.Turn{}, effect.Errorf(effect.InvalidArgument, "%v", err)
	}
	if y := at.Year(); !at.IsZero() && (y < 1 || y > 9999) {
		return mem.Turn{}, effect.Errorf(effect.InvalidArgument, "time: year %d is outside 1 to 9999", y)
	}
	turn := mem.Turn{
		Session: in.ID, Source: t.ID, Speaker: t.Speaker, Role: t.Role, Time: at, Text: t.Text, Parts: t.Parts,
	}
	switch turn.Role {
	case "":
		turn.Role = roleOf(turn.Speaker)
	case mem.RolePeer, mem.RoleUser, mem.RoleAssistant, mem.RoleTool, mem.RoleSystem:
	default:
		return turn, effect.Errorf(effect.InvalidArgument, "role %.40q is none of peer, user, assistant, tool, system", t.Role)
	}
	if turn.Speaker == "" {
		if turn.Role == mem.RolePeer {
			return turn, effect.Errorf(effect.InvalidArgument, "neither speaker nor role is given")
		}
		turn.Speaker = string(turn.Role)
	}
	size := len(turn.Text) + len(in.ID) + len(t.ID) + len(t.Speaker)
	for i, p := range turn.Parts {
		switch p.Type {
		case mem.PartText, mem.PartImage, mem.PartToolCall, mem.PartToolResult:
		default:
			return turn, effect.Errorf(effect.InvalidArgument, "part %d: type %.40q is none of text, image, tool_call, tool_result", i, p.Type)
		}
		size += len(p.Text) + len(p.Caption) + len(p.Data) + len(p.URL) + len(p.Name)
	}
	if len(in.Labels)+len(t.Labels) > 0 {
		turn.Labels = map[string]string{}
		maps.Copy(turn.Labels, in.Labels)
		maps.Copy(turn.Labels, t.Labels)
	}
	for key, value := range turn.Labels {
		size += len(key) + len(value)
	}
	if size > maxTurnBytes {
		return turn, effect.Errorf(effect.TooLarge, "%d bytes: the limit of one turn is %d", size, maxTurnBytes)
	}
	return turn, nil
}

// CheckTurn refuses what an add of this session would refuse of a turn, in the
// same words, so that who reads a file can say where it stands.
func CheckTurn(in InputSession, t InputTurn) error {
	_, err := normalise(in, t, time.Time{})
	return err
}

// roleOf guesses the role of a speaker that was named without one.
func roleOf(speaker string) mem.Role {
	switch speaker {
	case "user", "assistant", "tool", "system":
		return mem.Role(speaker)
	}
	return mem.RolePeer
}

// store commits the next turns in one step and returns how many it took.
func (o *opened) store(ctx context.Context, turns []arrival, res *AddResult) (int, error) {
	vectors, err := o.vectorsOf(ctx, turns)
	if err != nil {
		return 0, err
	}
	var took, added, known, deleted int
	err = o.Commit(ctx, func(s *bank.Snapshot) (*bank.Change, error) {
		c := &bank.Change{Vectors: vectors, Embedder: o.embedder(s)}
		p := newPlacing(s, o.idle())
		took, added, known, deleted = 0, 0, 0, 0
		bytes := 0
		for _, a := range turns {
			if took == commitTurns || bytes > commitBytes {
				break
			}
			isNew := !p.known(a.turn.ID) && !s.Marked(a.turn.ID)
			if isNew && p.waits(a.turn.Session) && !o.reopen {
				break
			}
			took++
			switch {
			case p.known(a.turn.ID):
				known++
			case !isNew:
				deleted++
			default:
				added++
				bytes += len(a.turn.Text)
				c.Turns = append(c.Turns, p.place(a.turn))
			}
			if a.close {
				p.close(a.turn.Session)
			}
		}
		c.Sessions = p.changed()
		if len(c.Turns) == 0 && len(c.Sessions) == 0 {
			return nil, nil
		}
		return c, nil
	})
	if err != nil {
		return 0, err
	}
	res.Added += added
	res.Known += known
	res.Deleted += deleted
	return took, nil
}

func (o *opened) idle() time.Duration {
	m := o.run.Options.IdleMinutes
	if m <= 0 {
		m = defaultIdleMin
	}
	return time.Duration(m) * time.Minute
}
