package leanmem

import (
	"context"
	"slices"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
	"github.com/leanmem/leanmem/core/write"
)

// open is a segment that waits for the model's decision.
type open struct {
	span  *span
	index int
	rules []mem.Route // what the rules would do
}

func (o open) segment() mem.Segment { return o.span.segments[o.index] }

func segmentsOf(list []open) []mem.Segment {
	out := make([]mem.Segment, len(list))
	for i, o := range list {
		out[i] = o.segment()
	}
	return out
}

// ballot gathers what the model decided about each open segment, piece by
// piece.
type ballot struct {
	routes  [][]mem.Route
	missing []int  // pieces that are not decided
	rules   []bool // a piece was given up or passed over
	lost    []bool // a piece was given up
}

// fused schedules and materialises open segments in batched calls. Batches
// are packed over all of them at once and spans are settled only where no batch
// is torn, so that a run which goes on where another stopped packs the same
// batches and finds the replies that were paid for.
func (d *deriver) fused(ctx context.Context, list []open) error {
	segments := segmentsOf(list)
	batches := write.Batches(segments)
	b := newBallot(len(list), batches)
	b.assign(d.asker, list) // of what shows nothing to ask about
	for from := 0; from < len(batches); from += askAtOnce {
		to := min(from+askAtOnce, len(batches))
		stopped := d.asker.vote(ctx, list, segments, batches[from:to], b)
		b.assign(d.asker, list)
		if err := d.settle(ctx, d.untorn(list, batches)); err != nil {
			return err
		}
		if stopped != nil {
			return stopped
		}
	}
	return nil
}

// untorn lists the spans that can be settled. Of spans that stand in batches
// those are the first ones, up to where a batch holds segments of a later one
// that is not decided; what the rules decided alone can be settled anyway.
func (d *deriver) untorn(list []open, batches []write.Batch) []*span {
	place := map[*span]int{}
	for i, sp := range d.spans {
		place[sp] = i
	}
	batched := map[*span]bool{}
	for _, o := range list {
		batched[o.span] = true
	}
	n := slices.IndexFunc(d.spans, func(sp *span) bool { return !sp.decided() })
	if n < 0 {
		return d.spans
	}
	for i := len(batches) - 1; i >= 0; i-- {
		pieces := batches[i].Pieces
		first, known := place[list[pieces[0].Segment].span]
		last := place[list[pieces[len(pieces)-1].Segment].span]
		if known && first < n && last >= n {
			n = first
		}
	}
	var out []*span
	for i, sp := range d.spans {
		if i < n || !batched[sp] {
			out = append(out, sp)
		}
	}
	return out
}

// vote asks about batches: one that did not fit is halved, what a broken reply
// did not reach is asked once more, and what is then still open is left to
// rules.
func (a *asker) vote(ctx context.Context, list []open, segments []mem.Segment, batches []write.Batch, b *ballot) error {
	lost, stopped := a.round(ctx, list, segments, batches, b, false)
	if stopped != nil {
		return stopped
	}
	lost, stopped = a.round(ctx, list, segments, lost, b, true)
	if stopped != nil {
		return stopped
	}
	for _, batch := range lost {
		for _, p := range batch.Pieces {
			b.giveUp(p.Segment, true)
		}
	}
	return nil
}

func newBallot(n int, batches []write.Batch) *ballot {
	b := &ballot{routes: make([][]mem.Route, n), missing: make([]int, n), rules: make([]bool, n), lost: make([]bool, n)}
	for _, batch := range batches {
		for _, p := range batch.Pieces {
			b.missing[p.Segment]++
		}
	}
	return b
}

func (b *ballot) giveUp(segment int, lost bool) {
	b.missing[segment]--
	b.rules[segment] = true
	b.lost[segment] = b.lost[segment] || lost
}

// round asks about batches and returns those of which something was lost.
func (a *asker) round(ctx context.Context, list []open, segments []mem.Segment, batches []write.Batch, b *ballot, repair bool) (lost []write.Batch, stop error) {
	for len(batches) > 0 {
		questions := make([]question, len(batches))
		for i, batch := range batches {
			questions[i] = question{message: messageOf(batch, repair), spans: spansOf(list, batch)}
		}
		replies, err := a.ask(ctx, questions)
		var halves []write.Batch
		for i, r := range replies {
			switch {
			case !r.asked:
			case r.tooLong:
				if first, second, ok := batches[i].Halves(); ok {
					halves = append(halves, first, second)
					continue
				}
				b.giveUp(batches[i].Pieces[0].Segment, true)
			case r.refused:
				for _, p := range batches[i].Pieces {
					b.giveUp(p.Segment, true)
				}
			default:
				if rest := a.count(batches[i], r.text, segments, b); len(rest.Pieces) > 0 {
					lost = append(lost, rest)
				}
			}
		}
		if err != nil {
			return lost, err
		}
		batches = halves
	}
	return lost, nil
}

func messageOf(batch write.Batch, repair bool) prompt.Message {
	if repair {
		return batch.Message().Repair()
	}
	return batch.Message()
}

func spansOf(list []open, batch write.Batch) []*span {
	var out []*span
	for _, p := range batch.Pieces {
		out = append(out, list[p.Segment].span)
	}
	return out
}

// count enters a reply into the ballot and returns the pieces that it lost.
func (a *asker) count(batch write.Batch, text string, segments []mem.Segment, b *ballot) write.Batch {
	read := batch.Read(text, segments)
	a.report("schedule", read.Refused)
	for i, p := range batch.Pieces {
		if routes, ok := read.Routes[i]; ok {
			b.routes[p.Segment] = append(b.routes[p.Segment], routes...)
			b.missing[p.Segment]--
		}
	}
	for _, i := range read.Silent {
		b.giveUp(batch.Pieces[i].Segment, false)
	}
	return batch.Subset(read.Lost)
}

// assign gives every segment that is decided its routes. Where a piece was
// passed over or given up, the rules decide about the segment alone.
func (b *ballot) assign(a *asker, list []open) {
	given := 0
	for i, o := range list {
		switch {
		case b.missing[i] > 0 || o.span.routes[o.index] != nil:
			continue
		case b.rules[i], b.routes[i] == nil:
			o.span.routes[o.index] = append(b.routes[i], o.rules...)
			a.run.Ledger.Took("schedule", mem.Rules)
		default:
			o.span.routes[o.index] = b.routes[i]
		}
		if b.lost[i] {
			given++
		}
	}
	a.gaveUp("schedule", "segments", given)
}
