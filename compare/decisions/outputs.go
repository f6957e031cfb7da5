package decisions

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// sides contains the tensors of one output: for each iteration, the actual and the expected tensor.
type sides struct {
	name             string
	actual, expected []*tensor.Tensor
}

// both returns the named output of both sides in every iteration. If name is empty, the expected
// side must have exactly one output, and that output is returned.
func both(name string, actual, expected []*tensor.Set, f *Findings) (s sides, err error) {
	if s.name, err = nameOf(name, expected); err != nil {
		return s, err
	}
	f.Outputs = append(f.Outputs, s.name)
	f.several = len(expected) > 1
	for i := range expected {
		e, ok := output(expected[i], s.name)
		if !ok {
			return s, fmt.Errorf("the expected run has no output %q in iteration %d, only %s", s.name, i,
				names.List(expected[i].Names()))
		}
		a, ok := output(actual[i], s.name)
		if !ok {
			return s, mismatch(fmt.Sprintf("output %q is missing: iteration %d has %s", s.name, i,
				names.List(actual[i].Names())))
		}
		s.actual, s.expected = append(s.actual, a), append(s.expected, e)
	}
	return s, nil
}

// nameOf returns name or, if it is empty, the name of the only expected output.
func nameOf(name string, expected []*tensor.Set) (string, error) {
	if name != "" {
		return name, nil
	}
	values := expected[0].Values()
	if len(values) != 1 {
		return "", fmt.Errorf("the expected run has %d outputs, %s: name the output to compare",
			len(values), names.List(expected[0].Names()))
	}
	return values[0].Name, nil
}

// output returns the output with the given name. A sequence or a map is returned as one tensor.
func output(set *tensor.Set, name string) (*tensor.Tensor, bool) {
	if t, ok := set.Get(name); ok {
		return t, true
	}
	if v, ok := set.Value(name); ok {
		t, err := v.Stack()
		return t, err == nil
	}
	return nil, false
}

// alike returns the named output of both sides, as [both] does. It returns a mismatch if the shapes
// differ.
func alike(name string, actual, expected []*tensor.Set, f *Findings) (sides, error) {
	s, err := both(name, actual, expected, f)
	for i := range s.actual {
		if a, e := s.actual[i].Shape(), s.expected[i].Shape(); err == nil && !a.Equal(e) {
			err = mismatch(fmt.Sprintf("the shape of %q is %v, expected %v", s.name, a, e))
		}
	}
	return s, err
}

// rowsOf splits both sides of an iteration into rows along the last axis.
func (s sides) rowsOf(i int) (a, e [][]float64, err error) {
	if e, err = rows(fmt.Sprintf("the expected %q", s.name), s.expected[i]); err != nil {
		return nil, nil, err
	}
	if a, err = rows(fmt.Sprintf("the actual %q", s.name), s.actual[i]); err != nil {
		return nil, nil, err
	}
	return a, e, nil
}
