package compare

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// Sets compares the outputs of one inference with the expected ones, by name. An output that only
// one side has is a failed output of the report. See [Comparer.Sets].
func Sets(actual, expected *tensor.Set, o Options) (Report, error) {
	c, err := Prepare(o)
	if err != nil {
		return Report{}, err
	}
	return c.Sets(actual, expected)
}

// Runs compares two runs iteration by iteration. Another number of iterations is a failure. See
// [Comparer.Runs].
func Runs(actual, expected []*tensor.Set, o Options) (Report, error) {
	c, err := Prepare(o)
	if err != nil {
		return Report{}, err
	}
	return c.Runs(actual, expected)
}

// Sets compares the outputs of one inference with the expected ones.
func (c *Comparer) Sets(actual, expected *tensor.Set) (Report, error) {
	return c.Runs([]*tensor.Set{actual}, []*tensor.Set{expected})
}

// Runs compares two runs iteration by iteration.
func (c *Comparer) Runs(actual, expected []*tensor.Set) (Report, error) {
	if err := validateOutputs(actual, expected); err != nil {
		return Report{}, err
	}
	if err := c.options.validateNames(actual, expected); err != nil {
		return Report{}, err
	}
	var outputs []Output
	var err error
	if c.options.Average {
		outputs, err = c.average(actual, expected)
	} else {
		outputs, err = c.iterations(actual, expected)
	}
	if err != nil {
		return Report{}, err
	}
	report := Report{Verdict: Pass, Outputs: outputs}
	report.conclude(len(actual), len(expected))
	if report.Verdict == Pass && !c.options.AllowEmpty && report.empty() {
		return Report{}, errNothing("every output is empty on both sides")
	}
	return report, nil
}

// empty reports whether no output has an element.
func (r *Report) empty() bool {
	for i := range r.Outputs {
		if !r.Outputs[i].empty {
			return false
		}
	}
	return true
}

// validateOutputs refuses runs and iterations that hold nothing to compare.
func validateOutputs(actual, expected []*tensor.Set) error {
	switch {
	case len(actual) == 0 && len(expected) == 0:
		return errors.New("compare: neither side has any iterations, so there is nothing to compare")
	case len(actual) == 0:
		return errors.New("compare: the actual side has no iteration, so nothing can be compared")
	case len(expected) == 0:
		return errors.New("compare: the expected side has no iteration, so nothing can be compared")
	}
	for i := range min(len(actual), len(expected)) {
		if actual[i].Len() == 0 && expected[i].Len() == 0 {
			return fmt.Errorf("compare: iteration %d has no outputs on either side, so nothing can be "+
				"compared in it", i)
		}
	}
	return nil
}

// iterations compares every iteration for itself.
func (c *Comparer) iterations(actual, expected []*tensor.Set) ([]Output, error) {
	var all []Output
	for i := range min(len(actual), len(expected)) {
		outputs, err := c.iteration(i, actual[i], expected[i])
		if err != nil {
			return nil, err
		}
		all = append(all, outputs...)
		if c.options.FailFast && anyFailed(outputs) {
			break
		}
	}
	return all, nil
}

// iteration compares one set of outputs with another.
func (c *Comparer) iteration(i int, actual, expected *tensor.Set) ([]Output, error) {
	outputs := make([]Output, 0, max(actual.Len(), expected.Len()))
	met := make(map[string]bool, expected.Len())
	for name, a := range actual.All() {
		expectedName := name
		if mapped, ok := c.options.Names[name]; ok {
			expectedName = mapped
		}
		met[expectedName] = true
		e, ok := expected.Get(expectedName)
		var out Output
		if !ok {
			out = Output{Name: name, ExpectedName: expectedName, Actual: a}.failed(
				"the output is extra: the expected side does not have it")
		} else {
			var err error
			if out, err = c.output(name, expectedName, a, e); err != nil {
				return nil, err
			}
		}
		out.Iteration = i
		outputs = append(outputs, out)
		if c.options.FailFast && out.Verdict == Fail {
			return outputs, nil
		}
	}
	for name, e := range expected.All() {
		if !met[name] {
			outputs = append(outputs, Output{Name: name, ExpectedName: name, Expected: e,
				Iteration: i}.failed("the output is lost: the actual side does not have it"))
		}
	}
	return outputs, nil
}

func anyFailed(outputs []Output) bool {
	for i := range outputs {
		if outputs[i].Verdict == Fail {
			return true
		}
	}
	return false
}

// conclude sets the verdict and the reason from the outputs.
func (r *Report) conclude(actual, expected int) {
	failed := 0
	for i := range r.Outputs {
		if r.Outputs[i].Verdict == Fail {
			failed++
		}
	}
	switch {
	case actual != expected:
		r.Reason = fmt.Sprintf("the number of iterations is %d, expected %d", actual, expected)
	case failed > 0:
		r.Reason = fmt.Sprintf("%d of %d outputs differ", failed, len(r.Outputs))
	}
	if r.Reason != "" {
		r.Verdict = Fail
	}
}

// validateNames refuses options for outputs that neither side has.
func (o *Options) validateNames(actual, expected []*tensor.Set) error {
	for _, name := range sortedKeys(o.PerOutput) {
		if !has(actual, name) && !has(expected, name) {
			return fmt.Errorf("compare: a check names output %q, which neither side has; "+
				"the outputs are %s", name, outputNames(actual))
		}
	}
	for _, name := range sortedKeys(o.TopK) {
		if name != "" && !has(actual, name) && !has(expected, name) {
			return fmt.Errorf("compare: TopK names output %q, which neither side has; the outputs are %s",
				name, outputNames(actual))
		}
	}
	taken := map[string]string{}
	for _, name := range sortedKeys(o.Names) {
		to := o.Names[name]
		if !has(actual, name) && !has(expected, to) {
			return fmt.Errorf("compare: Names maps %q to %q, which neither side has; the outputs are %s",
				name, to, outputNames(actual))
		}
		if other, twice := taken[to]; twice {
			return fmt.Errorf("compare: Names maps both %q and %q to %q", other, name, to)
		}
		taken[to] = name
	}
	return nil
}

func has(sets []*tensor.Set, name string) bool {
	for _, s := range sets {
		if _, ok := s.Get(name); ok {
			return true
		}
	}
	return len(sets) == 0
}

func outputNames(sets []*tensor.Set) string {
	for _, s := range sets {
		if s.Len() > 0 {
			return fmt.Sprintf("%q", s.Names())
		}
	}
	return "none"
}
