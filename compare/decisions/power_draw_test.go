package decisions_test

import (
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/onsi/gomega"
	"github.com/x448/float16"

	"github.com/modelparity/modelparity/tensor"
)

// of picks one of the values.
func of[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// kinds lists ways to draw the numbers of a tensor.
var kinds = []func(r *rand.Rand) float64{
	func(*rand.Rand) float64 { return 0 },
	func(*rand.Rand) float64 { return -7 },
	func(r *rand.Rand) float64 { return r.NormFloat64() },
	func(r *rand.Rand) float64 { return r.NormFloat64() },
	func(r *rand.Rand) float64 { return float64(r.IntN(3)) },
	func(r *rand.Rand) float64 { return float64(r.IntN(100)) },
	func(r *rand.Rand) float64 { return of(r, math.Copysign(0, -1), 0, 1) },
	func(r *rand.Rand) float64 { return math.Float64frombits(r.Uint64N(4)) }, // subnormal
	func(r *rand.Rand) float64 { return 1e300 * r.NormFloat64() },
	func(r *rand.Rand) float64 { return of(r, math.NaN(), 1, 2, 3, 4) },
	func(r *rand.Rand) float64 { return of(r, math.Inf(1), 1, 2) },
	func(r *rand.Rand) float64 { return of(r, math.Inf(-1), 3, -2) },
}

// elements lists the types of drawn scores.
var elements = []tensor.ElementType{tensor.Float64, tensor.Float32, tensor.Float16, tensor.Int8,
	tensor.Uint8, tensor.Bool, tensor.Int64, tensor.Uint64}

// drawn returns a tensor of a random kind. Some 64-bit integers are too large for float64.
func drawn(r *rand.Rand, elem tensor.ElementType, shape tensor.Shape) *tensor.Tensor {
	kind := of(r, kinds...)
	from := of(r, 0, 1<<53, math.MaxInt64-2)
	fromUnsigned := of[uint64](r, 0, 1<<53, math.MaxUint64-2)
	switch elem {
	case tensor.Float64:
		return filled(shape, func() float64 { return kind(r) })
	case tensor.Float32:
		return filled(shape, func() float32 { return float32(kind(r)) })
	case tensor.Float16:
		return filled(shape, func() float16.Float16 { return float16.Fromfloat32(float32(kind(r))) })
	case tensor.Int8:
		return filled(shape, func() int8 { return int8(r.IntN(of(r, 3, 90)) - 1) })
	case tensor.Uint8:
		return filled(shape, func() uint8 { return uint8(r.IntN(4)) })
	case tensor.Bool:
		return filled(shape, func() bool { return r.IntN(2) == 0 })
	case tensor.Int64:
		return filled(shape, func() int64 { return int64(from + r.IntN(3)) })
	default:
		return filled(shape, func() uint64 { return fromUnsigned + r.Uint64N(3) })
	}
}

func filled[T tensor.Native](shape tensor.Shape, value func() T) *tensor.Tensor {
	n, err := shape.Elements()
	Expect(err).NotTo(HaveOccurred())
	values := make([]T, n)
	for i := range values {
		values[i] = value()
	}
	return shaped(shape, values...)
}

// reordered returns t with element i replaced by element from(i).
func reordered(t *tensor.Tensor, from func(i int) int) *tensor.Tensor {
	size := max(1, t.ElementType().Bits()/8)
	var data []byte
	for i := range t.Len() {
		data = append(data, t.Bytes()[from(i)*size:(from(i)+1)*size]...)
	}
	made, err := tensor.FromBytes(t.ElementType(), t.Shape(), data)
	Expect(err).NotTo(HaveOccurred())
	return made
}

// reversed reverses the order of each row: the greatest score becomes the least.
func reversed(t *tensor.Tensor) *tensor.Tensor {
	values, width := t.Float64s(), t.Shape()[len(t.Shape())-1]
	if all, err := tensor.Values[int64](t); err == nil {
		values = offsets(all)
	} else if all, err := tensor.Values[uint64](t); err == nil {
		values = offsets(all)
	}
	if slices.ContainsFunc(values, math.IsNaN) {
		return t
	}
	return reordered(t, func(i int) int {
		start := i / width * width
		row := values[start : start+width]
		levels := slices.Compact(slices.Sorted(slices.Values(row)))
		at := slices.Index(levels, values[i])
		return start + slices.Index(row, levels[len(levels)-1-at])
	})
}

// offsets returns each integer's distance from the first integer, as float64.
func offsets[T int64 | uint64](all []T) []float64 {
	exact := make([]float64, len(all))
	for i, v := range all {
		exact[i] = float64(int64(v - all[0]))
	}
	return exact
}

// permuted reorders the parts along an axis.
func permuted(t *tensor.Tensor, axis int, order []int) *tensor.Tensor {
	inner := 1
	for _, n := range t.Shape()[axis+1:] {
		inner *= n
	}
	return reordered(t, func(i int) int {
		return i + (order[i/inner%len(order)]-i/inner%len(order))*inner
	})
}

// poisoned returns the run with one number of each float tensor replaced by NaN, or nil if the run
// has no floats.
func poisoned(r *rand.Rand, sets []*tensor.Set) []*tensor.Set {
	at, found := r.Float64(), false
	run := each(sets, func(t *tensor.Tensor) *tensor.Tensor {
		if !t.ElementType().IsFloat() || t.Len() == 0 {
			return t
		}
		found = true
		bad := constant(t, math.NaN()).Bytes()
		data, size := slices.Clone(t.Bytes()), t.ElementType().Bits()/8
		i := int(at*float64(t.Len())) * size
		copy(data[i:i+size], bad)
		made, err := tensor.FromBytes(t.ElementType(), t.Shape(), data)
		Expect(err).NotTo(HaveOccurred())
		return made
	})
	if !found {
		return nil
	}
	return run
}

// constants returns runs that decide nothing: outputs in the shapes of sets, each run with one
// value throughout.
func constants(sets []*tensor.Set, values ...float64) (runs [][]*tensor.Set) {
	for _, v := range values {
		var run []*tensor.Set
		for _, side := range sets {
			var entries []any
			for name, t := range side.All() {
				entries = append(entries, name, constant(t, v))
			}
			run = append(run, set(entries...))
		}
		runs = append(runs, run)
	}
	return runs
}

func constant(t *tensor.Tensor, v float64) *tensor.Tensor {
	if t.ElementType() == tensor.String {
		same, err := tensor.FromStrings(t.Shape(), make([]string, t.Len()))
		Expect(err).NotTo(HaveOccurred())
		return same
	}
	whole := 0
	if v == v {
		whole = int(v)
	}
	switch t.ElementType() {
	case tensor.Float64:
		return filled(t.Shape(), func() float64 { return v })
	case tensor.Float32:
		return filled(t.Shape(), func() float32 { return float32(v) })
	case tensor.Float16:
		return filled(t.Shape(), func() float16.Float16 { return float16.Fromfloat32(float32(v)) })
	case tensor.Int8:
		return filled(t.Shape(), func() int8 { return int8(whole) })
	case tensor.Uint8:
		return filled(t.Shape(), func() uint8 { return uint8(whole) })
	case tensor.Bool:
		return filled(t.Shape(), func() bool { return whole != 0 })
	case tensor.Int64:
		return filled(t.Shape(), func() int64 { return int64(whole) })
	default:
		return filled(t.Shape(), func() uint64 { return uint64(whole) })
	}
}
