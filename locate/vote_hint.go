package locate

import (
	"bytes"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/tensor"
)

// hint compares an engine that stands apart with another engine. It describes the differences if
// they fit a known pattern, and otherwise returns "".
func hint(names []string, apart, other []*tensor.Set, o compare.Options) string {
	rule := compare.Options{Checks: o.Checks, NaNEqual: true, InfinitiesEqual: true}
	for _, look := range []func([]string, []*tensor.Set, []*tensor.Set, compare.Options) string{
		stale, permuted, narrowed} {
		if text := look(names, apart, other, rule); text != "" {
			return text
		}
	}
	return ""
}

// agree reports whether two tensors satisfy the rule.
func agree(a, b *tensor.Tensor, rule compare.Options) bool {
	if a == nil || b == nil || len(rule.Checks) == 0 {
		return false
	}
	met, err := compare.Tensors(a, b, rule)
	return err == nil && met.Verdict == compare.Pass
}

// stale detects outputs that repeat the result of an earlier iteration.
func stale(names []string, apart, other []*tensor.Set, rule compare.Options) string {
	for _, name := range names {
		for i := range apart {
			got := output(apart, i, name)
			if agree(got, output(other, i, name), rule) {
				continue
			}
			for j := range i {
				// If the other engine's output repeats as well, it does not depend on the inputs, and a
				// repetition proves nothing.
				earlier := output(other, j, name)
				if agree(got, earlier, rule) && !agree(output(other, i, name), earlier, rule) {
					return fmt.Sprintf("its %s in iteration %d has the value of iteration %d: it looks stale",
						name, i, j)
				}
			}
		}
	}
	return ""
}

// mostRows is the largest number of rows for which permuted looks for reordered rows, because it
// may compare every pair of rows.
const mostRows = 256

// permuted detects outputs that have the right rows in the wrong order.
func permuted(names []string, apart, other []*tensor.Set, rule compare.Options) string {
	for _, name := range names {
		for i := range apart {
			got, want := output(apart, i, name), output(other, i, name)
			if got == nil || want == nil || agree(got, want, rule) {
				continue
			}
			if from := reordered(got, want, rule); from != nil {
				return fmt.Sprintf("its %s has the rows of the other engines in another order: its "+
					"row %d is their row %d", name, from[0], from[1])
			}
		}
	}
	return ""
}

// reordered matches each row of got with a row of want. For the first row that has moved, it
// returns the index in got and the index in want. It returns nil if the rows do not match.
func reordered(got, want *tensor.Tensor, rule compare.Options) []int {
	shape := got.Shape()
	if len(shape) == 0 || !shape.Equal(want.Shape()) || shape[0] < 2 || shape[0] > mostRows ||
		got.ElementType() != want.ElementType() || len(got.Bytes()) == 0 {
		return nil
	}
	var first []int
	taken := make([]bool, shape[0])
	for i := range shape[0] {
		row, found := rowOf(got, i), -1
		if row == nil {
			return nil
		}
		for j := range shape[0] {
			if k := (i + j) % shape[0]; !taken[k] && agree(row, rowOf(want, k), rule) {
				found = k
				break
			}
		}
		if found < 0 {
			return nil
		}
		taken[found] = true
		if found != i && first == nil {
			first = []int{i, found}
		}
	}
	return first
}

// rowOf returns row i along the first axis. It returns nil for types that pack several elements
// into one byte.
func rowOf(t *tensor.Tensor, i int) *tensor.Tensor {
	row, err := rows.One(t, 0, i)
	if err != nil || t.ElementType().Bits() < 8 || row.Len() == 0 {
		return nil
	}
	return row
}

// narrowed detects float32 outputs whose values are all exact in a narrower type, or whose errors
// are as large as the rounding errors of a narrower type.
func narrowed(names []string, apart, other []*tensor.Set, _ compare.Options) string {
	for _, narrow := range []tensor.ElementType{tensor.BFloat16, tensor.Float16} {
		every, seen := true, false
		for _, name := range names {
			for i := range apart {
				got, want := output(apart, i, name), output(other, i, name)
				if got == nil || want == nil || got.ElementType() != tensor.Float32 ||
					want.ElementType() != tensor.Float32 || got.Len() == 0 {
					continue
				}
				seen = true
				every = every && holdsOnly(got, narrow) && !holdsOnly(want, narrow)
			}
		}
		if seen && every {
			return fmt.Sprintf("all of its values are exact in %v, but the other engines' values "+
				"are not: it computes in lower precision", narrow)
		}
	}
	worst := 0.0
	for _, name := range names {
		for i := range apart {
			worst = max(worst, relative(output(apart, i, name), output(other, i, name)))
		}
	}
	// For bfloat16, the root mean square of a single rounding error is up to 2^-9 of the value; for
	// float16 it is 2^-12. Further layers add to the error. The error of float32 is orders of
	// magnitude smaller.
	switch {
	case worst >= 1.0/8192 && worst < 1.0/512:
		return fmt.Sprintf("its error (%.2g of the values' size) is typical of rounding to float16 "+
			"or TF32", worst)
	case worst >= 1.0/512 && worst < 1.0/50:
		return fmt.Sprintf("its error (%.2g of the values' size) is typical of rounding to bfloat16",
			worst)
	}
	return ""
}

// holdsOnly reports whether every value of t is exact in the narrower type.
func holdsOnly(t *tensor.Tensor, narrow tensor.ElementType) bool {
	rounded, err := t.Convert(narrow)
	if err != nil {
		return false
	}
	back, err := rounded.Convert(t.ElementType())
	return err == nil && bytes.Equal(back.Bytes(), t.Bytes())
}

// relative returns the norm-wise relative error ‖got − want‖₂ / ‖want‖₂ of float tensors, or 0 if
// it is undefined.
func relative(got, want *tensor.Tensor) float64 {
	if got == nil || want == nil || !got.ElementType().IsFloat() || got.Len() != want.Len() {
		return 0
	}
	var of, all float64
	for i, v := range want.Float64s() {
		d := got.Float64At(i) - v
		of, all = of+float64(d*d), all+float64(v*v)
	}
	if all == 0 || math.IsNaN(of) || math.IsInf(of, 0) {
		return 0
	}
	return math.Sqrt(of / all)
}
