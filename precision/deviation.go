package precision

import (
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// deviations are the root mean square differences of outputs, by their places among names. What is
// not finite where it should be is infinitely far away.
func deviations(names []string, actual, expected []*tensor.Set) ([]float64, error) {
	list := make([]float64, len(names))
	if len(actual) != len(expected) {
		return nil, fmt.Errorf("%d iterations, want %d", len(actual), len(expected))
	}
	for o, name := range names {
		sum, count := 0.0, 0
		for i := range actual {
			a, b, err := both(name, actual[i], expected[i])
			if err != nil {
				return nil, err
			}
			if a == nil {
				continue
			}
			for k := range a.Len() {
				x, y := a.Float64At(k), b.Float64At(k)
				if y-y != 0 || x == y {
					count++
					continue
				}
				sum += float64((x - y) * (x - y))
				count++
			}
		}
		if sum != sum {
			sum = math.Inf(1)
		}
		list[o] = math.Sqrt(sum / float64(max(1, count)))
	}
	return list, nil
}

// both are the tensors of a name; nil where they hold no numbers.
func both(name string, actual, expected *tensor.Set) (a, b *tensor.Tensor, err error) {
	a, okA := actual.Get(name)
	b, okB := expected.Get(name)
	if !okA || !okB { // a sequence, or missing, which the rule has something to say about
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

// margins says, for each output, by what its differences could be multiplied so that the rule still
// holds: 1 and more where it passes. It is infinite where there are none.
//
// So any rule has a size, whose square is what adds up. It is found by judging the expected values
// plus so much of the differences, which takes no run of the model.
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
			from[o], to[o] = 0, mostMargin // in powers of two
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
		sets, err := blend(names, actual, expected, factors, scaled)
		if err != nil {
			return nil, report, err
		}
		r, err := compare.Runs(sets, expected, rule)
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
	// mostMargin bounds margins, in powers of two, and marginSteps is how exactly they are found.
	mostMargin  = 20
	marginSteps = 14
	// unscaled is the margin of what has no size, such as outputs of integers: a guess.
	unscaled = 1.5
)

// verdicts are those of each output over all iterations.
func verdicts(r compare.Report) map[string]compare.Verdict {
	all := map[string]compare.Verdict{}
	for _, o := range r.Outputs {
		if all[o.Name] != compare.Fail {
			all[o.Name] = o.Verdict
		}
	}
	return all
}

// scalable reports whether differences of an output can be multiplied.
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

// blend is the expected values plus so much of the differences of each output.
func blend(names []string, actual, expected []*tensor.Set, factors []float64, scaled []bool) (
	[]*tensor.Set, error) {
	sets := make([]*tensor.Set, len(actual))
	for i, set := range actual {
		var entries []tensor.Entry
		for name, t := range set.All() {
			if o := indexOf(names, name); o >= 0 && scaled[o] && i < len(expected) {
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
				var err error
				if t, err = tensor.New(t.Shape(), values); err != nil {
					return nil, err
				}
			}
			entries = append(entries, tensor.Entry{Name: name, Tensor: t})
		}
		var err error
		if sets[i], err = tensor.NewSet(entries...); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

func indexOf(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}
