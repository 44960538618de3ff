// Package prompt holds what is said to a language model and how its answer is
// read: embedded templates, JSON schemas of the replies, tolerant reply
// parsers, and the escaping that keeps text of a dialogue data.
//
// A template's instruction is constant, so that a provider's prefix cache
// hits; the data follows in the user message. A parser takes what is whole
// from any reply (reasoning before it, code fences, a bare array, renamed keys,
// a cut in mid-string), refuses ids that were never offered, and never fails:
// what it could not read is left unanswered, for one repair request and then
// for rules.
//
// It asks nobody anything and imports only mem, text and gjson.
package prompt

// Version is part of the fingerprint of every memory that a model made. It
// changes when a template, a schema or the layout of the data changes.
const Version = "1"
