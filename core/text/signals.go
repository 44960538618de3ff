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

// leastTimeWord is the length of the shortest of timeWords.
const leastTimeWord = 3

var reactionWords = wordSet(`wow thats congrats congratulations thanks awesome cool great glad yeah sure good nice
absolutely definitely aw aww awww oh so sounds`)

var reactionPairs = [][2]string{{"that", "s"}, {"that", "is"}, {"thank", "you"}, {"no", "problem"}}

// SignalsOf reads the signals of a passage off its words: the runs of ASCII
// letters.
func SignalsOf(s string) Signals {
	var out Signals
	first, second := "", ""
	s = Small(s)
	for start := 0; start < len(s); {
		end := start
		for end < len(s) && 'a' <= s[end] && s[end] <= 'z' {
			end++
		}
		w := s[start:end]
		switch {
		case w == "":
		case first == "":
			first = w
		case second == "":
			second = w
		}
		if len(w) >= leastTimeWord && out&SignalTime == 0 && timeWords[w] {
			out |= SignalTime
		}
		start = end + 1
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

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
