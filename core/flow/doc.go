// Package flow runs calls of the engine as flows that stop at every effect: the
// step protocol.
//
// The engine is written straight-line against effect.Port. A Table turns each
// call into a coroutine (iter.Pull; one that ran an earlier call, where one was
// kept): Begin runs it until it asks for effects or is done; the host performs
// the effects wherever and however long it likes and hands the replies to
// Resume; Cancel ends it. The loop of a driver is
//
//	e, err := table.Begin(ctx, effect.Envelope{Verb: "add", Request: request, Now: now})
//	for err == nil && e.Done == nil {
//		e, err = table.Resume(effect.Envelope{Flow: e.Flow, Replies: perform(e.Want), Now: now})
//	}
//
// Flows interleave, one runs at a time, and a Table is used by one goroutine at
// a time. It knows no verb and no strategy, and has no clock: begin and resume
// carry the host's.
package flow
