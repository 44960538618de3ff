package text

import "strings"

// Stop reports whether a folded word is an English function word: the classes
// closed by grammar, with their contractions, and question words.
func Stop(w string) bool {
	if q := strings.IndexByte(w, '\''); q > 0 {
		return w[q:] == "'t" || Stop(w[:q])
	}
	if len(w) > 10 {
		return false
	}
	return (questionWords | pronouns | auxiliaries | particles).has(w)
}

// QuestionWord reports whether a folded word asks ("who", "when", …).
func QuestionWord(w string) bool { return questionWords.has(w) }
