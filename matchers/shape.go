package matchers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// shapeMatcher compares the dimensions of a tensor with the wanted dimensions.
type shapeMatcher struct {
	dims []int // a negative length matches any length
	got  *tensor.Tensor
}

func (m *shapeMatcher) Match(actual any) (holds bool, err error) {
	defer escape(&err)
	m.got = nil
	for axis, d := range m.dims {
		if d < AnyLength {
			return false, fmt.Errorf("HaveShape%s: dimension %d is %d: a length cannot be negative; "+
				"use AnyLength for any length", m.shape(), axis, d)
		}
	}
	s, err := sideOf(actual)
	if err != nil {
		return false, fmt.Errorf("HaveShape%s: %w", m.shape(), err)
	}
	tensors, err := theOutput(s, "", "HaveOutput")
	if err != nil {
		return false, fmt.Errorf("HaveShape%s: %w", m.shape(), err)
	}
	for _, t := range tensors {
		m.got = t
		if !m.fits(t.Shape()) {
			return false, nil
		}
	}
	return true, nil
}

// fits reports whether the shape has the wanted dimensions. The ranks must be equal, because
// nothing is broadcast.
func (m *shapeMatcher) fits(shape tensor.Shape) bool {
	return slices.EqualFunc(shape, m.dims, func(got, want int) bool {
		return want == AnyLength || got == want
	})
}

// shape formats the wanted dimensions like a tensor.Shape, with ? for any length.
func (m *shapeMatcher) shape() string {
	return strings.ReplaceAll(tensor.Shape(m.dims).String(), "-1", "?")
}

func (m *shapeMatcher) FailureMessage(any) string {
	return names.Escape(fmt.Sprintf("Expected\n    %s\nto have shape\n    %s", m.got, m.shape()))
}

func (m *shapeMatcher) NegatedFailureMessage(any) string {
	return names.Escape(fmt.Sprintf("Expected\n    %s\nnot to have shape\n    %s", m.got,
		m.shape()))
}

func (m *shapeMatcher) String() string { return "have shape " + m.shape() }

func (m *shapeMatcher) GomegaString() string { return m.String() }
