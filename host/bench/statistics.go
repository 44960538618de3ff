package bench

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Mean of the values; NaN of none.
func Mean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// AUROC is the chance that an answerable question is reported with more
// confidence than an absent one, ties counting half; NaN where either is
// missing.
func AUROC(answerable, absent []float64) float64 {
	if len(answerable) == 0 || len(absent) == 0 {
		return math.NaN()
	}
	type scored struct {
		value float64
		gold  bool
	}
	var all []scored
	for _, v := range answerable {
		all = append(all, scored{v, true})
	}
	for _, v := range absent {
		all = append(all, scored{v, false})
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(a.value, b.value) })
	// Mann–Whitney U by mean ranks.
	rankSum := 0.0
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].value == all[i].value {
			j++
		}
		rank := float64(i+j+1) / 2
		for _, s := range all[i:j] {
			if s.gold {
				rankSum += rank
			}
		}
		i = j
	}
	n, m := float64(len(answerable)), float64(len(absent))
	return (rankSum - n*(n+1)/2) / (n * m)
}

// Interval is a 95 % confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Contains reports whether a value lies in the interval.
func (i Interval) Contains(v float64) bool { return i.Low <= v && v <= i.High }

// resamples is enough that the bounds move by less than a tenth of a point.
const resamples = 2000

// PairedBootstrap gives the interval of the mean difference a−b over questions
// that both methods answered, resampled with replacement. The seed makes it
// repeatable.
func PairedBootstrap(a, b []float64, seed uint64) Interval {
	if len(a) != len(b) || len(a) == 0 {
		return Interval{math.NaN(), math.NaN()}
	}
	diff := make([]float64, len(a))
	for i := range a {
		diff[i] = a[i] - b[i]
	}
	return Bootstrap(diff, seed)
}

// Bootstrap gives the interval of the mean of values.
func Bootstrap(values []float64, seed uint64) Interval {
	if len(values) == 0 {
		return Interval{math.NaN(), math.NaN()}
	}
	random := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	means := make([]float64, resamples)
	for r := range means {
		sum := 0.0
		for range values {
			sum += values[random.IntN(len(values))]
		}
		means[r] = sum / float64(len(values))
	}
	slices.Sort(means)
	return Interval{means[resamples*25/1000], means[resamples*975/1000-1]}
}
