package relations

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// judge compares outputs by a rule and counts the comparisons.
type judge struct {
	rule     Rule
	compared int
	noises   map[*backends.Run]*compare.Noise
}

func newJudge(r Rule) *judge { return &judge{rule: r, noises: map[*backends.Run]*compare.Noise{}} }

// reference is a run with which other runs are compared.
type reference struct {
	run     *backends.Run
	outputs *tensor.Set    // only the outputs, or the rows of outputs, to compare
	rows    map[string]row // by output: the row of the run's output, if outputs contains only that row

	iteration int // the run's iteration from which outputs was taken
}

// row selects one index along an axis.
type row struct{ axis, at int }

// sets compares a set of outputs with a reference. It returns the first difference, or nil if there
// is none. The caller sets How.
func (j *judge) sets(actual *tensor.Set, expected reference) (*Breach, error) {
	for name, e := range expected.outputs.All() {
		a, ok := actual.Get(name)
		if !ok {
			j.compared++
			return &Breach{Output: name, Text: "the output is missing"}, nil
		}
		breach, err := j.tensors(name, a, e, expected)
		if breach != nil || err != nil {
			return breach, err
		}
	}
	return nil, nil
}

// tensors compares one output with the same output of the reference.
func (j *judge) tensors(name string, actual, expected *tensor.Tensor, of reference) (
	*Breach, error) {
	if actual.ElementType() != expected.ElementType() || !actual.Shape().Equal(expected.Shape()) {
		j.compared++
		return &Breach{Output: name, Text: fmt.Sprintf("type and shape are %v%v, expected %v%v",
			actual.ElementType(), actual.Shape(), expected.ElementType(), expected.Shape())}, nil
	}
	if expected.Len() == 0 {
		return nil, nil // comparing empty tensors proves nothing, so do not count it
	}
	j.compared++
	at := decode.Slice{Iteration: of.iteration, Output: name, Axis: -1}
	if part, ok := of.rows[name]; ok {
		at.Axis, at.Position = part.axis, part.at
	}
	reason, err := j.hold(at, actual, expected, of.run)
	if reason == "" || err != nil {
		return nil, err
	}
	worst, n := compare.Furthest(actual, expected)
	b := &Breach{Output: name, Index: actual.Shape().Index(worst), Actual: actual.Text(worst),
		Expected: expected.Text(worst)}
	b.Text = fmt.Sprintf("%d of %d elements differ, the worst at %v: %s, expected %s", n,
		actual.Len(), tensor.Shape(b.Index), b.Actual, b.Expected)
	if !j.rule.Exact() {
		b.Text = reason + "; " + b.Text
	}
	return b, nil
}

// hold returns the reason why an output, or one slice of it, fails the rule, or "" if it passes.
// expected comes from the given run.
func (j *judge) hold(at decode.Slice, actual, expected *tensor.Tensor, run *backends.Run) (
	string, error) {
	switch {
	case equal(actual, expected):
		return "", nil
	case j.rule.Exact():
		return "the bits differ", nil
	case !j.rule.Noise:
		o, err := compare.Tensors(actual, expected, compare.Options{Checks: j.rule.Checks,
			NaNEqual: true, InfinitiesEqual: true})
		if err != nil || o.Verdict == compare.Pass {
			return "", err
		}
		return o.Reason, nil
	}
	n, err := j.noise(run)
	if errors.Is(err, noise.ErrExact) {
		return "it differs although no node of the model rounds", nil
	}
	if err != nil {
		return "", err
	}
	return decode.Under(compare.Options{}, n, j.rule.Bars)(at, actual, expected)
}

// noise returns the noise of a run, which it measures only once.
func (j *judge) noise(run *backends.Run) (*compare.Noise, error) {
	if n, ok := j.noises[run]; ok {
		return n, nil
	}
	r, err := noise.Between(nil, run)
	if err != nil {
		return nil, err
	}
	j.noises[run] = r.Noise
	return r.Noise, nil
}

// equal reports whether two tensors have the same type, shape and bits. Every NaN equals every
// other.
func equal(a, b *tensor.Tensor) bool {
	if a.Identical(b) {
		return true
	}
	if a.ElementType() != b.ElementType() || !a.Shape().Equal(b.Shape()) {
		return false
	}
	_, differing := compare.Furthest(a, b)
	return differing == 0
}
