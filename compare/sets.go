package compare

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// Sets compares the outputs of one inference with the expected outputs, by name. An output that
// only one side has fails. See [Comparer.Runs].
func Sets(actual, expected *tensor.Set, o Options) (Report, error) {
	return Runs([]*tensor.Set{actual}, []*tensor.Set{expected}, o)
}

// Runs compares two runs iteration by iteration. If the numbers of iterations differ, the report
// fails. See [Comparer.Runs].
func Runs(actual, expected []*tensor.Set, o Options) (Report, error) {
	c, err := Prepare(o)
	if err != nil {
		return Report{}, err
	}
	return c.Runs(actual, expected)
}

// Runs compares two runs iteration by iteration. A sequence or a map counts as one output, whose
// values are stacked and compared as one tensor (see tensor.Value). Both sides must have the same
// items or keys; the order of keys does not matter.
func (c *Comparer) Runs(actual, expected []*tensor.Set) (Report, error) {
	if err := validateOutputs(actual, expected); err != nil {
		return Report{}, err
	}
	sides := sidesOf(actual, expected)
	if c.options.ByPosition {
		positioned := *c
		positioned.options = c.options.paired(actual, expected)
		c = &positioned
	}
	notes, err := c.validateNames(sides)
	if err != nil {
		return Report{}, err
	}
	leftOut, err := c.choose(sides)
	if err != nil {
		return Report{}, err
	}
	var outputs []Output
	if c.options.Average {
		outputs, err = c.average(sides)
	} else {
		outputs, err = c.iterations(sides)
	}
	if err != nil {
		return Report{}, err
	}
	report := Report{Verdict: Pass, Outputs: outputs, LeftOut: leftOut, Notes: notes}
	report.conclude(len(actual), len(expected))
	if report.Verdict == Fail {
		extra, lost := names.Unpaired(c.options.Names, outputNames(sides.actual),
			outputNames(sides.expected))
		if len(extra) > 0 && len(lost) > 0 {
			report.Notes = append(report.Notes, "if only their names differ, pair the outputs by name "+
				"with Options.Names, or in order with Options.ByPosition")
		}
		if slices.ContainsFunc(outputs, Output.sharesNonFinite) {
			report.Notes = append(report.Notes, "both sides have NaN or infinities; to make equal ones "+
				"match, set NaNEqual and InfinitiesEqual")
		}
	}
	if report.Verdict == Pass && !c.options.AllowEmpty && report.empty() {
		return Report{}, errNothing("every output is empty on both sides")
	}
	return report, nil
}

// sides contains the values of each iteration on both sides.
type sides struct{ actual, expected [][]tensor.Value }

func sidesOf(actual, expected []*tensor.Set) *sides {
	s := &sides{make([][]tensor.Value, len(actual)), make([][]tensor.Value, len(expected))}
	for i := range actual {
		s.actual[i] = valuesLike(actual[i], expected, i)
	}
	for i := range expected {
		s.expected[i] = valuesLike(expected[i], actual, i)
	}
	return s
}

// valuesLike returns the values of a set. If the other side marks a tensor as the keys of a map in
// iteration i, the tensor of that name counts as keys here too, because most file formats cannot
// mark keys.
func valuesLike(set *tensor.Set, others []*tensor.Set, i int) []tensor.Value {
	var entries []tensor.Entry
	differ := false
	for name, t := range set.All() {
		if i < len(others) && !t.IsKeys() {
			if other, _ := others[i].Get(name); other.IsKeys() {
				t, differ = t.AsKeys(), true
			}
		}
		entries = append(entries, tensor.Entry{Name: name, Tensor: t})
	}
	if differ {
		set, _ = tensor.NewSet(entries...) // cannot fail: the names come from a set
	}
	return set.Values()
}

// iterations returns the number of iterations that both sides have.
func (s *sides) iterations() int { return min(len(s.actual), len(s.expected)) }

// outputNames returns the distinct names of a side's outputs.
func outputNames(side [][]tensor.Value) []string {
	var all []string
	met := map[string]bool{}
	for _, values := range side {
		for i := range values {
			if name := values[i].Name; !met[name] {
				met[name] = true
				all = append(all, name)
			}
		}
	}
	return all
}

// sharesNonFinite reports whether the output fails and both sides have NaN or infinities. An option
// can make these equal.
func (o Output) sharesNonFinite() bool {
	if !slices.ContainsFunc(o.Results, func(r Result) bool {
		return r.Verdict == Fail && r.Check.rule.elements() != nil
	}) {
		return false
	}
	a, e := CensusOf(o.Actual), CensusOf(o.Expected)
	return min(a.NaN, e.NaN) > 0 && !o.rules.nan ||
		min(a.PosInf, e.PosInf)+min(a.NegInf, e.NegInf) > 0 && !o.rules.infinities
}

// empty reports whether no output has an element.
func (r *Report) empty() bool {
	return !slices.ContainsFunc(r.Outputs, func(o Output) bool { return !o.empty })
}

// validateOutputs returns an error if a run or an iteration contains nothing to compare.
func validateOutputs(actual, expected []*tensor.Set) error {
	if len(actual) == 0 || len(expected) == 0 {
		return fmt.Errorf("compare: there is nothing to compare: number of iterations: actual %d, "+
			"expected %d", len(actual), len(expected))
	}
	for i := range min(len(actual), len(expected)) {
		if actual[i].Len() == 0 && expected[i].Len() == 0 {
			return fmt.Errorf("compare: iteration %d has no outputs on either side, so nothing can be "+
				"compared in it", i)
		}
	}
	return nil
}

func (c *Comparer) iterations(s *sides) ([]Output, error) {
	var all []Output
	for i := range s.iterations() {
		outputs, err := c.iteration(i, s.actual[i], s.expected[i])
		if err != nil {
			return nil, err
		}
		all = append(all, outputs...)
		failed := slices.ContainsFunc(outputs, func(o Output) bool { return o.Verdict == Fail })
		if c.options.FailFast && failed {
			break
		}
	}
	return all, nil
}

func (c *Comparer) iteration(i int, actual, expected []tensor.Value) ([]Output, error) {
	outputs := make([]Output, 0, max(len(actual), len(expected)))
	places := make(map[string]int, len(expected))
	for at := range expected {
		places[expected[at].Name] = at
	}
	met := make([]bool, len(expected))
	for _, a := range actual {
		expectedName := c.options.expectedName(a.Name)
		at, ok := places[expectedName]
		var out Output
		if !ok {
			out = lone(a, expectedName).failed("the output is extra: the expected side does not have it")
		} else {
			met[at] = true
			var err error
			if out, err = c.value(a.Name, expectedName, a, expected[at]); err != nil {
				return nil, err
			}
		}
		out.Iteration = i
		outputs = append(outputs, out)
		if c.options.FailFast && out.Verdict == Fail {
			return outputs, nil
		}
	}
	for at, e := range expected {
		if !met[at] {
			out := lone(e, e.Name)
			out.Actual, out.Expected = nil, out.Actual
			out.values.actual, out.values.expected = nil, out.values.actual
			out.Iteration = i
			outputs = append(outputs, out.failed("the output is missing: the actual side does not have it"))
		}
	}
	return outputs, nil
}

// lone returns the Output for a value that only the actual side has.
func lone(v tensor.Value, expectedName string) Output {
	out := Output{Name: v.Name, ExpectedName: expectedName}
	out.Actual, _ = v.Stack() // a value that cannot be stacked is shown without a shape
	out.values.actual = container(v)
	return out
}

// conclude sets the report's verdict and reason from its outputs. actual and expected are the
// numbers of iterations.
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
