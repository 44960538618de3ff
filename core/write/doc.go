// Package write is Controlled Memory Writing: it turns the turns of a session
// into memories. One stage a file, value in, value out:
//
//	turns.go        the open tail of a session and the spans that are due
//	filter.go       key utterance filtering
//	segment.go      topic segmentation (eq. 1 and 2)
//	schedule*.go    write scheduling (eq. 3 and 4), by rules and by a model
//	materialise*.go memory materialisation (eq. 5 and 6), by rules and by a model
//
// The stages that ask a model make prompts and read replies; they do not send
// them: the strategy does, batches them and keeps what was paid for. No stage
// calls another, none commits, and none looks at anything but the turns that it
// is given, so that the same turns always give the same memories.
package write
