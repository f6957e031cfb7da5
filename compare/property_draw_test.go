package compare_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// kinds are how the values of a tensor are drawn.
var kinds = []func(r *rand.Rand) float64{
	func(*rand.Rand) float64 { return 0 },
	func(*rand.Rand) float64 { return 1 },
	func(*rand.Rand) float64 { return -7 },
	func(r *rand.Rand) float64 { return r.NormFloat64() },
	func(r *rand.Rand) float64 { return float64(r.IntN(3)) },
	func(r *rand.Rand) float64 { return float64(r.IntN(200) - 100) },
	func(r *rand.Rand) float64 { return math.Float64frombits(r.Uint64N(4)) }, // subnormal
	func(r *rand.Rand) float64 { return 1e-160 * r.NormFloat64() },
	func(r *rand.Rand) float64 { return 1e-44 * r.NormFloat64() },
	func(r *rand.Rand) float64 { return 1e300 * r.NormFloat64() },
	func(r *rand.Rand) float64 { return 1e38 * r.NormFloat64() },
	func(r *rand.Rand) float64 { return math.Exp(600 * r.NormFloat64()) },
	func(r *rand.Rand) float64 { return []float64{math.NaN(), 1, 2}[r.IntN(3)] },
	func(r *rand.Rand) float64 { return []float64{math.Inf(1), 1, 2}[r.IntN(3)] },
	func(r *rand.Rand) float64 { return []float64{math.Inf(-1), 3, -2}[r.IntN(3)] },
	func(*rand.Rand) float64 { return math.NaN() },
	func(*rand.Rand) float64 { return math.Inf(1) },
}

// shapes are mostly degenerate; none is empty, because nothing can be changed there.
var shapes = []tensor.Shape{{}, {1}, {1, 1}, {2}, {3}, {5}, {4, 1}, {1, 4}, {2, 3}, {3, 2, 2}, {40}}

// drawn is a tensor of a random type, shape and kind.
func drawn(r *rand.Rand) *tensor.Tensor {
	shape := shapes[r.IntN(len(shapes))]
	return drawnAs(r, liveTypes[r.IntN(len(liveTypes))], shape)
}

func drawnAs(r *rand.Rand, elem tensor.ElementType, shape tensor.Shape) *tensor.Tensor {
	n, err := shape.Elements()
	must(err)
	kind := kinds[r.IntN(len(kinds))]
	values := make([]float64, n)
	for i := range values {
		values[i] = kind(r)
		if elem == tensor.Uint64 {
			values[i] = math.Abs(values[i])
		}
	}
	return liveTensor(elem, shape, values, nil)
}

// sameValue is numeric equality, with one NaN.
func sameValue(a *tensor.Tensor, i int, b *tensor.Tensor, j int) bool {
	if a.Text(i) == b.Text(j) {
		return true
	}
	x, y := a.Float64At(i), b.Float64At(j)
	return x == 0 && y == 0 || x != x && y != y
}

// replace puts another value into some elements of t; it fails where no other value is found.
func replace(r *rand.Rand, t *tensor.Tensor, places []int) (*tensor.Tensor, bool) {
	data := slices.Clone(t.Bytes())
	width := t.ElementType().Bits() / 8
	for _, i := range places {
		found := false
		for range 20 {
			other := drawnAs(r, t.ElementType(), tensor.Shape{1})
			if r.IntN(3) == 0 { // the neighbour
				bytes := slices.Clone(data[i*width : (i+1)*width])
				if t.ElementType() != tensor.Bool {
					bytes[0] ^= 1
				}
				var err error
				other, err = tensor.FromBytes(t.ElementType(), tensor.Shape{1}, bytes)
				must(err)
			}
			if !sameValue(t, i, other, 0) {
				copy(data[i*width:], other.Bytes())
				found = true
				break
			}
		}
		if !found {
			return nil, false
		}
	}
	made, err := tensor.FromBytes(t.ElementType(), t.Shape(), data)
	must(err)
	return made, true
}

// difference is |a−b| of one element, without rounding where that matters.
func difference(a, b *tensor.Tensor, i int) float64 {
	if a.ElementType() == tensor.Uint64 {
		x, err := tensor.Values[uint64](a)
		must(err)
		y, err := tensor.Values[uint64](b)
		must(err)
		return float64(max(x[i], y[i]) - min(x[i], y[i]))
	}
	if a.ElementType() == tensor.Float32 || a.ElementType() == tensor.Float16 {
		return math.Abs(float64(float32(a.Float64At(i)) - float32(b.Float64At(i))))
	}
	return absoluteErrorOf(a, b, i)
}

func absoluteErrorOf(a, b *tensor.Tensor, i int) float64 {
	if a.ElementType() == tensor.Int64 {
		return absoluteError(a, b, i)
	}
	return math.Abs(a.Float64At(i) - b.Float64At(i))
}

// finite makes a limit of any number.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 1e300
	}
	return v
}
