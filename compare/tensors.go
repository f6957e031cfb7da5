package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// Comparer is [Options] that were found to be in order, for many comparisons. It is immutable and
// safe for concurrent use. An elementwise comparison that passes allocates nothing.
type Comparer struct {
	options Options
	// passed are the results of elementwise Checks that pass without a mismatch: the same for every
	// output, so they are made once and shared.
	passed []Result
}

// Prepare checks the options. What is wrong with them is an error.
func Prepare(o Options) (*Comparer, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	c := &Comparer{options: o}
	for _, check := range o.Checks {
		if !check.elementwise() || check.rule == ruleDefaults {
			c.passed = nil
			break
		}
		c.passed = append(c.passed, passedElementwise(check))
	}
	return c, nil
}

func passedElementwise(check Check) Result {
	return Result{Check: check, Verdict: Pass, Abs: nan, Rel: nan, Value: nan}
}

// Tensors compares one tensor with another. See [Comparer.Tensors].
func Tensors(actual, expected *tensor.Tensor, o Options) (Output, error) {
	c, err := Prepare(o)
	if err != nil {
		return Output{}, err
	}
	return c.Tensors(actual, expected)
}

// Tensors compares one tensor with another, under Options.Checks. The output has no name, so options
// for a named output are an error, and so is a tensor that is nil.
func (c *Comparer) Tensors(actual, expected *tensor.Tensor) (Output, error) {
	if len(c.options.PerOutput) > 0 || len(c.options.Names) > 0 {
		return Output{}, fmt.Errorf("compare: Tensors compares outputs without a name: use Sets with " +
			"PerOutput and Names")
	}
	return c.output("", "", actual, expected)
}

// output compares one output.
func (c *Comparer) output(name, expectedName string, actual, expected *tensor.Tensor) (
	Output, error) {
	out := Output{Name: name, ExpectedName: expectedName, Verdict: Pass, Actual: actual,
		Expected: expected, rules: equality{c.options.NaNEqual, c.options.InfinitiesEqual}}
	if !actual.ElementType().Valid() || !expected.ElementType().Valid() {
		return Output{}, fmt.Errorf("compare: %s has no tensor", label(name))
	}
	if reason := c.align(&out); reason != "" {
		return out.failed(reason), nil
	}
	p, err := pairOf(out.Actual, out.Expected, out.rules)
	if err != nil {
		return Output{}, fmt.Errorf("%w (%s)", err, label(name))
	}
	if c.options.Finite {
		if reason := notFinite(&p); reason != "" {
			out = out.failed(reason)
		}
	}
	return c.check(out, &p)
}

// check holds the pair to every check of the output.
func (c *Comparer) check(out Output, p *pair) (Output, error) {
	checks := c.options.checksFor(out.Name)
	if len(c.passed) > 0 && len(checks) > 0 && &checks[0] == &c.options.Checks[0] {
		clean := true
		for i := range checks {
			n, err := p.countMismatches(checks[i], c.options.Workers)
			if err != nil {
				return Output{}, fmt.Errorf("%w (%s)", err, label(out.Name))
			}
			clean = clean && n == 0
		}
		if clean {
			out.Results = c.passed
			return out, nil
		}
	}
	out.Results = make([]Result, 0, len(checks))
	for _, check := range checks {
		result, err := p.hold(check, c.options.Workers)
		if err != nil {
			return Output{}, fmt.Errorf("%w (%s)", err, label(out.Name))
		}
		out.Results = append(out.Results, result)
		if result.Verdict == Fail && out.Verdict == Pass {
			out = out.failed(result.reason(p.n))
		}
	}
	return out, nil
}

func (o Output) failed(reason string) Output {
	o.Verdict, o.Reason = Fail, reason
	return o
}

// label names an output in an error or a reason.
func label(name string) string {
	if name == "" {
		return "the output"
	}
	return fmt.Sprintf("output %q", name)
}

// align brings both sides to one element type's world and one shape, or says why it cannot.
func (c *Comparer) align(out *Output) (reason string) {
	x, y := out.Actual.ElementType(), out.Expected.ElementType()
	if x != y && !c.options.AnyElementType {
		return fmt.Sprintf("the element type is %v, expected %v", x, y)
	}
	if promote(x, y) == unrelated {
		return fmt.Sprintf("the element type is %v, expected %v, and no number equals a string", x, y)
	}
	if !out.Actual.Shape().Equal(out.Expected.Shape()) {
		return fmt.Sprintf("the shape is %v, expected %v", out.Actual.Shape(), out.Expected.Shape())
	}
	return ""
}

// notFinite says which side has a value that is not finite.
func notFinite(p *pair) string {
	for side, t := range map[string]*tensor.Tensor{"actual": p.actual, "expected": p.expected} {
		if !t.ElementType().IsFloat() {
			continue
		}
		for i := range t.Len() {
			if v := t.Float64At(i); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Sprintf("%s has %v at %v", side, v, t.Shape().Index(i))
			}
		}
	}
	return ""
}
