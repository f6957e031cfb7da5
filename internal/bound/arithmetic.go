package bound

import (
	"math"

	"github.com/modelparity/modelparity/internal/reorder"
	"github.com/modelparity/modelparity/tensor"
)

// Arithmetic describes the precision in which an engine computes. The zero value stands for float64
// if the node has float64 inputs, and otherwise for float32.
type Arithmetic struct {
	// Name is the name shown to users, such as "TF32".
	Name string
	// Operand is the relative error made by storing a float32 operand; 0 if it is stored exactly.
	Operand float64
	// Sums is the type in which the engine computes sums and functions.
	Sums tensor.ElementType
	// Winograd says that the engine may compute a convolution of stride 1 by Winograd's algorithm,
	// whose errors spread to neighbours.
	Winograd bool
}

// The arithmetics that engines use. A float16 engine may add in float16 or in float32.
var (
	Float64  = Arithmetic{Name: "float64", Sums: tensor.Float64}
	Float32  = Arithmetic{Name: "float32", Sums: tensor.Float32}
	TF32     = Arithmetic{Name: "TF32", Operand: 0x1p-11, Sums: tensor.Float32}
	Float16  = Arithmetic{Name: "float16", Operand: 0x1p-11, Sums: tensor.Float16}
	BFloat16 = Arithmetic{Name: "bfloat16", Operand: 0x1p-8, Sums: tensor.Float32}
)

// of returns the arithmetic for a node whose widest input has the type elem.
func (a Arithmetic) of(elem tensor.ElementType) Arithmetic {
	of := a
	switch {
	case a.Sums != tensor.Invalid:
	case elem == tensor.Float64:
		of = Float64
	default:
		of = Float32
	}
	of.Winograd = a.Winograd
	return of
}

// format describes a floating-point type: u is the unit roundoff, least is the error of a result
// close to zero, and most is the largest number. least is large enough for engines that replace
// subnormal numbers of 32 or 64 bits with zero.
type format struct{ u, least, most float64 }

func formatOf(elem tensor.ElementType) format {
	switch elem {
	case tensor.Float64:
		return format{0x1p-53, 0x1p-1022, math.MaxFloat64}
	case tensor.Float16:
		return format{0x1p-11, 0x1p-24, 65504}
	case tensor.BFloat16:
		return format{0x1p-8, 0x1p-126, 0x1.fep127}
	}
	return format{0x1p-24, 0x1p-126, math.MaxFloat32}
}

// own is the unit roundoff of this package's own float64 computation.
const own = 0x1p-53

// number is a result v and a bound e on the error that an engine may make in it.
type number struct{ v, e float64 }

func exactly(v float64) number { return number{v: v} }

// constant returns v with the error that an engine makes when it rounds v to store it.
func (f format) constant(v float64) number { return f.rounded(v, 0, 1) }

// most returns the largest magnitude that the engine's value of n may have.
func (n number) most() float64 { return math.Abs(n.v) + n.e }

// rounded returns the result v of an operation that rounds the given number of times. e is the
// error that comes from the operands.
func (f format) rounded(v, e, roundings float64) number {
	u := roundings * (f.u + own)
	return number{v, e + float64(u*(math.Abs(v)+e)) + f.least}
}

func (f format) add(a, b number) number { return f.rounded(a.v+b.v, a.e+b.e, 1) }

func (f format) sub(a, b number) number { return f.rounded(a.v-b.v, a.e+b.e, 1) }

func (f format) mul(a, b number) number {
	e := float64(math.Abs(a.v)*b.e) + float64(math.Abs(b.v)*a.e) + float64(a.e*b.e)
	if a.e == 0 && b.e == 0 {
		e = 0 // also for an infinite factor
	}
	return f.rounded(float64(a.v*b.v), e, 1)
}

// div divides a by b. Its bound allows for an engine that multiplies by the reciprocal.
func (f format) div(a, b number) number {
	v := a.v / b.v
	e := 0.0
	if a.e != 0 || b.e != 0 {
		if math.Abs(b.v) <= b.e {
			return number{v, math.Inf(1)}
		}
		e = (a.e + float64(math.Abs(v)*b.e)) / (math.Abs(b.v) - b.e)
	}
	return f.rounded(v, e, 3)
}

// sqrt returns the square root of a. Its bound allows for an engine that starts from an approximate
// reciprocal square root.
func (f format) sqrt(a number) number {
	v := math.Sqrt(max(0, a.v))
	e := math.Sqrt(max(0, a.v)+a.e) - v
	if a.v > a.e {
		e = a.e / (v + math.Sqrt(a.v-a.e))
	}
	return f.rounded(v, e, 4)
}

// apply computes a function that an engine computes with an error of its own: the relative error
// relative plus the absolute error floor, both in units of u.
func (f format) apply(of func(float64) float64, a number, relative, floor float64) number {
	v, e := of(a.v), 0.0
	if a.e != 0 {
		e = max(math.Abs(of(a.v+a.e)-v), math.Abs(of(a.v-a.e)-v))
	}
	n := f.rounded(v, e, relative)
	n.e += float64(floor * f.u)
	return n
}

// margin multiplies the usual errors of functions. ONNX demands no accuracy, and the usual errors
// do not cover a short polynomial: tract's Erf is off by 25 u.
const margin = 8

// endMargin multiplies the usual errors near the ends of a function's range.
const endMargin = 3

// accuracy returns the relative and the absolute error (floor) that a correct engine may make in
// computing op, in units of u.
func accuracy(op string) (relative, floor float64) {
	relative, floor, end := reorder.Accuracy(op)
	return margin * relative, max(margin*floor, endMargin*end)
}

// gamma returns γ_k, or +Inf if k roundings may leave no correct digit.
func (f format) gamma(k int) float64 {
	r := float64(float64(k) * (f.u + own))
	if r >= 0.5 {
		return math.Inf(1)
	}
	return r / (1 - r)
}

// total is a sum whose terms may have errors.
type total struct {
	format
	v, magnitude, e float64
	terms           int
}

func (t *total) add(n number) {
	t.v += n.v
	t.magnitude += n.most()
	t.e += n.e
	t.terms++
}

// result returns the sum. Its bound allows t.terms + more roundings of each term.
func (t *total) result(more int) number {
	if t.magnitude == 0 {
		return number{}
	}
	return number{t.v, t.e + float64(t.gamma(t.terms+more)*t.magnitude) +
		float64(float64(t.terms)*t.least)}
}
