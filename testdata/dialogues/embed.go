// Package dialogues holds the dialogues that were written for this project,
// with questions about them: they serve the demonstration, the tests and the
// transcripts. Every person and place of work in them is invented.
//
// A dialogue name.jsonl has one turn a line; name.questions.jsonl has one
// question a line with its answer, the ids of the turns that hold it, its
// category, and for questions about a current state the earlier values.
// Questions marked absent are not answered in the dialogue.
package dialogues

import "embed"

// Files holds every dialogue and its questions.
//
//go:embed *.jsonl
var Files embed.FS

// Names lists the dialogues:
//
//	friends    two friends over eight months, fifteen sessions
//	assistant  a user with an assistant, seven sessions, one with a tool call
//	chinese    two friends, in Chinese, four sessions
//	thread     one long technical thread, a single session
var Names = []string{"friends", "assistant", "chinese", "thread"}
