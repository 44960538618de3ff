package text

import "strings"

// Counter is EstimateTokens for many texts of one vocabulary: it remembers what
// the pieces cost. The zero Counter is ready.
type Counter struct {
	known map[string]uint16 // units
}

const (
	counterPieces = 1 << 13 // kept at most
	counterLength = 24      // bytes of the longest piece that is kept
)

// Count is EstimateTokens(s).
func (c *Counter) Count(s string) int {
	s = strings.ToValidUTF8(s, "\uFFFD")
	n := 0
	for s != "" {
		w := nextPiece(s)
		n = afterPiece(n, c.piece(s[:w]), s[:w])
		s = s[w:]
	}
	return wholeTokens(n)
}

func (c *Counter) piece(p string) int {
	if len(p) == 1 {
		return unitsPerToken
	}
	if n, ok := c.known[p]; ok {
		return int(n)
	}
	n := pieceUnits(p)
	if len(p) > counterLength {
		return n
	}
	if c.known == nil || len(c.known) >= counterPieces {
		c.known = map[string]uint16{}
	}
	c.known[strings.Clone(p)] = uint16(n)
	return n
}
