package bound

import (
	"math"

	"github.com/modelparity/modelparity/internal/reorder"
	"github.com/modelparity/modelparity/tensor"
)

// Arithmetic describes the precision in which an engine computes.
type Arithmetic struct {
	// Name is the name shown to users, such as "TF32".
	Name string
	// Operand is the relative error of an operand after the engine has stored it; 0 if it is stored
	// exactly.
	Operand float64
	// Sums is the type in which the engine accumulates sums and evaluates functions.
	Sums tensor.ElementType
	// Winograd is true if the engine may compute a convolution of stride 1 by Winograd's algorithm,
	// whose rounding errors spread to neighbouring results.
	Winograd bool
}

// The precisions that engines use. Float16 allows for accumulation in float16 or in float32, since
// float16 engines do either.
var (
	Float64  = Arithmetic{Name: "float64", Sums: tensor.Float64}
	Float32  = Arithmetic{Name: "float32", Sums: tensor.Float32}
	TF32     = Arithmetic{Name: "TF32", Operand: 0x1p-11, Sums: tensor.Float32}
	Float16  = Arithmetic{Name: "float16", Operand: 0x1p-11, Sums: tensor.Float16}
	BFloat16 = Arithmetic{Name: "bfloat16", Operand: 0x1p-8, Sums: tensor.Float32}
)

// format describes a floating-point type: u is the unit roundoff, least is the absolute error of a
// result close to zero, and most is the largest finite number. For the types of 32 and 64 bits,
// least allows for engines that replace subnormal numbers with zero.
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

// own is the unit roundoff of float64, the type in which this package itself computes.
const own = 0x1p-53

// number is a float64 value v, with a bound e on how far an engine's value may differ from it.
type number struct{ v, e float64 }

func exactly(v float64) number { return number{v: v} }

// constant returns v with a bound on the error that an engine makes when it rounds and stores v.
func (f format) constant(v float64) number { return f.rounded(v, 0, 1) }

// most returns the largest magnitude that an engine may compute for the number.
func (n number) most() float64 { return math.Abs(n.v) + n.e }

// rounded returns v with a bound on its total error: the error e inherited from the operands, plus
// the given number of roundings.
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

// apply returns function(a). Its bound allows for an engine that evaluates the function with an
// error of up to relative·u times the result, plus floor·u, where u is the unit roundoff.
func (f format) apply(function func(float64) float64, a number, relative, floor float64) number {
	v, e := function(a.v), 0.0
	if a.e != 0 {
		e = max(math.Abs(function(a.v+a.e)-v), math.Abs(function(a.v-a.e)-v))
	}
	n := f.rounded(v, e, relative)
	n.e += float64(floor * f.u)
	return n
}

// margin is the factor by which a correct engine may exceed the usual error of a function. It is
// large because ONNX prescribes no accuracy and an engine may use a short polynomial: tract's Erf
// is off by 25 times the unit roundoff.
const margin = 8

// endMargin replaces margin near the ends of a function's range.
const endMargin = 3

// accuracy returns the largest relative and absolute errors (relative and floor) that a correct
// engine makes in computing op, in units of the unit roundoff.
func accuracy(op string) (relative, floor float64) {
	relative, floor, end := reorder.Accuracy(op)
	return margin * relative, max(margin*floor, endMargin*end)
}

// gamma returns γ_k = k·u/(1 − k·u), which bounds the relative error of k roundings. It returns
// +Inf if k roundings may leave no correct digit.
func (f format) gamma(k int) float64 {
	r := float64(float64(k) * (f.u + own))
	if r >= 0.5 {
		return math.Inf(1)
	}
	return r / (1 - r)
}

// total is a running sum of numbers. Each [number] has a bound on its error.
type total struct {
	format
	v, magnitude, e float64
	squares         float64 // sum of the squares of all terms and partial sums
	terms           int
}

func (t *total) add(n number) {
	t.v += n.v
	t.magnitude += n.most()
	t.e += n.e
	t.squares += float64(n.v*n.v) + float64(t.v*t.v)
	t.terms++
}

// multiply adds the product of two numbers.
func (t *total) multiply(a, b number) {
	p := number{v: float64(a.v * b.v)}
	if a.e != 0 || b.e != 0 {
		p.e = float64(math.Abs(a.v)*b.e) + float64(math.Abs(b.v)*a.e) + float64(a.e*b.e)
	}
	if a.v != 0 && b.v != 0 {
		p.e += t.least
	}
	t.add(p)
}

// usual returns the square of the error that the sum typically has. On average, rounding changes
// each term and each partial sum by u/√6 of its size, where u is the unit roundoff. Partial sums
// have similar sizes in any order of addition.
func (t *total) usual() float64 {
	least := float64(t.terms) * t.least
	return float64(t.u*t.u/6*t.squares) + float64(least*least)
}

// result returns the sum with an error bound. The bound allows for t.terms roundings of each term,
// which is enough for any order of addition, plus the given number of extra roundings. It is
// infinite if a partial sum may overflow.
func (t *total) result(extra int) number {
	switch {
	case t.magnitude >= t.most:
		return number{t.v, math.Inf(1)}
	case t.magnitude == 0 && t.e == 0:
		return number{}
	}
	return number{t.v, t.e + float64(t.gamma(t.terms+extra)*t.magnitude) +
		float64(float64(t.terms)*t.least)}
}
