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
	return QuestionWord(w) || stopPronoun(w) || stopVerb(w) || stopParticle(w)
}

// QuestionWord reports whether a folded word asks ("who", "when", …).
func QuestionWord(w string) bool {
	switch w {
	case "who", "whom", "whose", "what", "which", "when", "where", "why", "how":
		return true
	}
	return false
}

func stopPronoun(w string) bool {
	switch w {
	case "i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves",
		"you", "your", "yours", "yourself", "yourselves", "he", "him", "his", "himself",
		"she", "her", "hers", "herself", "it", "its", "itself", "they", "them", "their",
		"theirs", "themselves", "this", "that", "these", "those", "there", "here",
		"a", "an", "the", "some", "any", "each", "every", "both", "all", "such", "own",
		"same", "other", "another", "few", "more", "most", "much", "many":
		return true
	}
	return false
}

func stopVerb(w string) bool {
	switch w {
	case "am", "is", "are", "was", "were", "be", "been", "being", "have", "has", "had",
		"having", "do", "does", "did", "doing", "done", "can", "could", "will", "would",
		"shall", "should", "may", "might", "must", "ought", "cannot",
		"dont", "didnt", "doesnt", "isnt", "wasnt", "cant", "wont", "im", "ive":
		return true
	}
	return false
}

func stopParticle(w string) bool {
	switch w {
	case "and", "but", "if", "or", "nor", "because", "as", "until", "while", "than", "then",
		"so", "though", "although", "of", "at", "by", "for", "with", "about", "against",
		"between", "into", "through", "during", "before", "after", "above", "below", "to",
		"from", "up", "down", "in", "out", "on", "off", "over", "under", "again", "further",
		"once", "onto", "upon", "within", "without", "no", "not", "only", "too", "very",
		"just", "also", "even", "ever", "yes", "oh", "ok", "okay", "well", "s", "t", "d", "m", "ll", "re", "ve":
		return true
	}
	return false
}
