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

// Words is how many words a vector that fits the query takes.
func (q PackedQuery) Words() int { return len(q.words) }

// Dots writes the inner products with packed vectors, laid one behind another,
// of the same dimensions; sums are what Pack gave for each. It is exact up to
// 33,000 dimensions.
//
// One call does a whole run of vectors because calls are dear in wasm.
func (q PackedQuery) Dots(out []int32, packed []uint64, sums []int32) {
	out = out[:len(sums)]
	for i, sum := range sums {
		words, total := q.words, uint32(0)
		x := packed[i*len(words) : (i+1)*len(words)]
		for len(words) >= packedRun {
			u, y := x[:packedRun:packedRun], words[:packedRun:packedRun]
			a := u[0]*y[0] + u[1]*y[1] + u[2]*y[2] + u[3]*y[3] + u[4]*y[4]
			b := u[5]*y[5] + u[6]*y[6] + u[7]*y[7] + u[8]*y[8] + u[9]*y[9]
			total += uint32((a+b)>>(2*packedShift)) & packedMask
			x, words = x[packedRun:], words[packedRun:]
		}
		var rest uint64
		for j, y := range words {
			rest += x[j] * y
		}
		total += uint32(rest>>(2*packedShift)) & packedMask
		out[i] = int32(total) - q.offset - packedBias*sum
	}
}
