package write

import (
	"math/bits"
	"strings"

	"github.com/leanmem/leanmem/core/text"
)

// ruleSet is a set of numbers of predicates.
type ruleSet [3]uint64

// openings says of each word which predicates it may begin, and of "" which may
// begin with any. Of the rules, few need so be tried at a place.
var openings = func() map[string]ruleSet {
	out := make(map[string]ruleSet, 128)
	for r := range predicates {
		first := predicates[r].elements[0]
		if first == "{}" || strings.HasSuffix(first, "?") {
			first = ""
		}
		for w := range text.Parts(first, '|') {
			set := out[w]
			set[r/64] |= 1 << (r % 64)
			out[w] = set
		}
	}
	return out
}()

// elemented takes the patterns of rules apart.
func elemented(rules []rule) []rule {
	all := make([]string, 0, 4*len(rules))
	for i := range rules {
		first := len(all)
		for element := range text.Parts(rules[i].pattern, ' ') {
			all = append(all, element)
		}
		rules[i].elements = all[first:len(all):len(all)]
	}
	return rules
}

// opened gives the predicates whose first element stands at word i or behind
// the adverbs there.
func opened(ws []word, i int, third bool) ruleSet {
	out := openings[""]
	for ; i < len(ws); i++ {
		if !ws[i].punct {
			out.add(openings[ws[i].fold])
			if third {
				out.addThird(ws[i].fold)
			}
		}
		if !ws[i].in(adverbs) {
			break
		}
	}
	return out
}

// addThird adds what a word begins as the third person of a verb: it is the
// inverse of firstPerson.
func (s *ruleSet) addThird(w string) {
	switch w {
	case "is", "'s", "are":
		s.add(openings["am"])
	case "has":
		s.add(openings["have"])
	case "does":
		s.add(openings["do"])
	case "studies":
		s.add(openings["study"])
	}
	for _, ending := range []string{"s", "es"} {
		switch verb, ok := strings.CutSuffix(w, ending); {
		case !ok, verb == "am", verb == "have", verb == "do", verb == "study":
		default:
			s.add(openings[verb])
		}
	}
}

func (s *ruleSet) add(t ruleSet) {
	for i, x := range t {
		s[i] |= x
	}
}

// next is the first member from r on, -1 where there is none.
func (s *ruleSet) next(r int) int {
	for ; r < 64*len(s); r = (r/64 + 1) * 64 {
		if x := s[r/64] >> (r % 64); x != 0 {
			return r + bits.TrailingZeros64(x)
		}
	}
	return -1
}
