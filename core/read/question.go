package read

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/embed"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/rank"
	"github.com/leanmem/leanmem/core/text"
)

// Question is a query as ranking sees it.
type Question struct {
	mem.Query
	terms  []term       // its distinct content words, speakers' names left out, in order
	named  []int32      // speakers that it names
	asker  bool         // the one who asks speaks of himself
	told   bool         // asks for what the assistant said
	dates  bool         // its answer may be a date, so relative phrases are resolved
	Bare   string       // the text without the speakers' names: what is embedded
	tokens []text.Token // of Bare, with times made when first asked for
	times  []text.TimeRef
	cut    bool
	packed rank.PackedQuery // of Vector, made when first compared
	length float64          // of Vector
	Vector []int8           // of Bare; nil without an embedder for its language
}

// Analyse reads a query against a snapshot. Names of speakers are taken out of
// the words: they select (speaker term) and would otherwise match every turn
// that addresses somebody.
func Analyse(s Snapshot, q mem.Query) *Question {
	ix := indexOf(s)
	out := &Question{Query: q}
	names := ix.called
	at := 0
	var words []string
	var bare strings.Builder
	for _, t := range text.Tokens(q.Text) {
		if who := names.called(t.Text, q.Text[t.Start:t.End]); len(who) > 0 {
			out.name(who)
			if t.Start >= at {
				bare.WriteString(q.Text[at:t.Start])
				at = t.End
			}
			continue
		}
		if !text.Stop(t.Text) && !slices.Contains(words, t.Text) {
			words = append(words, t.Text)
		}
	}
	bare.WriteString(q.Text[at:])
	out.Bare = bare.String()
	for _, w := range words {
		t := ix.meet(w)
		t.first = !slices.ContainsFunc(out.terms, func(x term) bool { return x.stem == t.stem })
		out.terms = append(out.terms, t)
	}
	plain := plainWords(q.Text)
	out.asker, out.told, out.dates = speaksOfSelf(plain), asksWhatWasTold(plain), asksForDate(plain) || text.AskOf(q.Text) == text.AskWhen
	if v, ok := embed.Text(out.Bare); ok {
		out.Vector = v
	}
	return out
}

// bare gives the tokens of Bare and the dates in it, made once.
func (q *Question) bare() ([]text.Token, []text.TimeRef) {
	if !q.cut {
		q.tokens, q.times, q.cut = text.Tokens(q.Bare), text.QueryTimes(q.Bare, q.Time), true
	}
	return q.tokens, q.times
}

// totalIDF is Σ idf over the words of the question.
func (q *Question) totalIDF() float64 {
	total := 0.0
	for i := range q.terms {
		total += q.terms[i].idf
	}
	return total
}

// names maps the words of speakers' names to the speakers. Roles are no names.
type names map[string][]int32

func (ix *index) namesOf() names {
	out := names{}
	for i, name := range ix.speakers {
		if ix.roles[i] != mem.RolePeer {
			continue
		}
		words := text.Words(name)
		for _, w := range words {
			if len(w) > 2 || len(words) == 1 {
				out[w] = append(out[w], int32(i))
			}
		}
	}
	return out
}

// called gives the speakers that a word of a question names: by a word of their
// name, or by a capitalised beginning of it that fits one of them alone ("Mel").
func (n names) called(word, written string) []int32 {
	if who, ok := n[word]; ok {
		return who
	}
	if len(word) < 3 || written[0] < 'A' || written[0] > 'Z' {
		return nil
	}
	var who []int32
	for name, speakers := range n { // order does not matter: at most one is kept
		if strings.HasPrefix(name, word) {
			who = append(who, speakers...)
		}
	}
	if len(who) != 1 {
		return nil
	}
	return who
}

func (q *Question) name(speakers []int32) {
	for _, s := range speakers {
		if !slices.Contains(q.named, s) {
			q.named = append(q.named, s)
		}
	}
}

// plainWords are the runs of ASCII letters, lower-cased: cues are English.
func plainWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r < 'a' || r > 'z' })
}

func anyOf(words []string, set ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(set, w) })
}

func speaksOfSelf(words []string) bool {
	return anyOf(words, "i", "my", "me", "mine", "we", "our")
}

// tellings begin the verbs with which one asks for what was said.
var tellings = []string{
	"recommend", "suggest", "told", "tell", "mention", "said", "say", "provid", "gave", "give", "list", "explain",
	"describ", "creat", "wrote", "write", "made", "shar", "discuss", "talk", "remind", "help",
}

func asksWhatWasTold(words []string) bool {
	for i, w := range words {
		next := words[i+1:]
		switch w {
		case "you":
			for _, v := range next[:min(8, len(next))] {
				if slices.ContainsFunc(tellings, func(t string) bool { return strings.HasPrefix(v, t) }) {
					return true
				}
			}
		case "remind":
			if len(next) > 0 && next[0] == "me" {
				return true
			}
		case "previous", "last", "earlier":
			if len(next) > 0 && anyOf(next[:1], "conversation", "chat", "discussion") {
				return true
			}
		}
	}
	return false
}

func asksForDate(words []string) bool {
	const units = " date day days week weeks month months year years time "
	for i, w := range words {
		next, third := "", ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		if i+2 < len(words) {
			third = words[i+2]
		}
		if among(" when first before after latest recently since ago ", w) || (w == "what" || w == "which") && among(units, next) ||
			w == "how" && (next == "long" || next == "many" && among(units, third)) {
			return true
		}
	}
	return false
}
