package rank

import (
	"math"
	"slices"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestValleyDepthIsEquationOne(t *testing.T) {
	s := []float64{0.9, 0.8, 0.2, 0.7, 0.8}
	// w = 1: d_1 = .9 + .2 − 1.6, d_2 = .8 + .7 − .4, d_3 = .2 + .8 − 1.4.
	for i, want := range []float64{-0.5, 1.1, -0.4} {
		if got := ValleyDepths(s, 1); !near(got[i], want) {
			t.Errorf("w 1: d_%d = %v, want %v", i+1, got[i], want)
		}
	}
	// w = 2: d_2 = (.8 + .9)/2 + (.7 + .8)/2 − .4 = .85 + .75 − .4.
	if got := ValleyDepths(s, 2); len(got) != 1 || !near(got[0], 1.2) {
		t.Errorf("w 2: %v", got)
	}
	if got := ValleyDepths(s, 3); got != nil {
		t.Errorf("incomplete windows: %v", got)
	}
	if got := ValleyDepths(s, 0); got != nil {
		t.Errorf("no window: %v", got)
	}
}

func TestBoundaries(t *testing.T) {
	w1 := Valleys{W: 1, Lambda: 0.05}
	for _, c := range []struct {
		name string
		s    []float64
		v    Valleys
		want []int
	}{
		{"one valley", []float64{0.9, 0.8, 0.2, 0.7, 0.8}, w1, []int{2}},
		{"two valleys", []float64{0.9, 0.8, 0.1, 0.8, 0.9, 0.8, 0.2, 0.9, 0.8}, w1, []int{2, 6}},
		{"the leftmost of a plateau", []float64{0.8, 0.8, 0.2, 0.2, 0.8, 0.8}, w1, []int{2}},
		{"a level session is one segment", []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, PaperValleys, nil},
		{"a level session in the paper's way", []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, Valleys{W: 3, Lambda: 0.05, Strict: true}, []int{3}},
		{"the window shrinks", []float64{0.9, 0.1, 0.9}, PaperValleys, []int{1}},
		{"or does not", []float64{0.9, 0.1, 0.9}, Valleys{W: 3, Strict: true}, nil},
		{"three utterances are one segment", []float64{0.9, 0.1}, PaperValleys, nil},
		{"a floor", []float64{0.5, 0.5, 0.49, 0.5, 0.5}, Valleys{W: 1, Floor: 0.1}, nil},
		{"nothing", nil, PaperValleys, nil},
	} {
		if got := Boundaries(c.s, c.v); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCosines(t *testing.T) {
	x, y := []int8{1, 2, 3, 4, 5}, []int8{5, 4, -3, 2, 1}
	if got := DotInt8(x, y); got != 5+8-9+8+5 {
		t.Errorf("dot %d", got)
	}
	if got, want := CosineInt8(x, y), 17/55.0; !near(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if CosineInt8(x, make([]int8, 5)) != 0 || CosineInt8(x, y[:2]) != 0 || CosineInt8(nil, nil) != 0 {
		t.Error("a zero vector or another length has cosine 0")
	}
	full := slices.Repeat([]int8{-128}, 4096)
	if got := CosineInt8(full, full); got != 1 {
		t.Errorf("got %v", got)
	}
}

func TestQuantiseKeepsTheDirection(t *testing.T) {
	v := []float32{0.3, -0.1, 0.05, 0.9, -0.7}
	q := Quantise(v)
	back := make([]float32, len(q))
	for i, x := range q {
		back[i] = float32(x)
	}
	if c := cosine(v, back); c < 0.9999 {
		t.Errorf("cosine %v", c)
	}
	if got := Quantise([]float32{0, 0}); !slices.Equal(got, []int8{0, 0}) {
		t.Errorf("got %v", got)
	}
}

func cosine(a, b []float32) float64 {
	var dot, la, lb float64
	for i, x := range a {
		dot, la, lb = dot+float64(x*b[i]), la+float64(x*x), lb+float64(b[i]*b[i])
	}
	return dot / math.Sqrt(la*lb)
}

func TestSignature(t *testing.T) {
	v := make([]int8, 70)
	v[0], v[63], v[64], v[69] = 3, 1, -2, 9
	sig := Signature(v)
	if len(sig) != 2 || sig[0] != 1|1<<63 || sig[1] != 1<<5 {
		t.Errorf("%b", sig)
	}
	for most, want := range [][]int32{{1}, {1}, {1}, {0, 1}} {
		table := append(make([]uint64, len(sig)), sig...)
		if got := Near(nil, table, sig, most); !slices.Equal(got, want) {
			t.Errorf("within %d signs: %v, want %v", most, got, want)
		}
	}
}

func TestBM25(t *testing.T) {
	if got, want := IDF(10, 3), math.Log(1+7.5/3.5); !near(got, want) {
		t.Errorf("idf %v, want %v", got, want)
	}
	if IDF(5, 9) <= 0 {
		t.Error("a weight is above zero")
	}
	p := BM25{K1: 1.2, B: 0.75}
	if got, want := p.TF(2, 10, 10), 2*2.2/(2+1.2); !near(got, want) {
		t.Errorf("tf %v, want %v", got, want)
	}
	if p.TF(2, 20, 10) >= p.TF(2, 10, 10) || p.TF(3, 10, 10) <= p.TF(2, 10, 10) || p.TF(0, 10, 10) != 0 || p.TF(1, 5, 0) <= 0 {
		t.Error("longer texts weigh less, more occurrences more")
	}
}

func TestRound(t *testing.T) {
	for in, want := range map[float64]float64{0.1234564: 0.123456, 0.1234565000001: 0.123457, -0.0000001: 0, 1e12: 1e12} {
		if got := Round(in); got != want || math.Signbit(got) && got == 0 {
			t.Errorf("Round(%v) = %v", in, got)
		}
	}
	if Round(math.NaN()) != 0 || !math.IsInf(Round(math.Inf(1)), 1) {
		t.Error("NaN becomes 0, infinity stays")
	}
}

func BenchmarkCosineInt8(b *testing.B) {
	x, y := make([]int8, 384), make([]int8, 384)
	for i := range x {
		x[i], y[i] = int8(i*7), int8(i*13)
	}
	for b.Loop() {
		CosineInt8(x, y)
	}
}

func BenchmarkNear(b *testing.B) {
	table, found := make([]uint64, 20000), []int32(nil)
	for i := range table {
		table[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	for b.Loop() {
		found = Near(found[:0], table, []uint64{0x1234567812345678}, 26)
	}
}

func BenchmarkBoundaries(b *testing.B) {
	s := make([]float64, 500)
	for i := range s {
		s[i] = float64(i*7919%1000) / 1000
	}
	for b.Loop() {
		Boundaries(s, PaperValleys)
	}
}
