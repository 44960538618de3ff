// Package text reads natural language without a model: words and sentences of
// any script, a token estimate, temporal expressions, names, and the small
// cues of a dialogue.
//
// It may import the standard library, golang.org/x/text and a Unicode
// segmenter. Every function is pure and gives equal bytes natively and in
// wasm; nothing is built at start-up. Text in a language that the rules do not
// know is kept and indexed, never dropped.
package text
