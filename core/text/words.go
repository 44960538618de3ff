package text

// Token is one index term with the bytes of the text that it stands for.
type Token struct {
	Text       string // folded
	Start, End int    // s[Start:End] is the term as it was written
}

// Tokens returns the index terms of s in order of their start.
func Tokens(s string) []Token { return nil }

// Words returns the texts of Tokens(s).
func Words(s string) []string { return nil }

// Stem returns the stem of a folded English word; other words are unchanged.
func Stem(w string) string { return w }

// Stop reports whether a folded word is an English stop word.
func Stop(w string) bool { return false }

// QuestionWord reports whether a folded word asks ("who", "when", …).
func QuestionWord(w string) bool { return false }
