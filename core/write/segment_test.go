package write_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
	"github.com/leanmem/leanmem/core/write"
)

// spans shows segments as the Seq ranges of their turns.
func spans(segments []mem.Segment) string {
	var out []string
	for _, s := range segments {
		out = append(out, fmt.Sprintf("%d-%d", s.Turns[0].Seq, s.Turns[len(s.Turns)-1].Seq))
	}
	return strings.Join(out, " ")
}

func TestSegmentsPartWhereTheTopicDoes(t *testing.T) {
	garden, train := "The garden beds of tomatoes and beans need water", "The morning train to Porto leaves from platform nine"
	var lines []string
	for i := range 6 {
		lines = append(lines, fmt.Sprintf("Ana: %s, row %d", garden, i))
	}
	lines = append(lines, "Bo: ok")
	for i := range 6 {
		lines = append(lines, fmt.Sprintf("Bo: %s, coach %d", train, i))
	}
	turns := dialogue("s", "", lines...)
	key := write.All(turns)
	key[6] = false
	if got := spans(write.Segments(turns, key, nil)); got != "0-6 7-12" {
		t.Errorf("by words: %s, want 0-6 7-12", got)
	}
	vectors := make([][]int8, len(turns))
	for i := range turns {
		vectors[i] = []int8{100, 10, 0}
		if i >= 4 {
			vectors[i] = []int8{0, 10, 100}
		}
	}
	if got := spans(write.Segments(turns, key, vectors)); got != "0-3 4-12" {
		t.Errorf("by vectors: %s, want 0-3 4-12", got)
	}
	vectors[2] = nil // one utterance without a vector: words stand in
	if got := spans(write.Segments(turns, key, vectors)); got != "0-6 7-12" {
		t.Errorf("without a vector: %s, want 0-6 7-12", got)
	}
	if got := spans(write.Whole(turns, key)); got != "0-12" {
		t.Errorf("without segmentation: %s", got)
	}
}

func TestSegmentsKeepTheirMeasure(t *testing.T) {
	for n := range 40 {
		var lines []string
		for i := range n {
			lines = append(lines, fmt.Sprintf("Ana: %s %d", strings.Repeat(fmt.Sprintf("word%d ", (i*7)%5), 1+(i*13)%150), i))
		}
		turns := dialogue("s", "", lines...)
		key := make([]bool, n)
		for i := range key {
			key[i] = i%5 != 2
		}
		segments := write.Segments(turns, key, nil)
		next := 0
		for _, s := range segments {
			tokens := 0
			for _, turn := range s.Turns {
				if turn.Seq != next {
					t.Fatalf("%d turns: turn %d stands where %d should: %s", n, turn.Seq, next, spans(segments))
				}
				next++
				tokens += text.EstimateTokens(turn.Text)
			}
			if len(s.Anchors) < 2 && len(segments) > 1 {
				t.Errorf("%d turns: a segment of %d utterances: %s", n, len(s.Anchors), spans(segments))
			}
			if tokens > 700 && len(s.Anchors) > 3 {
				t.Errorf("%d turns: a segment of %d tokens and %d utterances", n, tokens, len(s.Anchors))
			}
		}
		if next != n {
			t.Errorf("%d turns: %d are in segments", n, next)
		}
	}
}

func BenchmarkSegment(b *testing.B) {
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("Ana: the garden beds of tomatoes and beans number %d need water before noon", i))
	}
	turns := dialogue("s", "", lines...)
	b.ReportAllocs()
	for range b.N {
		write.Segments(turns, write.Filter(turns), nil)
	}
}

func BenchmarkFacts(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		write.Facts("I moved to Berlin last Friday and I also play chess on Sundays. My friend Bo hates fish, which is sad.", "Ana", dialogue("s", "2021-03-10T00:00:00Z", "a: b")[0].Time, write.People{})
	}
}
