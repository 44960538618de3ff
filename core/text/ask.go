package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ask is what a question asks for.
type Ask string

const (
	AskNone    Ask = ""
	AskWhen    Ask = "when"
	AskWhere   Ask = "where"
	AskWho     Ask = "who"
	AskHowMany Ask = "how many"
	AskHowLong Ask = "how long"
	AskHow     Ask = "how"
	AskWhat    Ask = "what"
	AskWhich   Ask = "which"
	AskWhy     Ask = "why"
	AskYesNo   Ask = "yes-no"
)

// IsQuestion reports whether a sentence of s asks: it ends in a question mark
// of any script, or is built as a question.
func IsQuestion(s string) bool {
	if strings.ContainsAny(s, "?？؟\u037e") {
		for _, sentence := range Sentences(s) {
			if asked(sentence) {
				return true
			}
		}
		return false
	}
	return asked(s)
}

func asked(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'”’)]*_", r) || unicode.Is(unicode.So, r)
	})
	r, _ := utf8.DecodeLastRuneInString(s)
	switch r {
	case '?', '？', '؟', '\u037e', '⁇', '‽', '吗', '嗎', '呢':
		return true
	case '。':
		return strings.HasSuffix(s, "か。") || strings.HasSuffix(s, "吗。")
	case '.', '!', '…':
		return strings.HasSuffix(s, "?!")
	case 'か':
		return true
	}
	return builtAsQuestion(firstWords(s, 4))
}

// firstWords returns up to n words from the start of s.
func firstWords(s string, n int) []string {
	end := len(s)
	if end > 120 {
		end = runeStart(s, 120)
	}
	t := scanner{s: s[:end], small: Small(s[:end]), out: make([]Token, 0, n+4)}
	for len(t.out) < n && t.next() {
	}
	words := make([]string, min(n, len(t.out)))
	for i := range words {
		words[i] = t.out[i].Text
	}
	return words
}

// builtAsQuestion looks for the order of words of an English question:
// "where did …", "how many …", "are you …".
func builtAsQuestion(w []string) bool {
	if len(w) < 2 {
		return false
	}
	switch {
	case w[0] == "how" && (w[1] == "many" || w[1] == "much" || w[1] == "long" || w[1] == "often" || w[1] == "old" || w[1] == "far" || w[1] == "come"):
		return true
	case (w[0] == "what" || w[0] == "which") && len(w) > 2 && auxiliary(w[2]) && w[1] != "a":
		return true
	case QuestionWord(w[0]) && auxiliary(w[1]):
		return w[0] != "when" && w[0] != "how" || len(w) > 2 // "how are you"
	case auxiliary(w[0]) && w[0] != "being":
		return subject(w[1])
	}
	return false
}

func auxiliary(w string) bool {
	if q := strings.IndexByte(w, '\''); q > 0 {
		w = strings.TrimSuffix(w[:q], "n")
	}
	switch w {
	case "is", "are", "was", "were", "am", "do", "does", "did", "can", "ca", "could", "will", "wo", "would", "should", "shall", "has", "have", "had", "may", "might":
		return true
	}
	return false
}

func subject(w string) bool {
	switch w {
	case "i", "you", "he", "she", "it", "we", "they", "there", "this", "that", "these", "those", "my", "your", "his", "her", "our", "their", "the", "any", "anyone", "someone":
		return true
	}
	return false
}

// AskOf says what kind of answer the question s wants, AskNone if it asks for
// nothing that the rules know. A question word that an auxiliary follows goes
// before one that opens a clause ("When Ana moved, where did she go?").
func AskOf(s string) Ask {
	if a := denseAsk(s); a != AskNone {
		return a
	}
	words := Words(s)
	clause := AskNone
	for i, w := range words {
		a := askWord(words, i)
		if a == AskNone {
			continue
		}
		if i > 0 && auxiliary(words[0]) && !tellsBefore(words[:i]) {
			return AskYesNo // "Did Ana say where she was?"
		}
		asks := i+1 < len(words) && auxiliary(words[i+1]) || i > 0 && (tells(words[i-1]) || short(words[i-1]))
		if asks || w != "when" && w != "where" && w != "who" {
			return a
		}
		if clause == AskNone {
			clause = a
		}
	}
	if clause == AskNone && len(words) > 0 && auxiliary(words[0]) {
		return AskYesNo
	}
	return clause
}

// short reports a preposition or conjunction that may stand before a question
// word that asks ("since when").
func short(w string) bool {
	return w == "in" || w == "on" || w == "at" || w == "since" || w == "and" || w == "from" || w == "for"
}

func tells(w string) bool {
	switch w {
	case "know", "tell", "me", "remember", "recall", "us", "wondering", "wonder", "remind", "guess", "figure", "find", "out", "exactly":
		return true
	}
	return false
}

func tellsBefore(words []string) bool {
	for _, w := range words {
		if tells(w) {
			return true
		}
	}
	return false
}

// askWord reads the question word at words[i] with what follows it.
func askWord(words []string, i int) Ask {
	next, third := "", ""
	if i+1 < len(words) {
		next = words[i+1]
	}
	if i+2 < len(words) {
		third = words[i+2]
	}
	switch words[i] {
	case "when", "wann", "cuando", "quand":
		return AskWhen
	case "where", "donde", "wo", "woher", "wohin":
		return AskWhere
	case "who", "whom", "whose", "wer", "wen", "wem", "quien", "quienes", "qui":
		return AskWho
	case "why", "warum", "wieso", "pourquoi":
		return AskWhy
	case "how":
		return askHow(next, third)
	case "what", "which":
		return askNoun(words[i], next, third)
	}
	if i <= 1 {
		return askForeign(words[i], next)
	}
	return AskNone
}

func askHow(next, third string) Ask {
	switch next {
	case "many", "much", "old", "tall", "far", "big":
		return AskHowMany
	case "long":
		if third == "ago" {
			return AskWhen
		}
		return AskHowLong
	case "come":
		return AskWhy
	}
	return AskHow
}

func askNoun(w, next, third string) Ask {
	switch next {
	case "time", "date", "day", "year", "month", "week", "season", "weekday", "weekend":
		return AskWhen
	case "city", "country", "place", "town", "state", "location", "street":
		return AskWhere
	case "person", "people":
		return AskWho
	case "number", "percentage":
		return AskHowMany
	case "reason":
		return AskWhy
	case "kind", "type", "sort":
		return AskWhat
	}
	if auxiliary(next) && (third == "reason" || third == "the reason") {
		return AskWhy
	}
	if w == "which" {
		return AskWhich
	}
	return AskWhat
}

// askForeign reads question words of Spanish, French and German that are
// ordinary words of other languages, at the start of a question only.
func askForeign(w, next string) Ask {
	switch w {
	case "cuantos", "cuantas", "cuanto", "cuanta", "combien":
		if next == "tiempo" || next == "de" {
			return AskHowLong
		}
		return AskHowMany
	case "wie":
		switch next {
		case "viele", "viel", "oft":
			return AskHowMany
		case "lange":
			return AskHowLong
		}
		return AskHow
	case "por":
		if next == "que" {
			return AskWhy
		}
	case "como", "comment":
		return AskHow
	case "cual", "cuales", "quel", "quelle", "quels", "quelles", "welche", "welcher", "welches", "welchen":
		return AskWhich
	case "que", "quoi", "est-ce":
		return AskWhat
	case "was":
		if next == "ist" || next == "hat" || next == "macht" || next == "war" {
			return AskWhat
		}
	case "ou":
		return AskWhere
	}
	return AskNone
}

// denseAsk looks for the question words of Chinese, Japanese and Korean,
// longer ones first.
func denseAsk(s string) Ask {
	if !hasDense(s) {
		return AskNone
	}
	for _, q := range [...]struct {
		ask   Ask
		words string
	}{
		{AskHowLong, "多久 多长时间 多長時間 どのくらい どれくらい 얼마나 오래"},
		{AskWhen, "什么时候 什麼時候 何时 几点 哪天 哪年 几月 几号 いつ 何時 何年 何月 何日 언제"},
		{AskWhere, "哪里 哪裡 哪儿 在哪 何处 どこ 어디"},
		{AskWhy, "为什么 為什麼 为何 なぜ どうして なんで 왜"},
		{AskHowMany, "多少 几个 几次 几岁 幾 いくつ いくら 何人 何回 何匹 何歳 몇 얼마"},
		{AskWho, "谁 誰 だれ 누구 누가"},
		{AskHow, "怎么 怎麼 怎样 如何 どうやって どう 어떻게"},
		{AskWhich, "哪个 哪個 哪些 哪 どれ どの どちら 어느"},
		{AskWhat, "什么 什麼 何 なに なん 무엇 뭐"},
		{AskYesNo, "吗 嗎 是不是 有没有 ですか ますか"},
	} {
		for w := range strings.FieldsSeq(q.words) {
			if strings.Contains(s, w) {
				return q.ask
			}
		}
	}
	return AskNone
}

func hasDense(s string) bool {
	for _, r := range s {
		if dense(r) {
			return true
		}
	}
	return false
}
