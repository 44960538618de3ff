package write

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
	"github.com/leanmem/leanmem/core/text"
)

// The measures of a scheduling call, in tokens of dialogue: a call, a piece of
// a segment, a line of it, a line that is only context.
const (
	batchTokens = 3600
	pieceTokens = 2000
	lineTokens  = 800
	asideTokens = 60
)

// Piece is a segment, or a part of one that is too long for a call, as a model
// sees it: key utterances in full, the other parties' turns cut short.
type Piece struct {
	Segment int // index into the segments that were given
	shown   prompt.Segment
	turns   []int // of each line: index into Segment.Turns
	tokens  int
}

// Batch is what one scheduling call shows.
type Batch struct{ Pieces []Piece }

// Batches packs segments into calls, across sessions, up to about batchTokens
// each.
func Batches(segments []mem.Segment) []Batch {
	var out []Batch
	size := batchTokens
	for i, seg := range segments {
		for _, p := range Pieces(seg, i) {
			if size+p.tokens > batchTokens {
				out = append(out, Batch{})
				size = 0
			}
			last := &out[len(out)-1]
			last.Pieces = append(last.Pieces, p)
			size += p.tokens
		}
	}
	for i := range out {
		out[i].number()
	}
	return out
}

// Pieces shows one segment, in more than one piece where it is long.
func Pieces(seg mem.Segment, index int) []Piece {
	var out []Piece
	date := ""
	if len(seg.Turns) > 0 && !seg.Turns[0].Time.IsZero() {
		date = text.FormatDate(seg.Turns[0].Time)
	}
	for i, t := range seg.Turns {
		for _, line := range lines(t, slices.Contains(seg.Anchors, i)) {
			n := text.EstimateTokens(line) + 6
			if len(out) == 0 || out[len(out)-1].tokens+n > pieceTokens {
				out = append(out, Piece{Segment: index, shown: prompt.Segment{Number: 1, Date: date}})
			}
			p := &out[len(out)-1]
			p.shown.Lines = append(p.shown.Lines, prompt.Line{ID: len(p.turns) + 1, Speaker: Speaker(t), Text: line})
			p.turns = append(p.turns, i)
			p.tokens += n
		}
	}
	return out
}

// lines are the texts by which a turn is shown: none for one that says nothing,
// several for a long one.
func lines(t mem.Turn, key bool) []string {
	shown := strings.TrimSpace(Shown(t))
	switch {
	case shown == "" || !key && (t.Role.Anchor() || hollow(shown)):
		return nil
	case !key:
		return []string{text.Cut(shown, asideTokens)}
	case text.EstimateTokens(shown) <= lineTokens:
		return []string{shown}
	}
	var out []string
	for shown != "" {
		part := text.Cut(shown, lineTokens)
		if part == "" {
			break
		}
		out = append(out, part)
		shown = strings.TrimSpace(shown[len(part):])
	}
	return out
}

// number gives the pieces and their lines short ids, unique in the batch.
func (b *Batch) number() {
	id := 0
	for i := range b.Pieces {
		p := &b.Pieces[i]
		p.shown.Number = i + 1
		p.shown.Lines = slices.Clone(p.shown.Lines)
		for j := range p.shown.Lines {
			id++
			p.shown.Lines[j].ID = id
		}
	}
}

// Subset is a batch of some pieces of a batch, renumbered.
func (b Batch) Subset(pieces []int) Batch {
	var out Batch
	for _, i := range pieces {
		out.Pieces = append(out.Pieces, b.Pieces[i])
	}
	out.number()
	return out
}

// Halves splits a batch that did not fit a model; ok is false for a single
// piece.
func (b Batch) Halves() (first, second Batch, ok bool) {
	if len(b.Pieces) < 2 {
		return b, b, false
	}
	var all []int
	for i := range b.Pieces {
		all = append(all, i)
	}
	return b.Subset(all[:len(all)/2]), b.Subset(all[len(all)/2:]), true
}

// Message is the fused scheduling call of the batch.
func (b Batch) Message() prompt.Message { return prompt.ScheduleFused(b.shown()) }

func (b Batch) shown() []prompt.Segment {
	out := make([]prompt.Segment, len(b.Pieces))
	for i, p := range b.Pieces {
		out[i] = p.shown
	}
	return out
}

// Routed is what a reply decided about the pieces of a batch.
type Routed struct {
	Routes  map[int][]mem.Route // by piece
	Silent  []int               // pieces that a whole reply passed over
	Lost    []int               // pieces that a broken reply did not reach
	Refused []string
}

// Read reads the reply to Message. A piece that stands last in a reply that
// was cut off may have lost some of its memories, so it counts as lost.
func (b Batch) Read(reply string, segments []mem.Segment) Routed {
	read := prompt.ParseScheduleFused(reply, b.shown())
	out := Routed{Routes: map[int][]mem.Route{}, Refused: read.Refused}
	copied := prompt.Copied(read.Items)
	for i, p := range b.Pieces {
		if copied[p.shown.Number] {
			out.Refused = append(out.Refused, fmt.Sprintf("segment %d got the words of others", p.shown.Number))
			out.Silent = append(out.Silent, i)
			continue
		}
		if !read.Answered(p.shown.Number) {
			if read.Whole {
				out.Silent = append(out.Silent, i)
			} else {
				out.Lost = append(out.Lost, i)
			}
			continue
		}
		out.Routes[i] = p.routes(read.Items, segments[p.Segment])
	}
	return out
}

// Single is the paper's scheduling call of one piece.
func (p Piece) Single() prompt.Message { return prompt.Schedule(p.shown) }

// ReadSingle reads the reply to Single; ok is false when it decided nothing.
func (p Piece) ReadSingle(reply string, seg mem.Segment) (routes []mem.Route, refused []string, ok bool) {
	read := prompt.ParseSchedule(reply, p.shown)
	if len(read.Items) == 0 {
		return []mem.Route{{Action: mem.Ignore, Path: mem.LLM}}, read.Refused, read.Whole
	}
	return p.routes(read.Items, seg), read.Refused, true
}

// routes turns the items about a piece into routes of its segment. It never
// gives none: a piece whose items say nothing usable is ignored.
func (p Piece) routes(items []prompt.Item, seg mem.Segment) []mem.Route {
	var out []mem.Route
	for _, item := range items {
		if item.Segment != p.shown.Number {
			continue
		}
		if r, ok := route(item, p.sources(item.Lines), seg); ok {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		out = []mem.Route{{Action: mem.Ignore, Path: mem.LLM}}
	}
	return out
}

// sources maps line ids to turns; none given means every turn of the piece.
func (p Piece) sources(ids []int) []int {
	var out []int
	for j, l := range p.shown.Lines {
		if len(ids) == 0 || slices.Contains(ids, l.ID) {
			out = append(out, p.turns[j])
		}
	}
	return slices.Compact(out)
}

// route makes one item a route. A fact that rests on no anchor's words is
// nobody's fact.
func route(item prompt.Item, sources []int, seg mem.Segment) (mem.Route, bool) {
	r := mem.Route{Sources: sources, Path: mem.LLM}
	anchor := slices.IndexFunc(sources, func(i int) bool { return seg.Turns[i].Role.Anchor() })
	switch item.Action {
	case "profile", "ended":
		if anchor < 0 || item.Key == "" || item.Value == "" {
			return r, false
		}
		t := seg.Turns[sources[anchor]]
		p := mem.Profile{Subject: who(item.Who, t), Attribute: Attribute(item.Key), Value: item.Value}
		if p.Single = Single(p.Attribute); item.Action == "ended" {
			p.Polarity = mem.Ended
		}
		r.Action, r.Facts = mem.ToProfile, []mem.Profile{p}
		return r, !assistant(item.Who)
	case "event":
		if r.Action = mem.ToEvent; item.Value != "" || item.Key != "" {
			r.Event = EventFrom(item, pick(seg, sources))
		}
		return r, len(sources) > 0
	case "record":
		r.Action, r.Gist = mem.ToRecord, item.Value
		return r, true
	}
	r.Action = mem.Ignore
	return r, true
}

// EventFrom makes the event of an item about turns. The time is resolved here
// and not by the model, against the date of the turn that names it.
func EventFrom(item prompt.Item, turns []mem.Turn) *mem.Event {
	last := turns[len(turns)-1]
	e := &mem.Event{Subject: who(item.Who, last), Topic: item.Key, State: item.Value}
	for _, t := range turns {
		if item.When != "" && strings.Contains(strings.ToLower(Said(t)), strings.ToLower(item.When)) {
			last = t
			break
		}
	}
	e.Anchor = anchorFrom(item.When, last)
	return e
}

func anchorFrom(when string, t mem.Turn) mem.Anchor {
	if when == "" {
		refs := datable(Said(t), text.Temporal(Said(t), t.Time))
		if len(refs) == 1 && dated(refs) {
			return anchorOf(refs)
		}
		return mem.Anchor{}
	}
	if d, err := time.Parse(time.DateOnly, when); err == nil {
		iso := text.FormatDate(d)
		return mem.Anchor{From: iso, To: iso, Phrase: when}
	}
	a := anchorOf(text.Temporal(when, t.Time))
	a.Phrase = when
	return a
}

// who names the subject: a model's "user" or "I" is the one who speaks.
func who(name string, t mem.Turn) string {
	switch strings.ToLower(name) {
	case "", "user", "the user", "i", "me", "speaker", "the speaker":
		return Speaker(t)
	}
	return name
}

func assistant(name string) bool {
	switch strings.ToLower(name) {
	case "assistant", "the assistant", "ai", "the ai", "system", "tool":
		return true
	}
	return false
}
