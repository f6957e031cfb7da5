package twin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/tensor"
)

// Arithmetic is what a run of a twin was computed in, as its numbers show.
type Arithmetic string

// The kinds of arithmetic.
const (
	// Exact is float32 that adds products: every value is a multiple of [Unit].
	Exact Arithmetic = "exact"
	// Fast is float32 by a fast convolution such as Winograd's, which adds small errors everywhere.
	Fast Arithmetic = "fast convolution"
	// Lower is a precision below float32.
	Lower Arithmetic = "lower precision"
)

// Precision is what a run shows of how it was computed.
type Precision struct {
	Arithmetic Arithmetic
	// Bits is how many significant bits the values keep, of 24; 0 where that cannot be told.
	Bits int
	// Name is the format that keeps so many: "TF32", "float16", "bfloat16"; "" where none fits.
	Name string
	// Output is the first that is not exact.
	Output string
	// Error is the greatest error, relative to the greatest value, of a fast convolution.
	Error float64
}

// fastest is the greatest error of a fast convolution in float32, relative to the greatest value:
// Winograd's F(6×6, 3×3), with points up to 2, loses some 8 of 24 bits.
const fastest = 0x1p-14

// PrecisionOf says what a run of a twin was computed in.
func PrecisionOf(run *backends.Run) Precision {
	worst := Precision{Arithmetic: Exact, Bits: 24}
	for _, set := range run.Outputs() {
		for name, t := range set.All() {
			p := precisionOf(t)
			p.Output = name
			switch {
			case p.Arithmetic == Exact || worst.Arithmetic == Lower && worst.Name != "":
			case worst.Arithmetic != Lower || p.Name != "": // what can be named says most
				worst = p
			}
		}
	}
	return worst
}

func precisionOf(t *tensor.Tensor) Precision {
	var greatest, empty, off float64 // empty is the greatest where nothing should be
	var relative []float64
	saturated := false
	for i := range t.Len() {
		v := math.Abs(t.Float64At(i))
		if v-v != 0 {
			return Precision{Arithmetic: Lower, Name: "float16"}
		}
		n := math.Round(v / Unit)
		saturated = saturated || v >= 65472 && v <= 65504
		if n == 0 {
			empty = max(empty, v)
		} else if d := math.Abs(v - float64(n*Unit)); d > 0 {
			off = max(off, d)
			if n == 1 || n == 2 || n == 4 || n == 8 { // which have the bits of the unit
				relative = append(relative, d/v)
			}
		}
		greatest = max(greatest, v)
	}
	switch {
	case saturated:
		return Precision{Arithmetic: Lower, Name: "float16"}
	case empty == 0 && off == 0:
		return Precision{Arithmetic: Exact, Bits: 24}
	case empty > 0 && max(empty, off) <= fastest*greatest:
		return Precision{Arithmetic: Fast, Bits: 24, Error: max(empty, off) / greatest}
	case len(relative) == 0:
		return Precision{Arithmetic: Lower}
	}
	slices.Sort(relative)
	switch bits := -math.Log2(relative[len(relative)/2]); {
	case bits >= 11 && bits < 14:
		return Precision{Arithmetic: Lower, Bits: 11, Name: "TF32"}
	case bits >= 8 && bits < 11:
		return Precision{Arithmetic: Lower, Bits: 8, Name: "bfloat16"}
	}
	return Precision{Arithmetic: Lower}
}

// String is the precision in words.
func (p Precision) String() string {
	switch {
	case p.Arithmetic == Exact:
		return "float32: every value is exact"
	case p.Arithmetic == Fast:
		return fmt.Sprintf("float32 by a fast convolution such as Winograd's: errors of %.2g of the "+
			"greatest value in %q, where sums of products have none; that is by design", p.Error, p.Output)
	case p.Name == "float16":
		return fmt.Sprintf("float16: %q overflows at 65504, and the twin's values begin at %d",
			p.Output, Unit)
	case p.Name != "":
		return fmt.Sprintf("lower precision than float32: %q keeps %d of 24 bits, as %s does", p.Output,
			p.Bits, p.Name)
	}
	return fmt.Sprintf("lower precision than float32, or a different sum: %q has values that are no "+
		"multiples of %d", p.Output, Unit)
}

// Side is what a twin shows of one engine.
type Side struct {
	Engine    backends.Engine
	Precision Precision
	// Differs names the first output that differs from that of the first engine which is exact,
	// where both are exact; "" where none does.
	Differs string
	// Elements is how many elements of it differ.
	Elements int
}

// Passes reports whether the engine computes the twin as float32 must.
func (s Side) Passes() bool { return s.Precision.Arithmetic != Lower && s.Differs == "" }

// String is the side in one line.
func (s Side) String() string {
	if s.Differs != "" {
		return fmt.Sprintf("%v: DIFFERS in %d elements of %q by whole multiples, so something else was "+
			"computed", s.Engine, s.Elements, s.Differs)
	}
	return fmt.Sprintf("%v: %v", s.Engine, s.Precision)
}

// Report is what a twin shows of several engines.
type Report struct {
	Twin  *Twin
	Sides []Side
}

// Among makes the twin of a subject's model in the subject's engine ([Of]), and runs it in each of
// the engines. Those whose arithmetic is exact must agree bit for bit; of two that do not, the
// first is not known to be right.
func Among(ctx context.Context, subject backends.Subject, engines ...backends.Engine) (*Report,
	error) {
	if len(engines) == 0 {
		return nil, errors.New("twin: no engine to run it in")
	}
	t, err := Of(ctx, subject)
	if err != nil {
		return nil, err
	}
	r := &Report{Twin: t}
	var exact *backends.Run
	for _, engine := range engines {
		run, err := t.Run(ctx, engine)
		if err != nil {
			return nil, fmt.Errorf("twin: %w", err)
		}
		side := Side{Engine: engine, Precision: PrecisionOf(run)}
		if side.Precision.Arithmetic == Exact {
			if exact == nil {
				exact = run
			}
			side.Differs, side.Elements = difference(run, exact)
		}
		r.Sides = append(r.Sides, side)
	}
	return r, nil
}

// difference is the first output that differs, and in how many elements. Zeros of both signs are
// equal.
func difference(actual, expected *backends.Run) (string, int) {
	for name, e := range expected.Outputs()[0].All() {
		a, ok := actual.Outputs()[0].Get(name)
		if !ok || !a.Shape().Equal(e.Shape()) {
			return name, e.Len()
		}
		n := 0
		for i := range e.Len() {
			if a.Float64At(i) != e.Float64At(i) {
				n++
			}
		}
		if n > 0 {
			return name, n
		}
	}
	return "", 0
}

// Passes reports whether every engine computes the twin as float32 must.
func (r *Report) Passes() bool {
	return !slices.ContainsFunc(r.Sides, func(s Side) bool { return !s.Passes() })
}

// Text is the report for people. It ends with a newline.
func (r *Report) Text() string { return r.Twin.Text() + "\n" + r.Verdicts() }

// Verdicts is a line for each engine.
func (r *Report) Verdicts() string {
	var b strings.Builder
	for _, s := range r.Sides {
		fmt.Fprintf(&b, "%v\n", s)
	}
	return b.String()
}
