package text

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/uax29/v2/sentences"
)

func TestSentences(t *testing.T) {
	cases := [][]string{
		nil,
		{"One. ", "Two! ", "Three?"},
		{"Dr. Lee met Mrs. Ito at St. Mary's. ", "They talked, e.g. about J. S. Bach."},
		{"It costs 3.50 at example.org. ", "Cheap!"},
		{"Is it No. 5? ", "No. ", "It is six."},
		{"We met at 5 p.m. on Monday. ", "We left at 6 p.m. ", "It rained."},
		{"Fruits, nuts, etc. ", "They keep."},
		{"Tips:\n\n", "1. Plan ahead. ", "Always.\n", "2. Cook.\n", "- Freeze the rest\n", "* Label it"},
		{"Here:\n", "```go\nx := 1. \n\ny := 2\n```\n", "Done. ", "Bye."},
		{"今天很好。", "我们去公园吧!", "好吗?"},
		{"昨日は雨でした。", "今日は晴れです。"},
		{"Wait... ", "What?! ", "\"Go,\" she said. ", "So I did."},
		{"  \n\n", "a\r\n", "b"},
		{"```\n", "Never closed. ", "Really.\n", "Next."},
	}
	for _, want := range cases {
		s := strings.Join(want, "")
		if got := Sentences(s); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range []string{"One. Two", "Dr. X\n\n- a\n```\ncode\n```", "1. \n2. ", "\n \n", "。!?", "\xff. \xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at := 0
		for _, p := range SentenceSpans(s) {
			if p[0] != at || p[1] <= p[0] {
				t.Fatalf("span %v after %d in %q", p, at, s)
			}
			at = p[1]
		}
		if at != len(s) {
			t.Fatalf("spans of %q end at %d of %d", s, at, len(s))
		}
	})
}

// FuzzPlainSentence holds the short cut against the library's segmenter.
func FuzzPlainSentence(f *testing.F) {
	for _, s := range []string{"One. Two", "Hm... no. 3.5 U.S.A. is (really?) \"it!\" he said", "a.\t\fb\v!? C - d", "x.)] Y; z.\n. ", "5.! -a .'B", "A.B.c: d?,e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for s != "" {
			iter := sentences.FromString(s)
			iter.Next()
			if n := plainSentence(s); n != 0 && n != iter.End() {
				t.Fatalf("the first sentence of %q has %d bytes, not %d", s, iter.End(), n)
			}
			s = s[iter.End():]
		}
	})
}

// TestPlainSentence goes through the texts of all marks that count and of
// letters, and how many of them the short cut takes.
func TestPlainSentence(t *testing.T) {
	const marks = "aB1 .!?,;:-(\"\n\r\té"
	random := rand.New(rand.NewPCG(1, 2))
	plain := 0
	for range 50000 {
		b := make([]byte, 1+random.IntN(12))
		for i := range b {
			b[i] = marks[random.IntN(len(marks))]
		}
		iter := sentences.FromString(string(b))
		iter.Next()
		switch n := plainSentence(string(b)); n {
		case 0:
		case iter.End():
			plain++
		default:
			t.Fatalf("the first sentence of %q has %d bytes, not %d", b, iter.End(), n)
		}
	}
	if plain < 10000 {
		t.Errorf("%d of 50000 texts are plain", plain)
	}
}

func BenchmarkSentences(b *testing.B) {
	b.SetBytes(int64(len(turn)))
	for b.Loop() {
		SentenceSpans(turn)
	}
}
