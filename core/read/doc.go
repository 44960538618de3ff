// Package read turns a question into evidence: plan ⟨C, d, M, w, k⟩ (eq. 8),
// retrieve from each pool, rerank (eq. 9), compose by role under a token
// budget, answer.
//
// Each stage stands in its own file and is pure where it can be: it takes the
// question and a snapshot and gives values. None writes to the bank. Ranking
// sums in a fixed order, rounds scores before they are compared, and breaks
// ties by id, so that every engine gives the same bytes.
package read
