package precision

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/tensor"
)

// Arithmetic is a kind of arithmetic in which an engine computes. A run of the integer version of a
// model ([Twin]) reveals it.
type Arithmetic string

// The kinds of arithmetic.
const (
	// Exact means that no sum in float32 was rounded: all outputs of the integer version of the model
	// are multiples of [Twin.Unit].
	Exact Arithmetic = "exact"
	// Fast is float32 accumulation in a fast convolution such as Winograd's, which adds small
	// errors everywhere.
	Fast Arithmetic = "fast convolution"
	// Lower is a precision below float32.
	Lower Arithmetic = "lower precision"
)

// Computed describes the arithmetic in which an engine ran the integer version of a model ([Twin]).
type Computed struct {
	Arithmetic Arithmetic
	// Format is FP16, BF16 or TF32 if the inexact values have that format's number of bits. It is ""
	// if the format is unknown.
	Format Format
	// Bits is how many of float32's 24 significant bits a lower precision keeps, or 0 if unknown.
	Bits int
	// Output is the output from which the other fields were determined. It is "" if all are exact.
	Output string
	// Error is the largest error of a fast convolution, relative to the output's largest value.
	Error float64

	unit  float64
	alike string // names arithmetic that keeps as many bits: ", as FP24 does"
}

// fastest bounds the error of a fast convolution in float32, relative to the largest value:
// Winograd's F(6×6, 3×3), with points up to 2, loses about 8 of 24 bits. unseen is a relative error
// that is too small to come from any precision lower than float32.
const (
	fastest = 0x1p-14
	unseen  = 0x1p-21
)

// computedIn determines an engine's arithmetic from its run of the integer version of a model.
func computedIn(run *backends.Run, unit float64) Computed {
	worst := Computed{Arithmetic: Exact}
	for _, set := range run.Outputs() {
		for name, t := range set.All() {
			p := valuesComputedIn(t, unit)
			p.Output, p.unit = name, unit
			switch {
			case p.Arithmetic == Exact || worst.Arithmetic == Lower && worst.Bits > 0:
			case worst.Arithmetic != Lower || p.Bits > 0: // prefer results with a known number of bits
				worst = p
			}
		}
	}
	return worst
}

// significant returns the number of bits from a number's first set bit to its last.
func significant(v float64) int {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return 53 - bits.TrailingZeros64(math.Float64bits(v)&(1<<52-1)|1<<52)
}

// last returns the binary exponent of a number's lowest set bit.
func last(v float64) int { return math.Ilogb(v) + 1 - significant(v) }

// valuesComputedIn determines an engine's arithmetic from the values of one output of the integer
// version of a model ([Twin]). In float32, these values would be multiples of unit.
func valuesComputedIn(t *tensor.Tensor, unit float64) Computed {
	var largest, empty, off float64 // empty: the largest value where 0 is expected
	var alone, all []float64
	kept, finest := 0, math.MaxInt
	saturated := false
	for i := range t.Len() {
		v := math.Abs(t.Float64At(i))
		if v-v != 0 {
			return Computed{Arithmetic: Lower, Format: FP16, Bits: floats[FP16].bits}
		}
		n := math.Round(v / unit)
		saturated = saturated || v >= 65472 && v <= 65504
		if n == 0 {
			empty = max(empty, v)
		} else if d := math.Abs(v - float64(n*unit)); d > 0 {
			off = max(off, d)
			all = append(all, d/v)
			if n == 1 || n == 2 || n == 4 || n == 8 { // as many significant bits as the unit
				alone = append(alone, d/v)
			}
		}
		if v > 0 {
			kept, finest = max(kept, significant(v)), min(finest, last(v))
		}
		largest = max(largest, v)
	}
	// Rounding to fewer bits gives multiples of the unit's last bit; a fast convolution does not.
	below := finest < last(unit)
	switch {
	case saturated:
		return Computed{Arithmetic: Lower, Format: FP16, Bits: floats[FP16].bits}
	case empty == 0 && off == 0:
		return Computed{Arithmetic: Exact}
	case empty > 0 && max(empty, off) <= fastest*largest &&
		(below || max(empty, off) <= unseen*largest):
		return Computed{Arithmetic: Fast, Error: max(empty, off) / largest}
	case len(all) == 0:
		return Computed{Arithmetic: Lower}
	}
	if len(alone) == 0 {
		alone = all
	}
	slices.Sort(alone)
	p := Computed{Arithmetic: Lower, Bits: int(math.Round(-math.Log2(alone[len(alone)/2]))) - 1}
	// Errors add up over layers. If sums are rounded too, the number of bits in the outputs themselves
	// is a better measure.
	if p.Bits >= 12 && kept <= 17 || kept < p.Bits {
		p.Bits = kept
	}
	switch {
	case p.Bits >= 7 && p.Bits <= 9:
		p.Format, p.Bits = BF16, floats[BF16].bits
	case p.Bits >= 10 && p.Bits <= 12:
		p.Format, p.Bits = TF32, floats[TF32].bits
	case p.Bits == 13, p.Bits == 14:
		p.alike = ", as a 14-bit accumulator does"
	case p.Bits == 15, p.Bits == 16 && kept <= 16:
		p.alike = ", as FP24 does"
	case p.Bits >= 16 && p.Bits <= 18 && kept <= 17:
		p.alike = ", as FP24 does, or bf16x3 (three bfloat16 multiplications)"
	case p.Bits >= 16 && p.Bits <= 18: // float32 sums of operands with fewer bits
		p.alike = ", as bf16x3 (three bfloat16 multiplications) does"
	}
	return p
}

// String describes the arithmetic.
func (p Computed) String() string {
	switch {
	case p.Arithmetic == Exact:
		return "float32: no value was rounded"
	case p.Arithmetic == Fast:
		return fmt.Sprintf("float32 with a fast convolution such as Winograd's; its errors reach %.2g "+
			"of the largest value in %q, which is normal", p.Error, p.Output)
	case p.Format == FP16:
		return fmt.Sprintf("fp16: %q overflows at 65504, the largest float16, because its "+
			"nonzero values are %.0f or more", p.Output, p.unit)
	case p.Format != "":
		return fmt.Sprintf("lower precision than float32: %q keeps %d of 24 bits, as %s does", p.Output,
			p.Bits, p.Format)
	case p.Bits > 0 && p.Bits < 24:
		return fmt.Sprintf("lower precision than float32: %q keeps about %d of 24 bits%s", p.Output,
			p.Bits, p.alike)
	}
	return fmt.Sprintf("lower precision than float32, or a wrong sum: all values of %q should be "+
		"multiples of %.0f, but some are not", p.Output, p.unit)
}

// TwinSide is the result of running the integer version of a model ([Twin]) in one engine.
type TwinSide struct {
	Engine   backends.Engine
	Computed Computed
	// Differs names the first output that differs from the first engine with exact arithmetic. It is
	// "" if no output differs, or if this engine's own arithmetic is not exact.
	Differs string
	// Elements is the number of elements of that output that differ.
	Elements int
}

// Passes reports whether the engine's results for the integer version of the model ([Twin]) are
// possible in float32 arithmetic: they must be exact, or have only the small errors of a fast
// convolution.
func (s TwinSide) Passes() bool { return s.Computed.Arithmetic != Lower && s.Differs == "" }

// String describes the result in one line.
func (s TwinSide) String() string {
	if s.Differs != "" {
		return fmt.Sprintf("%v: DIFFERS in %d elements of %q, although float32 represents every value "+
			"exactly, so rounding is not the cause", s.Engine, s.Elements, s.Differs)
	}
	return fmt.Sprintf("%v: %v", s.Engine, s.Computed)
}

// TwinReport is the result of running the integer version of a model ([Twin]) in several engines.
type TwinReport struct {
	Twin  *Twin
	Sides []TwinSide
}

// TwinAmong builds the integer version of a subject's model ([TwinOf]), whose sums are exact in
// float32, and runs it in each of engines. Engines with exact arithmetic must agree bit for bit. If
// two of them disagree, the report blames the later one, but either may be wrong.
func TwinAmong(ctx context.Context, subject backends.Subject, engines ...backends.Engine) (
	*TwinReport, error) {
	if len(engines) == 0 {
		return nil, errors.New("twin: no engine given to run the model in")
	}
	t, err := TwinOf(ctx, subject)
	if err != nil {
		return nil, err
	}
	r := &TwinReport{Twin: t}
	var exact *backends.Run
	for _, engine := range engines {
		run, err := t.Run(ctx, engine)
		if err != nil {
			return nil, fmt.Errorf("twin: %w", err)
		}
		side := TwinSide{Engine: engine, Computed: computedIn(run, t.Unit)}
		if side.Computed.Arithmetic == Exact {
			if exact == nil {
				if err := run.Provenance.NotFloat32(); err != nil {
					return nil, fmt.Errorf("twin: %w", err)
				}
				exact = run
			}
			side.Differs, side.Elements = difference(run, exact)
		}
		r.Sides = append(r.Sides, side)
	}
	return r, nil
}

// difference returns the first output that differs, and the number of elements in which it differs.
// +0 and -0 are equal.
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

// Passes reports whether every engine passes; see [TwinSide.Passes].
func (r *TwinReport) Passes() bool {
	return !slices.ContainsFunc(r.Sides, func(s TwinSide) bool { return !s.Passes() })
}

// Text formats the report for people. It ends with a newline.
func (r *TwinReport) Text() string { return r.Twin.Text() + "\n" + r.Verdicts() }

// Verdicts returns one line per engine.
func (r *TwinReport) Verdicts() string {
	var b strings.Builder
	for _, s := range r.Sides {
		fmt.Fprintf(&b, "%v\n", s)
	}
	return b.String()
}
