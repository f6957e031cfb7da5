package compare

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// Comparer holds validated [Options] for many comparisons. It is immutable and safe for concurrent
// use.
type Comparer struct {
	options   Options
	perOutput byNames[[]Check]
	topKs     byNames[TopK]
	chosen    chosen
}

// Prepare validates the options and returns a Comparer for them.
func Prepare(o Options) (*Comparer, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	return &Comparer{options: o, perOutput: indexed(o.PerOutput), topKs: indexed(o.TopK),
		chosen: chosenBy(&o)}, nil
}

// Tensors compares one tensor with another. See [Comparer.Tensors].
func Tensors(actual, expected *tensor.Tensor, o Options) (Output, error) {
	c, err := Prepare(o)
	if err != nil {
		return Output{}, err
	}
	return c.Tensors(actual, expected)
}

// Tensors compares one tensor with another, using Options.Checks. It returns an error if a tensor
// is nil, or if the options name outputs, because bare tensors have no names.
func (c *Comparer) Tensors(actual, expected *tensor.Tensor) (Output, error) {
	o := &c.options
	if len(o.PerOutput)+len(o.Names)+len(o.Only)+len(o.Except) > 0 || o.ByPosition {
		return Output{}, fmt.Errorf("compare: Tensors compares tensors without names: to use " +
			"PerOutput, Names, ByPosition, Only or Except, call Sets")
	}
	out, err := c.output("", "", actual, expected)
	if err == nil && out.empty && !c.options.AllowEmpty {
		return Output{}, errNothing("both tensors are empty")
	}
	return out, err
}

// errNothing is the error for a comparison that has compared nothing.
func errNothing(what string) error {
	return fmt.Errorf("compare: nothing was compared: %s; use inputs for which an output is not "+
		"empty or, if empty outputs are expected, set AllowEmpty", what)
}

func (c *Comparer) output(name, expectedName string, actual, expected *tensor.Tensor) (
	Output, error) {
	out := Output{Name: name, ExpectedName: expectedName, Verdict: Pass, Actual: actual,
		Expected: expected, rules: equality{c.options.NaNEqual, c.options.InfinitiesEqual}}
	if !actual.ElementType().Valid() || !expected.ElementType().Valid() {
		return Output{}, fmt.Errorf("compare: %s has no tensor", label(name))
	}
	reason, err := c.align(&out)
	if err != nil {
		return Output{}, named(err, name)
	}
	if reason != "" {
		return out.failed(reason), nil
	}
	p := pairOf(out.Actual, out.Expected, out.rules)
	if c.options.Finite {
		if reason := notFinite(p); reason != "" {
			out = out.failed(reason)
			out.barred = true
		}
	}
	return c.check(out, p)
}

// named adds the name of the output to an error about it.
func named(err error, output string) error {
	if powerless := new(Powerless); errors.As(err, &powerless) {
		powerless.Output = output
		return powerless
	}
	return fmt.Errorf("%w (%s)", err, label(output))
}

// nothing returns the results of the checks for an output without elements: all of them pass.
func nothing(checks []Check) []Result {
	results := make([]Result, len(checks))
	for i, check := range checks {
		results[i] = check.unmeasured()
		results[i].Text = "no elements"
	}
	return results
}

// check applies every check for the output to the pair.
func (c *Comparer) check(out Output, p pair) (Output, error) {
	checks := c.ChecksOf(out.Name)
	if len(checks) == 0 {
		return Output{}, fmt.Errorf("compare: no check for %s, so it could not fail: add one to "+
			"PerOutput, or set Checks", label(out.Name))
	}
	if p.n == 0 {
		out.Results, out.empty = nothing(checks), true
		return out, nil
	}
	out.Results = make([]Result, len(checks))
	for i, check := range checks {
		r := &out.Results[i]
		if err := check.judge(p, r); err != nil {
			return Output{}, named(err, out.Name)
		}
		if r.Verdict == Fail && out.Verdict == Pass {
			out = out.failed(check.rule.reason(r))
		}
	}
	return out, nil
}

func (o Output) failed(reason string) Output {
	o.Verdict, o.Reason = Fail, reason
	return o
}

// label returns the name of an output for an error or a reason.
func label(name string) string {
	if name == "" {
		return "the output"
	}
	return fmt.Sprintf("output %q", name)
}

// notFinite says which side has a NaN or an infinity, and where the first one is.
func notFinite(p pair) string {
	for _, side := range []struct {
		name string
		t    *tensor.Tensor
	}{{"actual", p.actual}, {"expected", p.expected}} {
		if c := CensusOf(side.t); c.Total() > 0 {
			return fmt.Sprintf("the %s side is not finite: %v", side.name, c)
		}
	}
	return ""
}
