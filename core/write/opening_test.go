package write

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzOpened holds that a predicate which matches is one of those that are
// tried, whatever the words.
func FuzzOpened(f *testing.F) {
	for r := range predicates {
		f.Add("I " + predicates[r].pattern)
	}
	for _, s := range []string{"my dog's is really always has been", "Ana studies, goes, watches and does not", "she's just the bees knees", "'s are 'm, also", "dos ams haves studys"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := extractor{s: s, ws: words(s)}
		for i := range len(e.ws) + 1 {
			for _, third := range []bool{false, true} {
				set := opened(e.ws, i, third)
				for r := range predicates {
					if _, ok := e.match(predicates[r].elements, i, third); ok && !set.has(r) {
						t.Fatalf("%q at word %d, third person %t: %q matches and is not tried", s, i, third, predicates[r].pattern)
					}
				}
			}
		}
	})
}

func (s *ruleSet) has(r int) bool { return s.next(r) == r }

// TestOpened goes through sentences of the words of the patterns, in both
// persons and with adverbs between them.
func TestOpened(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	adverb := []string{"", "", "really ", "also just ", "never "}
	matched := 0
	for range 20 {
		for r := range predicates {
			for _, third := range []bool{false, true} {
				var b strings.Builder
				for i, element := range predicates[r].elements {
					b.WriteString(adverb[random.IntN(len(adverb))])
					choice := strings.Split(strings.TrimSuffix(element, "?"), "|")
					w := choice[random.IntN(len(choice))]
					switch {
					case element == "{}":
						w = "Blue dogs"
					case i == 0 && third:
						w = thirdPerson(w)
					}
					b.WriteString(w + " ")
				}
				e := extractor{s: b.String(), ws: words(b.String())}
				set := opened(e.ws, 0, third)
				for k := range predicates {
					if _, ok := e.match(predicates[k].elements, 0, third); ok {
						matched++
						if !set.has(k) {
							t.Fatalf("%q, third person %t: %q matches and is not tried", e.s, third, predicates[k].pattern)
						}
					}
				}
			}
		}
	}
	if matched < 20*len(predicates) {
		t.Errorf("%d matches, too few to hold anything", matched)
	}
}

func thirdPerson(verb string) string {
	for _, w := range []string{"is", "has", "does", "studies", verb + "es"} {
		if firstPerson(w, verb) {
			return w
		}
	}
	return verb
}

func TestRuleSetIsWalkedInOrder(t *testing.T) {
	var s ruleSet
	want := []int{0, 1, 63, 64, 100, 127, 128, 191}
	for _, r := range want {
		s[r/64] |= 1 << (r % 64)
	}
	at := 0
	for r := s.next(0); r >= 0; r = s.next(r + 1) {
		if at == len(want) || r != want[at] {
			t.Fatalf("member %d is %d, want %v", at, r, want)
		}
		at++
	}
	if at != len(want) {
		t.Errorf("%d members, want %d", at, len(want))
	}
}

// TestLists holds that a word carries the lists on which it stands, and none
// is named twice.
func TestLists(t *testing.T) {
	seen := list(0)
	for _, l := range lists {
		if seen&l.list != 0 || l.list&(l.list-1) != 0 || l.list == 0 {
			t.Errorf("list %q… stands under %b", l.words[:min(len(l.words), 10)], l.list)
		}
		seen |= l.list
		words := strings.Fields(l.words)
		for _, w := range words {
			if !l.list.has(w) {
				t.Errorf("%q is not found on its list", w)
			}
		}
		for w, on := range listed {
			if on&l.list != 0 && !strings.Contains(" "+l.words+" ", " "+w+" ") {
				t.Errorf("%q is found on a list without it: %s", w, l.words)
			}
		}
	}
	if seen != 1<<len(lists)-1 {
		t.Errorf("lists %b have words", seen)
	}
}
