package text

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Keywords returns up to n terms that say most about s, folded, best first:
// names and titles as they stand, and words by how often they occur, how long
// they are and how early they come. Function words and words that any dialogue
// has are left out.
func Keywords(s string, n int) []string {
	if n <= 0 {
		return nil
	}
	var terms []term
	index := make(map[string]int) // of terms; read by key only
	covered := func(int) bool { return false }
	if entities := Entities(s); len(entities) > 0 {
		covered = coverage(entities)
		for _, e := range entities {
			if e.Label != LabelQuantity {
				terms = count(terms, index, Fold(e.Text), 6)
			}
		}
	}
	last := -1
	for _, t := range Tokens(s) {
		if t.Start >= last && !covered(t.Start) && telling(t.Text) {
			terms = count(terms, index, t.Text, weight(t.Text))
			last = t.Start
		}
	}
	sort.SliceStable(terms, func(i, j int) bool { return terms[i].score > terms[j].score })
	out := make([]string, 0, n)
	for _, t := range terms {
		if len(out) == n {
			break
		}
		out = append(out, t.text)
	}
	return out
}

// term is a candidate with its score: integers, so that every engine agrees.
type term struct {
	text  string
	score int
}

// count adds an occurrence. The first counts whole, further ones half, and a
// term of the first hundred a little more than later ones.
func count(terms []term, index map[string]int, w string, weight int) []term {
	if i, ok := index[w]; ok {
		terms[i].score += weight * 5
		return terms
	}
	index[w] = len(terms)
	return append(terms, term{w, weight*10 + max(0, 10-len(terms)/10)})
}

// coverage reports whether an offset lies within one of the entities.
func coverage(entities []Entity) func(int) bool {
	return func(at int) bool {
		i := sort.Search(len(entities), func(i int) bool { return entities[i].End > at })
		return i < len(entities) && entities[i].Start <= at
	}
}

func weight(w string) int {
	r, size := utf8.DecodeRuneInString(w)
	switch n := utf8.RuneCountInString(w); {
	case dense(r):
		if size == len(w) {
			return 1
		}
		return 3
	case n >= 9:
		return 4
	case n >= 6:
		return 3
	case n >= 4:
		return 2
	}
	return 1
}

// telling reports whether a word may be a keyword.
func telling(w string) bool {
	if Stop(w) || light(w) {
		return false
	}
	r, size := utf8.DecodeRuneInString(w)
	if dense(r) {
		for _, r := range w {
			if denseFunction(r) || 0x3041 <= r && r < 0x3097 {
				return false
			}
		}
		return size < len(w)
	}
	return len(w) > 2 || r >= '0' && r <= '9'
}

// light lists words of content that say little of what a dialogue is about.
func light(w string) bool {
	switch w {
	case "get", "got", "getting", "go", "goes", "going", "went", "gone", "make", "makes", "made", "making", "take", "takes", "took", "taking", "come", "came", "coming",
		"know", "knew", "think", "thought", "thinking", "want", "wanted", "need", "needed", "like", "liked", "love", "loved", "see", "saw", "seen", "look", "looks", "looking",
		"say", "said", "tell", "told", "talk", "talking", "feel", "feels", "feeling", "felt", "let", "lets", "keep", "give", "gave", "put", "try", "trying", "tried", "use", "used", "using",
		"thing", "things", "something", "anything", "everything", "nothing", "someone", "anyone", "everyone", "way", "ways", "lot", "lots", "bit", "kind", "sort", "stuff",
		"good", "great", "nice", "awesome", "amazing", "cool", "wonderful", "fantastic", "best", "better", "new", "big", "little", "sure", "right", "really", "actually",
		"definitely", "absolutely", "totally", "always", "never", "still", "already", "maybe", "probably", "pretty", "quite", "around", "back", "away", "together", "recently", "lately",
		"day", "days", "time", "times", "today", "yesterday", "tomorrow", "week", "weeks", "month", "months", "year", "years", "now", "soon", "ago", "last", "next", "first",
		"hey", "hello", "hi", "wow", "thanks", "thank", "yeah", "yes", "please", "sorry", "glad", "happy", "excited", "exciting", "hear", "sounds", "congrats", "congratulations",
		"one", "two", "three", "people", "person", "start", "started", "starting", "help", "helps", "helped", "work", "find", "found", "much", "many", "long", "since", "yet", "via",
		"i'm", "i've", "i'd", "i'll", "it's", "that's", "don't", "can't", "let's", "who's", "what's":
		return true
	}
	return false
}

// starter reports a word that often opens an English sentence with a capital
// without being a name; function words aside.
func starter(w string) bool {
	if q := strings.IndexAny(w, "'-"); q > 0 {
		w = w[:q]
	}
	if Stop(w) || light(w) || greetingWord(w) || acknowledgingWord(w) || fillerWord(w) {
		return true
	}
	if _, laughs := laughter(w); laughs {
		return true
	}
	switch w {
	case "dear", "sincerely", "hopefully", "honestly", "unfortunately", "luckily", "basically", "especially", "apparently", "meanwhile", "however", "therefore", "instead",
		"besides", "otherwise", "anyway", "anyways", "speaking", "remember", "imagine", "check", "consider", "choose", "create", "add", "avoid", "ensure", "include", "provide",
		"read", "write", "ask", "call", "buy", "eat", "play", "watch", "visit", "join", "share", "show", "send", "set", "run", "stay", "plan", "learn", "explore", "enjoy",
		"life", "music", "food", "family", "friends", "nature", "art", "dance", "dogs", "cats", "kids", "books", "movies", "games", "home", "school", "money", "health",
		"half", "part", "next", "finally", "later", "sometimes", "often", "usually", "once", "twice", "second", "third", "another", "several", "note", "tip", "tips", "step",
		"dad", "mom", "mum", "grandma", "grandpa", "based", "according", "due", "given", "using", "please", "whether", "whatever", "whenever", "wherever", "perhaps", "plus",
		"mine", "none", "nobody", "somebody", "everybody", "must", "want", "wish", "hoping", "looking", "can", "user", "assistant", "hugs", "sending", "spending",
		"loved", "loving", "playing", "working", "seeing", "having", "being", "doing", "going", "trying", "making", "getting", "taking", "giving", "yup", "nah", "ugh", "phew",
		"sir", "madam", "cheers", "both", "same", "similar", "different", "important", "additionally", "furthermore", "moreover", "overall", "summary", "example", "examples":
		return true
	}
	return false
}
