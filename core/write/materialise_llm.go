package write

import (
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
)

// Ask is the paper's materialisation call of a route: the event call of eq. 6
// or the gist call of eq. 5. ok is false for a route that needs none.
func Ask(seg mem.Segment, r mem.Route) (m prompt.Message, ok bool) {
	if r.Action != mem.ToEvent && r.Action != mem.ToRecord || r.Event != nil || r.Gist != "" {
		return m, false
	}
	span := mem.Segment{Session: seg.Session, Turns: pick(seg, r.Sources)}
	for i := range span.Turns {
		span.Anchors = append(span.Anchors, i)
	}
	pieces := Pieces(span, 0)
	if len(pieces) == 0 {
		return m, false
	}
	if r.Action == mem.ToEvent {
		return prompt.Event(pieces[0].shown), true
	}
	return prompt.Gist(pieces[0].shown), true
}

// Fill reads the reply to Ask into the route; ok is false when it says
// nothing.
func Fill(seg mem.Segment, r mem.Route, reply string) (filled mem.Route, ok bool) {
	item, ok := prompt.ParseFields(reply)
	if !ok {
		return r, false
	}
	if r.Action == mem.ToRecord {
		r.Gist = item.Value
		return r, true
	}
	r.Event = EventFrom(item, pick(seg, r.Sources))
	return r, true
}
