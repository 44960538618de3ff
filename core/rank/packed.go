package rank

// A packed vector holds three components in each word, so that one
// multiplication gives three products: with B = 2²¹,
//
//	(x₀ + x₁B + x₂B²)(y₂ + y₁B + y₀B²) = … + (x₀y₀ + x₁y₁ + x₂y₂)B² + …
//
// Components are shifted to 0 … 255, so the three lower coefficients stay below
// B while at most packedRun words are summed; of the fourth one bit is left, the
// highest, which is masked. The result is the very inner product of DotInt8, at
// a third of the steps.
const (
	packedLanes = 3
	packedShift = 21
	packedRun   = 10
	packedBias  = 128
	packedMask  = 1<<packedShift - 1
)

// PackedWords is how many words a packed vector of so many dimensions takes.
func PackedWords(dims int) int { return (dims + packedLanes - 1) / packedLanes }

// Pack appends the packed form of a vector to dst and gives the sum of its
// components, which PackedQuery.Dots needs.
func Pack(dst []uint64, v []int8) (packed []uint64, sum int32) {
	for i := 0; i < len(v); i += packedLanes {
		var w uint64
		for j, x := range v[i:min(i+packedLanes, len(v))] {
			w |= uint64(int32(x)+packedBias) << (packedShift * j)
			sum += int32(x)
		}
		dst = append(dst, w)
	}
	return dst, sum
}

// PackedQuery is a vector made ready to be multiplied with packed ones.
type PackedQuery struct {
	words  []uint64
	offset int32 // what the shift of both sides adds, but for the other's sum
}

// PackQuery makes a vector ready.
func PackQuery(v []int8) PackedQuery {
	q := PackedQuery{words: make([]uint64, 0, PackedWords(len(v)))}
	sum := int32(0)
	for i := 0; i < len(v); i += packedLanes {
		var w uint64
		for j, x := range v[i:min(i+packedLanes, len(v))] {
			w |= uint64(int32(x)+packedBias) << (packedShift * (packedLanes - 1 - j))
			sum += int32(x)
		}
		q.words = append(q.words, w)
	}
	// Σ(x+b)(y+b) = Σxy + bΣx + bΣy + nb²
	q.offset = packedBias*sum + int32(len(v))*packedBias*packedBias
	return q
}

// Dots writes the inner products with packed vectors, laid one behind another,
// of the same dimensions; sums are what Pack gave for each. It is exact up to
// 33,000 dimensions.
//
// One call does a whole run of vectors because calls are dear in wasm.
func (q PackedQuery) Dots(out []int32, packed []uint64, sums []int32) {
	out = out[:len(sums)]
	if len(q.words) == shortWords {
		q.shortDots(out, packed, sums)
		return
	}
	for i, sum := range sums {
		words, total := q.words, uint32(0)
		x := packed[i*len(words) : (i+1)*len(words)]
		for len(words) >= packedRun {
			u, y := (*[packedRun]uint64)(x), (*[packedRun]uint64)(words)
			total += product(u[9]*y[9] + u[8]*y[8] + u[7]*y[7] + u[6]*y[6] + u[5]*y[5] + u[4]*y[4] + u[3]*y[3] + u[2]*y[2] + u[1]*y[1] + u[0]*y[0])
			x, words = x[packedRun:], words[packedRun:]
		}
		var rest uint64
		for j, y := range words {
			rest += x[j] * y
		}
		total += product(rest)
		out[i] = int32(total) - q.offset - packedBias*sum
	}
}

// product takes the inner product of a run out of its sum.
func product(sum uint64) uint32 { return uint32(sum>>(2*packedShift)) & packedMask }

// shortWords is what 64 dimensions take: those of the embedder that is built
// in, for which the loop is unrolled.
const shortWords = 22

// shortDots is Dots for vectors of shortWords: half the time in wasm. The last
// words stand first because an engine that checks bounds finds the others
// within them.
func (q PackedQuery) shortDots(out []int32, packed []uint64, sums []int32) {
	y := (*[shortWords]uint64)(q.words)
	for i, sum := range sums {
		u := (*[shortWords]uint64)(packed[shortWords*i:])
		c := u[21]*y[21] + u[20]*y[20]
		b := u[19]*y[19] + u[18]*y[18] + u[17]*y[17] + u[16]*y[16] + u[15]*y[15] + u[14]*y[14] + u[13]*y[13] + u[12]*y[12] + u[11]*y[11] + u[10]*y[10]
		a := u[9]*y[9] + u[8]*y[8] + u[7]*y[7] + u[6]*y[6] + u[5]*y[5] + u[4]*y[4] + u[3]*y[3] + u[2]*y[2] + u[1]*y[1] + u[0]*y[0]
		out[i] = int32(product(a)+product(b)+product(c)) - q.offset - packedBias*sum
	}
}
