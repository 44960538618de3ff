package text

import "strings"

// Signals are properties of a passage that make it more or less likely to be
// evidence for any question.
type Signals uint8

const (
	SignalTime     Signals = 1 << iota // speaks of a time
	SignalReaction                     // begins with a reaction to what was said before
	_                                  // stood for a question at the end in format 1
	SignalCaption                      // comes with an image
)

var timeWords = wordSet(`yesterday today tonight tomorrow last next ago week weekend month year years since
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
october november december summer winter spring fall morning recently just finally started soon`)

var reactionWords = wordSet(`wow thats congrats congratulations thanks awesome cool great glad yeah sure good nice
absolutely definitely aw aww awww oh so sounds`)

var reactionPairs = [][2]string{{"that", "s"}, {"that", "is"}, {"thank", "you"}, {"no", "problem"}}

// SignalsOf reads the signals of a passage off its words.
func SignalsOf(s string) Signals {
	var out Signals
	first, second := "", ""
	for w := range asciiWords(s) {
		switch {
		case first == "":
			first = w
		case second == "":
			second = w
		}
		if timeWords[w] {
			out |= SignalTime
		}
	}
	if reactionWords[first] {
		out |= SignalReaction
	}
	for _, p := range reactionPairs {
		if first == p[0] && second == p[1] {
			out |= SignalReaction
		}
	}
	return out
}

// asciiWords yields the runs of ASCII letters of s, lower-cased.
func asciiWords(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := -1
		for i := 0; i <= len(s); i++ {
			letter := i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z')
			if letter && start < 0 {
				start = i
			}
			if !letter && start >= 0 {
				if !yield(strings.ToLower(s[start:i])) {
					return
				}
				start = -1
			}
		}
	}
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
