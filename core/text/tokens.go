package text

// EstimateTokens returns how many o200k_base tokens s has at most.
// EstimateTokens(a+b) = EstimateTokens(a)+EstimateTokens(b) where a ends in a
// newline and b begins with neither white space nor '/'.
func EstimateTokens(s string) int { return len(s) }

// Cut returns the longest prefix of s, cut at the end of a word, whose
// estimate is at most maxTokens.
func Cut(s string, maxTokens int) string { return s[:min(len(s), max(0, maxTokens))] }
