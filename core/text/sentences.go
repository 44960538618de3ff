package text

// Sentences returns substrings of s that concatenate to s, each a sentence, a
// line of a list, or a code block.
func Sentences(s string) []string { return []string{s} }

// SentenceSpans returns the byte offsets of Sentences(s).
func SentenceSpans(s string) [][2]int { return [][2]int{{0, len(s)}} }
