// Package bank keeps a memory bank: immutable blocks, the manifest that lists
// them, snapshots by version with their index, and the only place where
// commits are made.
//
// A bank is a few compact blocks. Each commit appends one small block; small
// blocks are merged as they gather, so a commit stays flat as the bank grows
// and a cold load reads few large values. A delete rewrites the blocks that
// hold the text in the same commit: deleted means gone from the store. A
// snapshot is immutable and is loaded incrementally from the blocks that came
// after an older one. What is derived from a set of rows (document frequency,
// mean length, intervals of states) is computed over live rows when read, so
// it does not depend on how blocks were merged.
//
// It may not decide what is worth keeping (core/write), how events are
// consolidated (core/evolve), or what answers a question (core/read).
package bank
