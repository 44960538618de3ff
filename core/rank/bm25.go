package rank

import "math"

// BM25 holds the two parameters of Okapi BM25: K1 bounds what repeating a term
// is worth, B is how much longer texts are held back.
type BM25 struct {
	K1, B float64
}

// IDF is the weight of a term that df of n texts hold, in the form that is
// never negative: ln(1 + (n − df + ½) / (df + ½)).
func IDF(n, df int) float64 {
	df = min(max(df, 0), n)
	return math.Log1p((float64(n-df) + 0.5) / (float64(df) + 0.5))
}

// TF is the saturated weight of a term that occurs tf times in a text of the
// given length, where texts have the mean length. A text's score is the sum
// over the query's terms of IDF × TF, each product converted before it is
// added.
func (p BM25) TF(tf, length, mean float64) float64 {
	if tf <= 0 {
		return 0
	}
	ratio := 1.0
	if mean > 0 {
		ratio = length / mean
	}
	norm := float64(p.K1 * (1 - p.B + float64(p.B*ratio)))
	return float64(tf*(p.K1+1)) / (tf + norm)
}
