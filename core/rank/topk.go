package rank

import (
	"container/heap"
	"sort"
)

// TopK returns the indices of the k best scores, best first; of equal scores
// the one with the lesser id goes first. k < 0 ranks all.
func TopK(scores []float64, k int, idOf func(i int) string) []int {
	if k < 0 || k > len(scores) {
		k = len(scores)
	}
	if k == 0 {
		return nil
	}
	h := worstFirst{scores: scores, idOf: idOf, at: make([]int, 0, k)}
	for i := range scores {
		switch {
		case len(h.at) < k:
			heap.Push(&h, i)
		case h.better(i, h.at[0]):
			h.at[0] = i
			heap.Fix(&h, 0)
		}
	}
	sort.Slice(h.at, func(i, j int) bool { return h.better(h.at[i], h.at[j]) })
	return h.at
}

// worstFirst is a heap of indices with the worst of them on top.
type worstFirst struct {
	scores []float64
	idOf   func(int) string
	at     []int
}

// better is a total order: score, then id, then index.
func (h *worstFirst) better(i, j int) bool {
	if h.scores[i] != h.scores[j] {
		return h.scores[i] > h.scores[j]
	}
	if a, b := h.idOf(i), h.idOf(j); a != b {
		return a < b
	}
	return i < j
}

func (h *worstFirst) Len() int           { return len(h.at) }
func (h *worstFirst) Less(i, j int) bool { return h.better(h.at[j], h.at[i]) }
func (h *worstFirst) Swap(i, j int)      { h.at[i], h.at[j] = h.at[j], h.at[i] }
func (h *worstFirst) Push(x any)         { h.at = append(h.at, x.(int)) }
func (h *worstFirst) Pop() any {
	last := h.at[len(h.at)-1]
	h.at = h.at[:len(h.at)-1]
	return last
}
