package dialogue

import (
	"fmt"
	"slices"
	"strings"
)

// kind words one sort of thing that is left out, for one and for many.
type kind struct{ one, many string }

// What a reader may leave out. Each is counted, and said with where the first
// ones stood.
var (
	emptyLine   = kind{"empty line was passed over", "empty lines were passed over"}
	saysNothing = kind{"turn that says nothing was passed over", "turns that say nothing were passed over"}
	noTurns     = kind{"session without turns was passed over", "sessions without turns were passed over"}
	notStored   = kind{"turn that cannot be stored was passed over", "turns that cannot be stored were passed over"}
	twice       = kind{"session occurs twice, and its second form was passed over", "sessions occur twice, and their second forms were passed over"}
	uneven      = kind{"history has not as many ids or dates as sessions", "histories have not as many ids or dates as sessions"}
	badTime     = kind{"time is not understood and was left out", "times are not understood and were left out"}
	badBytes    = kind{"line holds bytes that are no UTF-8; they were replaced", "lines hold bytes that are no UTF-8; they were replaced"}
	unknownPart = kind{"part of an unknown type was left out", "parts of unknown types were left out"}
	largeImage  = kind{"image was left out, since it stands in the file and is large; its address would be kept", "images were left out, since they stand in the file and are large; their addresses would be kept"}
	noQuestion  = kind{"question without text was passed over", "questions without text were passed over"}
	noSource    = kind{"source of an answer names nothing in the dialogue", "sources of answers name nothing in the dialogue"}
)

// placesSaid is how many places are said of each kind.
const placesSaid = 5

// left counts what was left out, in the order in which each kind was first met.
type left struct {
	tallies []*tally
	// seen holds every place, where a file repeats its sessions and with them
	// what is wrong in them; nil where no place comes twice.
	seen map[string]bool
}

type tally struct {
	kind
	n      int
	places []string
}

func (l *left) add(k kind, format string, args ...any) {
	place := fmt.Sprintf(format, args...)
	if l.seen != nil {
		if l.seen[k.one+place] {
			return
		}
		l.seen[k.one+place] = true
	}
	i := slices.IndexFunc(l.tallies, func(t *tally) bool { return t.kind == k })
	if i < 0 {
		i = len(l.tallies)
		l.tallies = append(l.tallies, &tally{kind: k})
	}
	t := l.tallies[i]
	if t.n++; t.n <= placesSaid {
		t.places = append(t.places, place)
	}
}

// say gives a line for each kind.
func (l *left) say() []string {
	var out []string
	for _, t := range l.tallies {
		phrase, more := t.many, ""
		if t.n == 1 {
			phrase = t.one
		}
		if t.n > len(t.places) {
			more = ", …"
		}
		out = append(out, fmt.Sprintf("%d %s: %s%s", t.n, phrase, strings.Join(t.places, ", "), more))
	}
	return out
}
