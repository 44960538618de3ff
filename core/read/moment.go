package read

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// moment is the time whose state a question asks for: now, in March 2026,
// before Berlin, before that.
type moment struct {
	at      when
	bound   string         // the word that bounds it: "until" ends with what it names
	refers  []string       // stems by which it is told: "(before) she moved to Berlin"
	who     []string       // speakers named among them
	whose   []string       // speakers named elsewhere: whose states are asked for
	periods []mem.Interval // dates by which it is told
	loose   bool           // "before" may also stand alone: what it follows need not bound it
	begins  bool           // what began then is asked for ("moved", "joined")
	asks    []string       // stems of the whole question: a state that it names is meant
}

// when says how the moment stands to what it is told by.
type when uint8

const (
	untold when = iota
	atPresent
	atFirst
	previously
	during
	earlier
	later
)

// whenOf reads one word of a question as a cue, in English, German, Spanish and
// French. Words are folded.
func whenOf(w, next string) when {
	switch {
	case (w == "used" || w == "use") && next == "to":
		return previously
	case w == "these" && next == "days", (w == "this" || w == "the") && next == "moment":
		return atPresent
	}
	return whens[w]
}

// whens are the words that cue a moment by themselves.
var whens = tabled(map[when]string{
	earlier:    "before until till prior bevor bis vor antes hasta avant jusqu'en jusqu",
	later:      "after since following nachdem nach seit seitdem despues desde apres depuis",
	during:     "when while whilst during als wahrend cuando mientras durante quand pendant",
	previously: "previous previously former formerly earlier fruher fruhere vorher zuvor ehemalige ehemals anteriormente anterior auparavant precedent",
	atFirst:    "first initially originally zuerst anfangs ursprunglich primero inicialmente originalmente initialement",
	atPresent: "now currently current nowadays presently still latest newest today jetzt aktuell derzeit momentan inzwischen heute ahora actualmente todavia " +
		"hoy maintenant actuellement aujourd'hui",
})

// tabled turns lists of words, one for each meaning, into what each word means.
func tabled[T comparable](lists map[T]string) map[string]T {
	out := map[string]T{}
	for meaning, words := range lists { // no word stands on two
		for w := range text.Parts(words, ' ') {
			out[w] = meaning
		}
	}
	return out
}

// momentOf reads the moment off the words of a question and its dates.
func momentOf(q *Question, plan mem.Plan, ix *index) moment {
	m := moment{asks: contentStems(q.Text)}
	refs := text.QueryTimes(q.Text, q.Time)
	if denseQuestion(q.Text) {
		m.readDense(q.Text, ix)
	} else {
		m.readWords(q.Text, refs, ix)
	}
	if m.at == untold && len(plan.Constraints.Times) > 0 {
		m.at = during
	}
	if m.at == untold && present(q.Text) {
		m.at = atPresent
	}
	for _, s := range q.named {
		if name := ix.speakers[s]; !containsFold(m.who, name) {
			m.whose = append(m.whose, name)
		}
	}
	if m.at >= during && (len(refs) > 0 || len(m.refers) == 0) {
		m.periods = plan.Constraints.Times
	}
	return m
}

// readWords looks for cues word by word. What bounds a time by something goes
// before what names one ("before she moved to her current flat").
func (m *moment) readWords(q string, refs []text.TimeRef, ix *index) {
	tokens := text.Tokens(q)
	asksWhen := text.AskOf(q) == text.AskWhen
	for i, t := range tokens {
		if within(refs, t.Start) {
			continue
		}
		next := ""
		if i+1 < len(tokens) {
			next = tokens[i+1].Text
		}
		at := whenOf(t.Text, next)
		switch {
		case turning(t.Text):
			m.begins = true
		case at == untold, at == during && asksWhen && i == 0, t.Text == "nach" && moves(tokens):
		case at == earlier || at == later:
			if m.at != earlier && m.at != later {
				m.told(at, t.Text, q, tokens[i+1:], refs, ix)
			}
		case at == during:
			if m.at < during {
				m.told(at, t.Text, q, tokens[i+1:], refs, ix)
			}
		case m.at == untold || m.at == atPresent:
			m.at, m.bound = at, t.Text
		}
	}
}

// told takes what follows a cue, up to the end of its clause. "Before" alone
// means before now; a clause that names nothing tells no time.
func (m *moment) told(at when, cue, q string, rest []text.Token, refs []text.TimeRef, ix *index) {
	names := ix.called
	var refers, who []string
	dated, end := false, 0
	for i, t := range rest {
		if i > 0 && t.Start >= end && strings.ContainsAny(q[end:t.Start], ",;?") {
			break
		}
		end = t.End
		if within(refs, t.Start) {
			dated = true
			continue
		}
		if at == earlier && whenOf(t.Text, "") == atPresent {
			if m.at, m.refers = previously, nil; cue != "before" && cue != "vor" && cue != "antes" {
				m.at = atPresent // "until now"
			}
			return
		}
		switch speakers := names.called(t.Text, q[t.Start:t.End]); {
		case len(speakers) > 0:
			who = append(who, ix.speakers[speakers[0]])
		case !text.Stop(t.Text):
			refers = append(refers, text.Stem(t.Text))
		}
	}
	switch {
	case len(refers) > 0 || dated:
		m.at, m.bound, m.refers, m.who = at, cue, refers, who
	case at == earlier && m.at < during:
		m.at = previously
	}
}

// present reports a question in the present tense: it asks about now.
func present(q string) bool {
	for _, w := range text.Words(q) {
		switch w {
		case "do", "does", "is", "are", "am", "what's", "where's", "who's", "vive", "trabaja", "wohnt", "arbeitet", "lebt":
			return true
		case "did", "was", "were", "has", "have", "had", "would", "will", "could", "might":
			return false
		}
	}
	return false
}

// within reports whether a byte of the question belongs to a date.
func within(refs []text.TimeRef, at int) bool {
	return slices.ContainsFunc(refs, func(r text.TimeRef) bool { return at >= r.Start && at < r.End })
}

// turning are verbs of beginning: "Where did she move in May?"
func turning(w string) bool {
	switch w {
	case "move", "moved", "start", "started", "join", "joined", "become", "became", "switch", "switched", "begin", "began", "change", "changed", "zog", "gezogen", "umgezogen", "mudo", "mudarse":
		return true
	}
	return false
}

// moves reports a German verb with which "nach" tells a place and no time.
func moves(tokens []text.Token) bool {
	return slices.ContainsFunc(tokens, func(t text.Token) bool {
		switch t.Text {
		case "zog", "zogen", "ziehen", "zieht", "gezogen", "umgezogen", "umzog", "fuhr", "gefahren", "reiste", "gereist", "flog", "geflogen", "ging", "gegangen":
			return true
		}
		return false
	})
}

// denseCues are the cues of Chinese, the longer before those that they hold.
var denseCues = []struct {
	word string
	at   when
}{
	{"之前", earlier}, {"以前", earlier}, {"之后", later}, {"以后", later}, {"后来", later}, {"的时候", during}, {"期间", during},
	{"曾经", previously}, {"从前", previously}, {"过去", previously}, {"最初", atFirst}, {"最早", atFirst}, {"一开始", atFirst}, {"起初", atFirst},
	{"原来", previously}, {"现在", atPresent}, {"目前", atPresent}, {"如今", atPresent}, {"还", atPresent},
}

// readDense looks for the cues of Chinese, which stand behind what they bound.
func (m *moment) readDense(q string, ix *index) {
	for _, c := range denseCues {
		before, _, ok := strings.Cut(q, c.word)
		if !ok {
			continue
		}
		m.at, m.bound = c.at, c.word
		if c.at >= during {
			if i := strings.LastIndexAny(before, "，,"); i >= 0 {
				before = before[i+1:]
			}
			for _, name := range ix.speakers {
				before = strings.ReplaceAll(before, name, " ")
			}
			m.refers = contentStems(before)
		}
		m.loose = true
		return
	}
}

func denseQuestion(q string) bool {
	for _, r := range q {
		if r >= 0x4e00 && r <= 0x9fff {
			return true
		}
	}
	return false
}

// stems are the contentStems of what a memory says, made once while the index
// lives.
func (ix *index) stems(s string) []string {
	known, ok := ix.stemsOf[s]
	if !ok {
		if ix.stemsOf == nil || len(ix.stemsOf) >= shownKept {
			ix.stemsOf = map[string][]string{}
		}
		known = contentStems(s)
		ix.stemsOf[s] = known
	}
	return known
}

// contentStems are the stems of a text without its function words.
func contentStems(s string) []string {
	var out []string
	for _, w := range text.Words(s) {
		if !text.Stop(w) {
			out = append(out, text.Stem(w))
		}
	}
	return out
}
