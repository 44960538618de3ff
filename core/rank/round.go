package rank

import "math"

// Round keeps six decimals. Scores are rounded before they are compared or
// shown, so that a last bit which differs between engines changes no order.
// NaN becomes 0.
func Round(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	if math.Abs(x) > 1e9 { // beyond what six decimals can express
		return x
	}
	r := math.Round(x*1e6) / 1e6
	return r + 0 // −0 becomes 0
}
