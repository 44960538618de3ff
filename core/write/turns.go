package write

import (
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/prompt"
	"github.com/leanmem/leanmem/core/text"
)

// A tail that has more turns or tokens than this is cut although its session
// is still open.
const (
	tailTurns  = 40
	tailTokens = 3000
)

// Settle finds the segments of a session that are due. tail holds the turns
// that are not settled yet, in order. A closed session is due whole. An open
// one is due where its tail exceeds its size: it is cut, and all segments but
// the last are settled, for the last may still grow. It returns the segments
// and how many turns of the tail they settle.
//
// It replays the arrival of each turn, so it does not matter how many came at
// once. With whole set a session is the unit and only a closed one is due.
func Settle(tail []mem.Turn, closed, whole bool, cut func([]mem.Turn) []mem.Segment) (segments []mem.Segment, settled int) {
	start, tokens := 0, 0
	for i := 0; i < len(tail); i++ {
		tokens += text.EstimateTokens(Said(tail[i]))
		if whole || i-start < tailTurns && tokens <= tailTokens {
			continue
		}
		parts := cut(tail[start : i+1])
		if len(parts) > 1 {
			parts = parts[:len(parts)-1]
		}
		segments = append(segments, parts...)
		for _, p := range parts {
			start += len(p.Turns)
		}
		tokens = 0
		i = start - 1
	}
	if closed && start < len(tail) {
		segments = append(segments, cut(tail[start:])...)
		start = len(tail)
	}
	return segments, start
}

// Said is what a turn says for the purpose of remembering: its text without
// any block of our own evidence, or the texts of its parts.
func Said(t mem.Turn) string {
	s := t.Text
	if s == "" {
		var parts []string
		for _, p := range t.Parts {
			if p.Type == mem.PartText && p.Text != "" {
				parts = append(parts, p.Text)
			}
		}
		s = strings.Join(parts, "\n")
	}
	s, _ = prompt.StripEvidence(s)
	return s
}

// Shown is Said with the captions of the images that came with it.
func Shown(t mem.Turn) string {
	s := Said(t)
	for _, p := range t.Parts {
		if p.Type == mem.PartImage && p.Caption != "" {
			s = strings.TrimSpace(s + " [image: " + p.Caption + "]")
		}
	}
	return s
}

// Speaker names who speaks, by role where there is no name.
func Speaker(t mem.Turn) string {
	switch {
	case t.Speaker != "":
		return t.Speaker
	case t.Role != "":
		return string(t.Role)
	}
	return string(mem.RoleUser)
}
