// Package rank is the pure maths of retrieval and segmentation: inner products
// and cosines, sign signatures, BM25, valley depth.
//
// It imports only the standard library and knows nothing of memories. Sums run
// in a fixed order and products are converted before they are added, so that
// no compiler fuses them: every engine gives the same bits.
package rank
