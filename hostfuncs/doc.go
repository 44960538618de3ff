// Package hostfuncs is what a host supplies to the core, as Go code: a language
// model, an embedder, a tagger and a store behind narrow interfaces, and the
// one place where a request of the core meets them (Set.Dispatch and Port).
//
// It knows effects only. It may not import the core's stages, and it never sees
// wasm. What stands here holds for every host: which banks a caller may touch,
// how long an effect may take, that a provider's panic becomes a coded error,
// and that no error carries a key, a prompt or the text of a memory.
package hostfuncs
