package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

// ExportFormat is the version of export lines.
const ExportFormat = 1

// export reads a page of a bank in canonical order: header, sessions by name,
// their turns by place, memories by kind and id. The order and the lines
// depend on what the bank holds alone.
func (e *Engine) export(ctx context.Context, o *opened, q *ExportRequest) (*ExportResult, error) {
	if err := o.exists(); err != nil {
		return nil, err
	}
	limit, from, err := page(q.After, q.Limit, 1000)
	if err != nil {
		return nil, err
	}
	s := o.Snapshot()
	plan := exportPlan(s)
	res := &ExportResult{Lines: []ExportLine{}}
	for i := from; i < len(plan) && i < from+limit; i++ {
		res.Lines = append(res.Lines, plan[i](s))
	}
	if from+limit < len(plan) {
		res.Next = strconv.Itoa(from + limit)
	}
	res.Outcome = o.outcome()
	return res, nil
}

// exportPlan lists how to make each line, so that a page decodes only its own.
func exportPlan(s *bank.Snapshot) []func(*bank.Snapshot) ExportLine {
	plan := []func(*bank.Snapshot) ExportLine{
		func(*bank.Snapshot) ExportLine { return ExportLine{Header: &ExportHeader{Format: ExportFormat}} },
	}
	for _, st := range s.Sessions() {
		plan = append(plan, func(*bank.Snapshot) ExportLine {
			return ExportLine{Session: &SessionLine{Name: st.Name, Next: st.Next, Derived: st.Derived, Closed: st.Closed, Last: st.Last}}
		})
		for _, row := range s.SessionTurns(st.Name) {
			plan = append(plan, func(s *bank.Snapshot) ExportLine {
				t := s.TurnAt(row)
				return ExportLine{Turn: &t}
			})
		}
	}
	for _, kind := range []mem.Kind{mem.KindProfile, mem.KindEvent, mem.KindRecord} {
		var rows []int
		s.ByKind(kind, func(row int) { rows = append(rows, row) })
		mem.Sort(rows, func(a, b *int) int { return cmp.Compare(s.Row(*a).ID, s.Row(*b).ID) })
		for _, row := range rows {
			plan = append(plan, func(s *bank.Snapshot) ExportLine {
				m := s.MemoryAt(row)
				return ExportLine{Memory: &m}
			})
		}
	}
	return plan
}

// page reads a cursor and a limit.
func page(after string, limit, standard int) (size, from int, err error) {
	if limit < 0 || limit > 10000 {
		return 0, 0, effect.Errorf(effect.InvalidArgument, "limit %d is outside 0 to 10000", limit)
	}
	if limit == 0 {
		limit = standard
	}
	if after == "" {
		return limit, 0, nil
	}
	from, err = strconv.Atoi(after)
	if err != nil || from < 0 {
		return 0, 0, effect.Errorf(effect.InvalidArgument, "after %.40q is not a cursor of this verb", after)
	}
	return limit, from, nil
}

// imports writes lines of an export. What is known stays as it is.
func (e *Engine) imports(ctx context.Context, o *opened, q *ImportRequest) (*ImportResult, error) {
	if err := o.compatible(); err != nil {
		return nil, err
	}
	if err := checkLines(q.Lines); err != nil {
		return nil, err
	}
	vectors, err := o.importVectors(ctx, q.Lines)
	if err != nil {
		return nil, err
	}
	res := &ImportResult{}
	err = o.Commit(ctx, func(s *bank.Snapshot) (*bank.Change, error) {
		*res = ImportResult{}
		c := &bank.Change{Embedder: o.embedder(s), Vectors: vectors}
		for _, l := range q.Lines {
			switch {
			case l.Turn != nil:
				if _, known := s.Find(l.Turn.ID); known || s.Marked(l.Turn.ID) {
					res.Known++
					continue
				}
				res.Turns++
				c.Turns = append(c.Turns, *l.Turn)
			case l.Memory != nil:
				if _, known := s.Find(l.Memory.ID); known {
					res.Known++
					continue
				}
				res.Memories++
				c.Memories = append(c.Memories, *l.Memory)
			case l.Session != nil:
				if _, known := s.Session(l.Session.Name); !known {
					c.Sessions = append(c.Sessions, bank.SessionState{
						Name: l.Session.Name, Next: l.Session.Next, Derived: l.Session.Derived,
						Closed: l.Session.Closed, Last: l.Session.Last,
					})
				}
			}
		}
		if len(c.Turns)+len(c.Memories)+len(c.Sessions) == 0 {
			return nil, nil
		}
		return c, nil
	})
	if err != nil {
		return nil, fmt.Errorf("write %d lines: %w", len(q.Lines), err)
	}
	res.Outcome = o.outcome()
	return res, nil
}

// checkLines refuses lines that no export could hold, before anything is
// written.
func checkLines(lines []ExportLine) error {
	for i, l := range lines {
		if err := CheckLine(l); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

// maxSessionTurns is how many turns a session of an import has at most: the place
// of a later one must still be a number of 32 bits, as a block holds it.
const maxSessionTurns = 1 << 30

// CheckLine refuses what an import would refuse of a line, in the same words, so
// that who reads a file can say where it stands.
func CheckLine(l ExportLine) error {
	var err error
	switch {
	case l.Header != nil:
		if l.Header.Format > ExportFormat {
			return effect.Errorf(effect.FormatTooNew, "export format %d, this build reads up to %d", l.Header.Format, ExportFormat)
		}
	case l.Turn != nil:
		err = checkTurn(*l.Turn)
	case l.Memory != nil:
		err = checkMemory(*l.Memory)
	case l.Session != nil:
		switch s := l.Session; {
		case s.Name == "" || s.Derived < 0 || s.Next < s.Derived:
			err = errors.New("a session needs a name and counts of its turns in order")
		case s.Next > maxSessionTurns:
			err = fmt.Errorf("a session of %d turns: the limit is %d", s.Next, maxSessionTurns)
		}
	default:
		err = errors.New("it holds neither header, session, turn nor memory")
	}
	if err != nil {
		return effect.Errorf(effect.InvalidArgument, "%v", err)
	}
	return nil
}

func checkTurn(t mem.Turn) error {
	if !validID(t.ID, 't') || t.Session == "" || t.Seq < 0 || t.Seq >= maxSessionTurns {
		return fmt.Errorf("a turn needs an id, a session and a place in it below %d", maxSessionTurns)
	}
	if len(t.Text) > maxTurnBytes {
		return fmt.Errorf("a turn of %d bytes: the limit is %d", len(t.Text), maxTurnBytes)
	}
	return nil
}

func checkMemory(m mem.Memory) error {
	set := 0
	for _, ok := range []bool{m.Profile != nil, m.Event != nil, m.Record != nil} {
		if ok {
			set++
		}
	}
	fits := m.Kind == mem.KindProfile && m.Profile != nil || m.Kind == mem.KindEvent && m.Event != nil || m.Kind == mem.KindRecord && m.Record != nil
	if set != 1 || !fits {
		return fmt.Errorf("a memory holds exactly the one of profile, event, record that its kind names")
	}
	if !validID(m.ID, m.Kind[0]) {
		return fmt.Errorf("a %s needs an id that begins with %q", m.Kind, m.Kind[:1])
	}
	days := m.Anchor()
	if strings.Trim(days.From+days.To, "0123456789-") != "" {
		return fmt.Errorf("the days from which a memory holds have the form 2026-05-24") // evidence shows them
	}
	return nil
}

func validID(id string, kind byte) bool { return len(id) > 1 && len(id) <= 64 && id[0] == kind }

// importVectors asks the host's embedder for what the built-in one would make.
func (o *opened) importVectors(ctx context.Context, lines []ExportLine) (map[string][]int8, error) {
	if o.run.Options.Embedder != hostEmbedder {
		return nil, nil
	}
	var units []embedded
	for _, l := range lines {
		switch {
		case l.Turn != nil:
			units = append(units, embedded{l.Turn.ID, bank.TurnTexts(*l.Turn)})
		case l.Memory != nil:
			units = append(units, embedded{l.Memory.ID, []string{bank.MemoryText(*l.Memory)}})
		}
	}
	return o.embed(ctx, units, o.adopt)
}
