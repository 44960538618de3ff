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
// The usual course is Cache.Open, reading Handle.Snapshot, Handle.Commit with a
// function that makes a Change from the snapshot that it is given. In the store
// a bank is the key "m" (the manifest) and the keys "b/" ‖ number (the blocks,
// at most about 4 MB each); RATIONALE.md says why and what it costs.
//
// Times of rows are Unix seconds, days ISO dates local to the speaker, lengths
// index words, vectors int8 of the bank's embedder. Errors are *effect.Error:
// store_corrupt and format_too_new for what is stored, embedder_mismatch for
// vectors of another embedder, conflict (retryable) when other writers won
// every attempt, too_large and invalid_argument for what is to be stored, and
// the store's own.
//
// It may not decide what is worth keeping (core/write), how events are
// consolidated (core/evolve), or what answers a question (core/read).
package bank
