package text

import (
	_ "embed"
	"strings"
	"unicode/utf8"
)

// The two tables come from pieces_gen.go. mergeTable holds every o200k_base
// token below a rank with its rank; wordTable further tokens that are a whole
// English word, without rank. Both are hash tables of fingerprints that are
// searched in place, so nothing is built at start-up.
//
//go:generate go run pieces_gen.go -dict words.txt
var (
	//go:embed merges.bin
	mergeTable string
	//go:embed words.bin
	wordTable string
)

const (
	mergeBuckets = 1 << 12
	mergeEntry   = 5 // 24 bits of fingerprint, 16 bits of rank
	wordBuckets  = 1 << 13
	wordEntry    = 2
	maxPiece     = 128 // bytes merged at once: merging is quadratic
	maxWord      = 24  // bytes of the longest word that wordTable may hold
	noRank       = 1 << 16
)

const (
	hashStart = 0xcbf29ce484222325
	hashPrime = 0x100000001b3
)

func hashPiece(s string) uint64 {
	h := uint64(hashStart)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// bucket returns the bytes of the bucket of h: the table starts with the
// cumulative counts, 24 bits each.
func bucket(table string, buckets, entry int, h uint64) string {
	i := int(h>>40) & (buckets - 1)
	at := func(i int) int { return int(table[3*i]) | int(table[3*i+1])<<8 | int(table[3*i+2])<<16 }
	base := 3 * (buckets + 1)
	return table[base+at(i)*entry : base+at(i+1)*entry]
}

// rankOf returns the rank of a token, noRank if mergeTable does not hold it.
func rankOf(h uint64) int {
	b := bucket(mergeTable, mergeBuckets, mergeEntry, h)
	f0, f1, f2 := byte(h), byte(h>>8), byte(h>>16)
	for i := 0; i+mergeEntry <= len(b); i += mergeEntry {
		if b[i] == f0 && b[i+1] == f1 && b[i+2] == f2 {
			return int(b[i+3]) | int(b[i+4])<<8
		}
	}
	return noRank
}

func isWordToken(h uint64) bool {
	b := bucket(wordTable, wordBuckets, wordEntry, h)
	f0, f1 := byte(h), byte(h>>8)
	for i := 0; i+wordEntry <= len(b); i += wordEntry {
		if b[i] == f0 && b[i+1] == f1 {
			return true
		}
	}
	return false
}

// pieceTokens returns how many tokens a piece of the pre-tokeniser becomes, at
// most. Byte-pair encoding merges the pair of lowest rank first; stopping at a
// rank leaves a state that the full vocabulary only merges further. So the
// bound is exact as long as fingerprints do not collide.
func pieceTokens(p string) int {
	if len(p) == 1 || isToken(p) {
		return 1
	}
	n := 0
	for rest := p; rest != ""; {
		// A cut costs one more, for the merge that it may prevent.
		w := min(len(rest), maxPiece)
		n += merge(rest[:w])
		rest = rest[w:]
		if rest != "" {
			n++
		}
	}
	if n > 2 {
		n = min(n, affixed(p))
	}
	return n
}

// affixed bounds a word that the tables hold but for a leading mark ("(word")
// or a contraction ("Nature's"): both merge with the word last if at all. It
// leaves capitals alone, whose merges are less regular.
func affixed(p string) int {
	if len(p) > maxWord || capitals(p) {
		return len(p)
	}
	switch q := strings.LastIndexByte(p, '\''); {
	case q > 1 && len(p)-q <= 3 && isToken(p[:q]):
		return 2
	case p[0] < utf8.RuneSelf && p[0] != ' ' && classOf(rune(p[0])) == notLetter && isToken(p[1:]):
		return 2
	}
	return len(p)
}

// capitals reports whether a letter but the first is a capital.
func capitals(p string) bool {
	for i := 2; i < len(p); i++ {
		if 'A' <= p[i] && p[i] <= 'Z' {
			return true
		}
	}
	return false
}

func isToken(p string) bool {
	h := hashPiece(p)
	return rankOf(h) < noRank || wordLike(p) && isWordToken(h)
}

// wordLike reports whether wordTable may hold p: a space, a letter, and small
// letters with an apostrophe or capitals.
func wordLike(p string) bool {
	i := 0
	if p[0] == ' ' {
		i = 1
	}
	for j := i; j < len(p); j++ {
		if c := p[j]; classOf(rune(c)) == notLetter && (c != '\'' || j == i) {
			return false
		}
	}
	return len(p) <= maxWord
}

// merge counts the parts left of p after all merges that mergeTable knows.
func merge(p string) int {
	var start [maxPiece + 1]uint8 // start of each part; the last is len(p)
	var rank [maxPiece + 1]int32  // of the pair that begins at each part
	n := len(p)
	for i := 0; i <= n; i++ {
		start[i] = uint8(i)
	}
	pair := func(i int) int32 {
		if i+2 > n {
			return noRank
		}
		return int32(rankOf(hashPiece(p[start[i]:start[i+2]])))
	}
	for i := 0; i < n; i++ {
		rank[i] = pair(i)
	}
	for {
		best, at := int32(noRank), 0
		for i := 0; i < n-1; i++ {
			if rank[i] < best {
				best, at = rank[i], i
			}
		}
		if best == noRank {
			return n
		}
		copy(start[at+1:n], start[at+2:n+1])
		copy(rank[at+1:n-1], rank[at+2:n])
		n--
		rank[at] = pair(at)
		if at > 0 {
			rank[at-1] = pair(at - 1)
		}
	}
}
