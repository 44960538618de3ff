package text

import (
	"strings"
	"testing"
)

func TestPassagesCoverALongTextInOrder(t *testing.T) {
	for name, s := range map[string]string{
		"sentences":    strings.Repeat("The quick brown fox jumps over the lazy dog near the river. ", 60),
		"no sentences": strings.Repeat("word ", 4000),
		"no spaces":    strings.Repeat("词", 9000),
		"lines":        strings.Repeat("- an item of a list that goes on for a while\n", 200),
	} {
		spans := Passages(s)
		if len(spans) < 2 {
			t.Errorf("%s: %d passages", name, len(spans))
		}
		at := 0
		for _, sp := range spans {
			if strings.TrimSpace(s[at:sp[0]]) != "" || sp[0] < at || sp[1] <= sp[0] || sp[1]-sp[0] > passageMax+passageMax {
				t.Fatalf("%s: span %v after %d", name, sp, at)
			}
			at = sp[1]
		}
		if strings.TrimSpace(s[at:]) != "" {
			t.Errorf("%s: the end from %d is in no passage", name, at)
		}
	}
}

func TestShortTextIsOnePassage(t *testing.T) {
	if got := Passages("One sentence. And another."); len(got) != 1 || got[0] != [2]int{0, 26} {
		t.Error(got)
	}
}

func TestSignals(t *testing.T) {
	for s, want := range map[string]Signals{
		"I went there yesterday.":     SignalTime,
		"That's so cool, Mel!":        SignalReaction,
		"Wow! When did you start?":    SignalReaction,
		"My sister plays the violin.": 0,
	} {
		if got := SignalsOf(s); got != want {
			t.Errorf("%q: %b, want %b", s, got, want)
		}
	}
	for w := range timeWords {
		if len(w) < leastTimeWord {
			t.Errorf("%q is shorter than %d", w, leastTimeWord)
		}
	}
}
