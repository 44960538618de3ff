package write

import (
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/rank"
	"github.com/leanmem/leanmem/core/text"
)

// The measures of a segment. A valley shallower than the floor is noise; the
// floors differ because word vectors share nothing with most neighbours while
// dense vectors share something with all of them (RATIONALE.md).
const (
	window        = 3    // w of eq. 1
	lambda        = 0.05 // of eq. 2
	leastTurns    = 2    // utterances a segment
	mostTokens    = 512  // tokens a segment
	contextTokens = 64   // tokens that a turn which is no key utterance counts at most
	floorDense    = 0.08
	floorWords    = 0.04
)

// Segments is Topic Segmentation: it cuts a run of turns of one session where
// the similarity of adjacent key utterances falls into a valley (eq. 1 and 2).
// vectors holds the turns' embeddings; unless every key utterance has one,
// IDF-weighted words stand in. Every turn is in exactly one segment; a turn
// that is not key follows the key utterance before it.
func Segments(turns []mem.Turn, key []bool, vectors [][]int8) []mem.Segment {
	if len(turns) == 0 {
		return nil
	}
	var at []int // turns that are key
	for i := range turns {
		if key[i] {
			at = append(at, i)
		}
	}
	similar, floor := similarities(turns, at, vectors)
	cut := boundaries(similar, floor)
	cut = resize(cut, similar, sizes(turns, at))
	return assemble(turns, key, at, cut)
}

// Whole makes one segment of a run of turns, for the ablation without
// segmentation.
func Whole(turns []mem.Turn, key []bool) []mem.Segment {
	if len(turns) == 0 {
		return nil
	}
	return assemble(turns, key, nil, nil)
}

// similarities gives s_i for each pair of adjacent key utterances, and the
// floor that goes with the measure. They are rounded, so that a last bit which
// differs between engines moves no boundary.
func similarities(turns []mem.Turn, at []int, vectors [][]int8) (s []float64, floor float64) {
	s = make([]float64, max(0, len(at)-1))
	dense := len(vectors) == len(turns)
	for _, i := range at {
		dense = dense && len(vectors[i]) > 0
	}
	if dense {
		for i := range s {
			s[i] = rank.Round(rank.CosineInt8(vectors[at[i]], vectors[at[i+1]]))
		}
		return s, floorDense
	}
	bags := make([]bag, len(at))
	var g bagger
	for i, t := range at {
		bags[i] = g.bag(Shown(turns[t]))
	}
	weigh(bags)
	for i := range s {
		s[i] = rank.Round(cosine(bags[i], bags[i+1]))
	}
	return s, floorWords
}

// boundaries marks the boundaries of eq. 1 and 2: cut[i] parts utterances i and
// i+1.
func boundaries(s []float64, floor float64) []bool {
	cut := make([]bool, len(s))
	for _, i := range rank.Boundaries(s, rank.Valleys{W: window, Lambda: lambda, Floor: floor}) {
		cut[i] = true
	}
	return cut
}

// sizes estimates the tokens of each key utterance with the context that
// follows it.
func sizes(turns []mem.Turn, at []int) []int {
	out := make([]int, len(at))
	for n, i := range at {
		end := len(turns)
		if n+1 < len(at) {
			end = at[n+1]
		}
		out[n] = text.EstimateTokens(Shown(turns[i]))
		for _, t := range turns[i+1 : end] {
			out[n] += min(contextTokens, text.EstimateTokens(Shown(t)))
		}
	}
	return out
}

// resize joins segments of one utterance to the more similar neighbour and
// cuts those that are too long where their utterances are least similar.
func resize(cut []bool, s []float64, tokens []int) []bool {
	for i := 0; i <= len(cut); i++ {
		left, right := i > 0 && cut[i-1], i < len(cut) && cut[i]
		alone := (i == 0 || left) && (i == len(cut) || right)
		if !alone || !left && !right {
			continue
		}
		if left && (!right || s[i-1] >= s[i]) {
			cut[i-1] = false
		} else {
			cut[i] = false
		}
	}
	for start := 0; start <= len(cut); {
		end := start
		for end < len(cut) && !cut[end] {
			end++
		}
		at := weakest(s, start, end)
		if at < 0 || total(tokens[start:end+1]) <= mostTokens {
			start = end + 1
			continue
		}
		cut[at] = true
	}
	return cut
}

// weakest is the least similar pair of utterances start … end that leaves at
// least two on either side, -1 where there is none.
func weakest(s []float64, start, end int) int {
	at := -1
	for i := start + leastTurns - 1; i+leastTurns <= end; i++ {
		if at < 0 || s[i] < s[at] {
			at = i
		}
	}
	return at
}

func total(n []int) int {
	sum := 0
	for _, x := range n {
		sum += x
	}
	return sum
}

// assemble turns the cuts between key utterances into segments of turns.
func assemble(turns []mem.Turn, key []bool, at []int, cut []bool) []mem.Segment {
	var out []mem.Segment
	start := 0
	for i, c := range cut {
		if c {
			out = append(out, segment(turns, key, start, at[i+1]))
			start = at[i+1]
		}
	}
	return append(out, segment(turns, key, start, len(turns)))
}

func segment(turns []mem.Turn, key []bool, start, end int) mem.Segment {
	s := mem.Segment{Session: turns[start].Session, Turns: turns[start:end]}
	for i := start; i < end; i++ {
		if key[i] {
			s.Anchors = append(s.Anchors, i-start)
		}
	}
	return s
}
