package leanmem

import (
	"context"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/write"
)

// unfused is the paper's protocol: a scheduling call a segment, then an event
// call or a gist call for each route that needs one.
func (a *asker) unfused(ctx context.Context, list []open) error {
	routes, stop := a.routeEach(ctx, list)
	return a.materialiseEach(ctx, list, routes, stop)
}

// summarise is the ablation without scheduling: a gist call a segment.
func (a *asker) summarise(ctx context.Context, list []open) error {
	routes := make([][]mem.Route, len(list))
	for i, o := range list {
		routes[i] = o.rules
	}
	return a.materialiseEach(ctx, list, routes, nil)
}

// single is one piece of an open segment in a call of its own.
type single struct {
	at    int
	piece write.Piece
}

// routeEach asks for the routes of each open segment; those that stay nil were
// not asked.
func (a *asker) routeEach(ctx context.Context, list []open) ([][]mem.Route, error) {
	routes := make([][]mem.Route, len(list))
	waiting := make([]int, len(list))
	var pieces []single
	for i, o := range list {
		for _, p := range write.Pieces(o.segment(), i) {
			pieces = append(pieces, single{i, p})
			waiting[i]++
		}
		if waiting[i] == 0 {
			routes[i] = o.rules
		}
	}
	stop := error(nil)
	for attempt := range 2 {
		var lost []single
		lost, stop = a.routePieces(ctx, list, pieces, routes, waiting, attempt == 1)
		if pieces = lost; stop != nil || len(pieces) == 0 {
			break
		}
	}
	if stop == nil {
		for _, s := range pieces {
			waiting[s.at]--
			routes[s.at] = append(routes[s.at], list[s.at].rules...)
		}
		a.gaveUp("schedule", "segments", len(pieces))
	}
	for i := range routes {
		if waiting[i] > 0 {
			routes[i] = nil
		}
	}
	return routes, stop
}

func (a *asker) routePieces(ctx context.Context, list []open, pieces []single, routes [][]mem.Route, waiting []int, repair bool) (lost []single, err error) {
	questions := make([]question, len(pieces))
	for i, s := range pieces {
		m := s.piece.Single()
		if repair {
			m = m.Repair()
		}
		questions[i] = question{message: m, spans: []*span{list[s.at].span}}
	}
	replies, err := a.ask(ctx, questions)
	for i, s := range pieces {
		if !replies[i].asked {
			continue
		}
		got, refused, ok := s.piece.ReadSingle(replies[i].text, list[s.at].segment())
		a.report("schedule", refused)
		if replies[i].refused || !ok {
			lost = append(lost, s)
			continue
		}
		routes[s.at] = append(routes[s.at], got...)
		waiting[s.at]--
	}
	return lost, err
}

// spot is a route that waits for its materialisation.
type spot struct{ at, route int }

// materialiseEach asks for what routes lack and gives complete ones to their
// segments. stopped is why scheduling stopped early, if it did.
func (a *asker) materialiseEach(ctx context.Context, list []open, routes [][]mem.Route, stopped error) error {
	var spots []spot
	for i, o := range list {
		for j, r := range routes[i] {
			if _, ok := write.Ask(o.segment(), r); ok {
				spots = append(spots, spot{i, j})
			}
		}
	}
	if stopped == nil {
		for attempt := range 2 {
			if len(spots) == 0 {
				break
			}
			if spots, stopped = a.fillSpots(ctx, list, routes, spots, attempt == 1); stopped != nil {
				break
			}
		}
		if stopped == nil {
			a.gaveUp("materialise", "events or gists", len(spots))
			spots = nil
		}
	}
	waits := map[int]bool{}
	for _, s := range spots {
		waits[s.at] = true
	}
	for i, o := range list {
		if routes[i] != nil && !waits[i] {
			o.span.routes[o.index] = routes[i]
		}
	}
	return stopped
}

// fillSpots asks about spots and returns those that are still open.
func (a *asker) fillSpots(ctx context.Context, list []open, routes [][]mem.Route, spots []spot, repair bool) (left []spot, err error) {
	questions := make([]question, len(spots))
	for i, s := range spots {
		m, _ := write.Ask(list[s.at].segment(), routes[s.at][s.route])
		if repair {
			m = m.Repair()
		}
		questions[i] = question{message: m, spans: []*span{list[s.at].span}}
	}
	replies, err := a.ask(ctx, questions)
	for i, s := range spots {
		if r, ok := write.Fill(list[s.at].segment(), routes[s.at][s.route], replies[i].text); ok && replies[i].asked {
			r.Path = mem.LLM
			routes[s.at] = append([]mem.Route(nil), routes[s.at]...)
			routes[s.at][s.route] = r
			continue
		}
		left = append(left, s)
	}
	return left, err
}
