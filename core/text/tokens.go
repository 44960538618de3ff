package text

import (
	"strings"
	"unicode/utf8"
)

// EstimateTokens returns how many tokens of o200k_base s has at most. For text
// in Latin letters it is the exact count of an encoder that knows only part of
// the vocabulary, so it is never below (RATIONALE.md) and on English dialogue
// 2–4 % above. Of other scripts the share that the rest of the vocabulary merges
// away is taken off: a single line may so be a few tokens too low, text of some
// hundred tokens is not.
//
// EstimateTokens(a+b) = EstimateTokens(a) + EstimateTokens(b) where a ends in
// a newline and b begins with neither white space nor '/': a caller may sum
// over lines.
func EstimateTokens(s string) int {
	s = strings.ToValidUTF8(s, "\uFFFD")
	n := 0
	for s != "" {
		w := nextPiece(s)
		n = afterPiece(n, pieceUnits(s[:w]), s[:w])
		s = s[w:]
	}
	return wholeTokens(n)
}

// Cut returns a prefix of s whose estimate is at most maxTokens, all of s if
// it fits. It ends at the end of a word where it can and never within a rune.
func Cut(s string, maxTokens int) string {
	if len(s) <= maxTokens {
		return s // a byte is one token at most
	}
	n, at := 0, 0
	for at < len(s) {
		if r, w := utf8.DecodeRuneInString(s[at:]); r == utf8.RuneError && w == 1 {
			return cutBytes(s, at, maxTokens-wholeTokens(n)) // not text
		}
		w := nextPiece(s[at:])
		p := s[at : at+w]
		next := afterPiece(n, pieceUnits(p), p)
		if wholeTokens(next) > maxTokens {
			return cutPiece(s, at, w, maxTokens-wholeTokens(n))
		}
		n = next
		at += w
	}
	return s
}

// cutPiece cuts within the piece s[at:at+w], of which only budget tokens fit.
// A word stays whole, so the cut falls before it, unless nothing would be left
// or the piece is long: then as many of its runes as have budget bytes.
func cutPiece(s string, at, w, budget int) string {
	if budget <= 0 || at > 0 && w <= maxPiece/4 {
		return s[:at]
	}
	return cutBytes(s[:at+w], at, budget)
}

// cutBytes adds to s[:at] the whole runes within the next n bytes: a byte is
// one token at most.
func cutBytes(s string, at, n int) string {
	end := min(len(s), at+max(n, 0))
	for end > at && end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
