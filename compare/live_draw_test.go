package compare_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/x448/float16"

	"github.com/modelparity/modelparity/tensor"
)

// liveShape is another shape of as many elements: permuted, flat, or with an axis of one.
func liveShape(r *rand.Rand, shape tensor.Shape) tensor.Shape {
	shape = slices.Clone(shape)
	r.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
	switch r.IntN(3) {
	case 0:
		n, err := shape.Elements()
		must(err)
		return tensor.Shape{n}
	case 1:
		return append(shape, 1)
	}
	return shape
}

// liveTypes are NumPy's.
var liveTypes = []tensor.ElementType{tensor.Float16, tensor.Float32, tensor.Float64, tensor.Int8,
	tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32,
	tensor.Uint64, tensor.Bool}

// livePair is two random tensors of one shape, mostly of one type and mostly close to each other.
func livePair(r *rand.Rand) (actual, expected *tensor.Tensor) {
	shape := tensor.Shape{}
	for range r.IntN(4) {
		shape = append(shape, r.IntN(5))
	}
	if r.IntN(8) == 0 {
		shape = tensor.Shape{1000 + r.IntN(2000)} // more than a chunk
	}
	n, err := shape.Elements()
	must(err)
	x, y := liveTypes[r.IntN(len(liveTypes))], liveTypes[r.IntN(len(liveTypes))]
	if r.IntN(4) > 0 || x == tensor.Bool && y == tensor.Uint64 {
		y = x // bool − uint64 wraps in Polygraphy
	}
	scale := math.Exp2(float64(r.IntN(24) - 4))
	odd := r.IntN(3) == 0
	as, bs := make([]float64, n), make([]float64, n)
	noise := math.Exp2(-float64(r.IntN(30)))
	for i := range bs {
		bs[i] = r.NormFloat64() * scale
		as[i] = bs[i] * (1 + noise*r.NormFloat64())
		if r.IntN(4) == 0 {
			as[i] = bs[i]
		}
		if odd && r.IntN(4) == 0 {
			special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1}
			as[i], bs[i] = special[r.IntN(len(special))], special[r.IntN(len(special))]
		}
	}
	return liveTensor(x, shape, as, bs), liveTensor(y, shape, bs, nil)
}

// liveTensor converts values to a type, into a range where Polygraphy's differences do not wrap: an
// unsigned one is kept at or above the other side's value.
func liveTensor(elem tensor.ElementType, shape tensor.Shape,
	values, above []float64) *tensor.Tensor {
	data := make([]byte, 0, elem.Bytes(len(values)))
	for i, v := range values {
		if !elem.IsFloat() {
			if above != nil && elem == tensor.Uint64 {
				v = max(math.Abs(v), math.Abs(above[i]))
			}
			v = integral(elem, v)
		}
		data = append(data, patternOf(elem, v)...)
	}
	t, err := tensor.FromBytes(elem, shape, data)
	must(err)
	return t
}

// integral brings v into half the range of an integer type.
func integral(elem tensor.ElementType, v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 1
	}
	limit := math.Exp2(float64(elem.Bits()-2)) - 1
	if elem.IsInteger() && !elem.IsSigned() || elem == tensor.Bool {
		v = math.Abs(v)
	}
	if elem == tensor.Bool {
		return float64(int(v) % 2)
	}
	return math.Trunc(max(-limit, min(limit, v)))
}

// patternOf is the little-endian bytes of one value.
func patternOf(elem tensor.ElementType, v float64) []byte {
	var bits uint64
	switch elem {
	case tensor.Float64:
		bits = math.Float64bits(v)
	case tensor.Float32:
		bits = uint64(math.Float32bits(float32(v)))
	case tensor.Float16:
		bits = uint64(float16.Fromfloat32(float32(v)))
	case tensor.Uint64:
		bits = uint64(v)
	default:
		bits = uint64(int64(v))
	}
	pattern := make([]byte, elem.Bits()/8)
	for i := range pattern {
		pattern[i] = byte(bits >> (8 * i))
	}
	return pattern
}
