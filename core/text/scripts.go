package text

import "unicode/utf8"

// The tables hold most of what English merges and less of other scripts, so the
// truncated count of those is above the true one by a share that hardly depends
// on the text (RATIONALE.md). A piece therefore costs less than it counts, in
// unitsPerToken; the sum of a line is rounded up.
const unitsPerToken = 64

// script is a range of letters up to last, from the end of the one before it.
type script struct {
	last  rune
	saved uint8 // units of each token that the full vocabulary is sure to merge away
	dense uint8 // tokens for four letters beyond which a piece is no ordinary text
}

const (
	alphabet   = 3
	syllable   = 8
	ethiopic   = 12
	mostSaving = 40 // tokens of a piece that are taken to be ordinary: "哈哈哈哈…" is not
)

var scriptTable = [...]script{
	{0x36f, 0, 0}, {0x3ff, 13, alphabet}, // Greek
	{0x52f, 8, alphabet},                 // Cyrillic
	{0x58f, 16, alphabet},                // Armenian
	{0x5ff, 8, alphabet},                 // Hebrew
	{0x6ff, 11, alphabet},                // Arabic
	{0x8ff, 0, 0}, {0xbff, 13, syllable}, // Devanagari to Tamil
	{0xc7f, 11, syllable},                 // Telugu
	{0xdff, 13, syllable},                 // Kannada to Sinhala
	{0xe7f, 15, alphabet},                 // Thai
	{0xfff, 0, 0}, {0x109f, 14, syllable}, // Myanmar
	{0x10ff, 15, alphabet},                 // Georgian
	{0x11ff, 0, 0}, {0x137f, 14, ethiopic}, // Ethiopic
	{0x177f, 0, 0}, {0x17ff, 13, syllable}, // Khmer
	{0x303f, 0, 0}, {0x30ff, 6, syllable}, // kana
	{0x33ff, 0, 0}, {0x9fff, 7, syllable}, // Han
	{0xabff, 0, 0}, {0xd7a3, 12, syllable}, // Hangul
}

// pieceUnits is what a piece costs, pieceTokens(p) tokens at most.
func pieceUnits(p string) int {
	n := pieceTokens(p)
	if n > 1 {
		if s := scriptOf(p); 4*n <= int(s.dense)*utf8.RuneCountInString(p) {
			return n*unitsPerToken - min(n, mostSaving)*int(s.saved)
		}
	}
	return n * unitsPerToken
}

// scriptOf is the script of the first letter that saves something.
func scriptOf(p string) (s script) {
	for _, r := range p {
		if r <= scriptTable[0].last {
			continue
		}
		for _, s = range scriptTable {
			if r <= s.last {
				break
			}
		}
		if r <= s.last && s.saved > 0 {
			return s
		}
	}
	return script{}
}

// wholeTokens rounds units up.
func wholeTokens(units int) int { return (units + unitsPerToken - 1) / unitsPerToken }

// afterPiece adds a piece to the units of a text: a line ends with whole tokens.
func afterPiece(units, piece int, p string) int {
	units += piece
	if p[len(p)-1] == '\n' {
		return wholeTokens(units) * unitsPerToken
	}
	return units
}
