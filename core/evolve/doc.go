// Package evolve is Selective Memory Evolution: localized consolidation of the
// event buffer. Profiles are not touched (their states are computed when read)
// and records never change.
//
// A buffered event is set beside at most four earlier events of like topic and
// state, and gets its relation to one of them: evidence, revise, extend, or new.
// Only the incoming event changes; the interval in which a state held is
// computed when read (mem.TimelineStates), so nothing that was stored is
// rewritten, and a memory added meanwhile is in no one's way.
//
// It finds, decides by rule, makes prompts and reads replies. It sends none
// and commits nothing: the strategy does.
package evolve
