// Package bench measures evidence: how much of what answers a question stands
// in it, at how many tokens.
//
// The measures (seen.go, contain.go, dates.go, current.go, statistics.go) are
// pure functions of a question, a history and a piece of evidence; they do not
// use the core's own reading of text, so that a change there cannot move the
// yardstick. Methods (method.go, baselines.go, leanmem.go) build a memory and
// give evidence; the runner (run.go) sets them side by side on the same files
// and the same questions, and the report shows recall against tokens.
package bench
