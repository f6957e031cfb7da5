package precision

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// deviations returns, for each named output, the root mean square of its differences. The result is
// infinite if an actual value is not finite although the expected value is.
func deviations(names []string, actual, expected []*tensor.Set) ([]float64, error) {
	totals, err := totalPowers(names, actual, expected)
	list := make([]float64, len(totals))
	for o, t := range totals {
		if t.noise != t.noise {
			t.noise = math.Inf(1)
		}
		list[o] = math.Sqrt(t.noise / float64(max(1, t.count)))
	}
	return list, err
}

// both returns the tensors with the given name in the two sets. It returns nil if one of the sets
// lacks the tensor, or if the tensor is not numeric.
func both(name string, actual, expected *tensor.Set) (a, b *tensor.Tensor, err error) {
	a, okA := actual.Get(name)
	b, okB := expected.Get(name)
	if !okA || !okB { // a sequence or a missing output: left to the rule
		return nil, nil, nil
	}
	if !a.Shape().Equal(b.Shape()) {
		return nil, nil, fmt.Errorf("output %q is %v, want %v", name, a.Shape(), b.Shape())
	}
	if a.ElementType() == tensor.String || b.ElementType() == tensor.String {
		return nil, nil, nil
	}
	return a, b, nil
}

// margins returns, for each output, the largest factor by which its differences can be multiplied
// before the rule fails. The factor is at least 1 if the output passes, and infinite if there are
// no differences.
//
// The margin says how much larger an output's error could be, even if the rule has no limit on the
// error itself. margins does not run the model: it applies the rule to the expected values plus
// scaled differences.
func margins(names []string, actual, expected []*tensor.Set, rule compare.Options) (
	list []float64, report compare.Report, err error) {
	if report, err = compare.Runs(actual, expected, rule); err != nil {
		return nil, report, err
	}
	verdict := verdicts(report)
	from, to := make([]float64, len(names)), make([]float64, len(names))
	scaled := make([]bool, len(names))
	for o, name := range names {
		scaled[o] = scalable(name, actual, expected)
		switch v, judged := verdict[name]; {
		case !judged:
			from[o], to[o] = math.Inf(1), math.Inf(1)
		case v == compare.Pass:
			from[o], to[o] = 0, mostMargin // the margin is between 2^from and 2^to
		default:
			from[o], to[o] = -mostMargin, 0
		}
	}
	list = make([]float64, len(names))
	for range marginSteps {
		factors := make([]float64, len(names))
		for o := range names {
			factors[o] = math.Exp2((from[o] + to[o]) / 2)
		}
		blended, err := blend(names, actual, expected, factors, scaled)
		if err != nil {
			return nil, report, err
		}
		r, err := compare.Runs(blended, expected, rule)
		if errors.As(err, new(*compare.Powerless)) {
			break
		}
		if err != nil {
			return nil, report, err
		}
		passes := verdicts(r)
		for o, name := range names {
			if middle := (from[o] + to[o]) / 2; passes[name] == compare.Pass {
				from[o] = middle
			} else {
				to[o] = middle
			}
		}
	}
	for o, name := range names {
		switch v, judged := verdict[name]; {
		case !judged:
			list[o] = math.Inf(1)
		case !scaled[o] && v == compare.Pass:
			list[o] = unscaled
		case !scaled[o]:
			list[o] = 1 / unscaled
		case v == compare.Pass && to[o] >= mostMargin:
			list[o] = math.Inf(1)
		case from[o] <= -mostMargin:
			list[o] = 0
		default:
			list[o] = math.Exp2(from[o])
		}
	}
	return list, report, nil
}

const (
	// Margins lie between 2^-mostMargin and 2^mostMargin. marginSteps is the number of bisection
	// steps.
	mostMargin  = 20
	marginSteps = 14
	// unscaled is the margin assumed for an output that passes but is not float32, such as integers,
	// because [margins] cannot multiply its differences by a factor.
	unscaled = 1.5
)

// verdicts returns the verdict of each output over all iterations.
func verdicts(r compare.Report) map[string]compare.Verdict {
	all := map[string]compare.Verdict{}
	for _, o := range r.Outputs {
		if all[o.Name] != compare.Fail {
			all[o.Name] = o.Verdict
		}
	}
	return all
}

// scalable reports whether [margins] can multiply an output's differences by a factor. The output
// must be float32, which can hold the expected value plus any multiple of the difference.
func scalable(name string, actual, expected []*tensor.Set) bool {
	for i := range min(len(actual), len(expected)) {
		a, b, err := both(name, actual[i], expected[i])
		if err != nil || a == nil || a.ElementType() != tensor.Float32 ||
			b.ElementType() != tensor.Float32 {
			return false
		}
	}
	return true
}

// blend returns copies of the actual sets. In each scaled output, it multiplies the difference
// between actual and expected value by the output's factor.
func blend(names []string, actual, expected []*tensor.Set, factors []float64, scaled []bool) (
	[]*tensor.Set, error) {
	return sets.MapAll(actual, func(i int, name string, t *tensor.Tensor) (*tensor.Tensor, error) {
		o := slices.Index(names, name)
		if o < 0 || !scaled[o] || i >= len(expected) {
			return t, nil
		}
		b, _ := expected[i].Get(name)
		values := make([]float32, t.Len())
		for k := range values {
			y := b.Float64At(k)
			d := t.Float64At(k) - y
			if d == 0 || y-y != 0 && !(d == d) {
				values[k] = float32(t.Float64At(k))
				continue
			}
			values[k] = float32(y + float64(factors[o]*d))
		}
		return tensor.New(t.Shape(), values)
	})
}
