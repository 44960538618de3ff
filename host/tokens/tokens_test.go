package tokens

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	for text, want := range map[string]int{"": 0, "hello world": 2, "我每天骑车上班": 6, "<|endoftext|>": 7} {
		if got := Count(text); got != want {
			t.Errorf("Count(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestCutKeepsAPrefixWithinTheBudget(t *testing.T) {
	text := strings.Repeat("Ana moved to Porto in May. 她住在波尔图。\n", 40)
	for _, budget := range []int{0, 1, 7, 100, 10_000} {
		cut := Cut(text, budget)
		if !strings.HasPrefix(text, cut) || Count(cut) > budget+2 {
			t.Errorf("Cut to %d: %d tokens, a prefix: %v", budget, Count(cut), strings.HasPrefix(text, cut))
		}
		if budget >= Count(text) && cut != text {
			t.Errorf("Cut to %d shortens a text of %d tokens", budget, Count(text))
		}
	}
}
