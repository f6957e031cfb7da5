package matchers

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/internal/wildcard"
	"github.com/modelparity/modelparity/tensor"
)

// outputMatcher applies other matchers to every output whose name matches a name or a pattern, in
// every iteration.
type outputMatcher struct {
	name  string                // a name or a pattern
	inner []types.GomegaMatcher // empty if the output need only exist

	// The remaining fields describe the last Match, for the messages.
	iteration int
	output    string         // the name of the output checked last
	tensor    *tensor.Tensor // the output checked last; nil if the output is missing
	present   []string
	decided   types.GomegaMatcher // the inner matcher that failed, else the last one
}

func (m *outputMatcher) Match(actual any) (holds bool, err error) {
	defer escape(&err)
	m.iteration, m.output, m.tensor, m.present, m.decided = 0, m.name, nil, nil, nil
	s, err := sideOf(actual)
	if err == nil && slices.Contains(m.inner, nil) {
		err = errors.New("a matcher is nil")
	}
	if err != nil {
		return false, fmt.Errorf("HaveOutput(%q): %w", m.name, err)
	}
	for i, set := range s.sets {
		found, err := outputsOf(set, m.name)
		if err != nil {
			return false, fmt.Errorf("HaveOutput(%q): %w", m.name, err)
		}
		m.iteration, m.tensor, m.present = i, nil, sets.Names(set)
		if found.Len() == 0 {
			return false, nil
		}
		for m.output, m.tensor = range found.All() {
			for _, inner := range m.inner {
				m.decided = inner
				if ok, err := inner.Match(m.tensor); !ok || err != nil {
					return false, err
				}
			}
		}
	}
	return m.tensor != nil, nil // false if there are no iterations
}

func (m *outputMatcher) FailureMessage(any) string {
	if m.tensor == nil {
		return names.Escape(fmt.Sprintf("Expected an output\n    %q\namong\n    %s", m.name, m.among()))
	}
	return names.Escape(m.where() + m.decided.FailureMessage(m.tensor))
}

func (m *outputMatcher) NegatedFailureMessage(any) string {
	switch len(m.inner) {
	case 0:
		return names.Escape(fmt.Sprintf("Expected no output\n    %q\namong\n    %s", m.name,
			m.among()))
	case 1:
		return names.Escape(m.where() + m.decided.NegatedFailureMessage(m.tensor))
	}
	return names.Escape(fmt.Sprintf("Expected the output\n    %q: %v\nnot to satisfy all of\n    %s",
		m.output, m.tensor, m.wants()))
}

// where returns the line that precedes the inner matcher's message.
func (m *outputMatcher) where() string {
	return fmt.Sprintf("output %q, iteration %d:\n", m.output, m.iteration)
}

// among lists the outputs of the set that was checked last, for messages.
func (m *outputMatcher) among() string {
	if len(m.present) == 0 {
		return fmt.Sprintf("no outputs, iteration %d", m.iteration)
	}
	return fmt.Sprintf("%s, iteration %d", names.List(m.present), m.iteration)
}

// String describes the matcher in the messages of an enclosing matcher, such as And.
func (m *outputMatcher) String() string {
	if len(m.inner) == 0 {
		return fmt.Sprintf("have output %q", m.name)
	}
	return fmt.Sprintf("have output %q, which should %s", m.name, m.wants())
}

func (m *outputMatcher) GomegaString() string { return m.String() }

// wants joins the inner matchers' descriptions.
func (m *outputMatcher) wants() string {
	return strings.Join(names.Each(m.inner, describe), " and ")
}

// describe returns what a matcher's String method returns. For a matcher without that method it
// returns only the name of the type, because printing the fields could print a complete golden
// file.
func describe(m types.GomegaMatcher) string {
	if s, ok := m.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("satisfy %T", m)
}

// outputsOf returns the outputs that a name or pattern matches. A sequence or a map is returned as
// one tensor. A part of it, such as x[0].value, is returned only if the name is exactly the part's
// name.
func outputsOf(set *tensor.Set, name string) (*tensor.Set, error) {
	p := wildcard.Compile(name)
	var found []tensor.Entry
	for _, v := range set.Values() {
		if !p.Match(v.Name) {
			continue
		}
		t, err := v.Stack()
		if err != nil {
			return nil, fmt.Errorf("output %q: %w", v.Name, err)
		}
		found = append(found, tensor.Entry{Name: v.Name, Tensor: t})
	}
	if part, ok := set.Get(name); ok && len(found) == 0 {
		found = append(found, tensor.Entry{Name: name, Tensor: part})
	}
	return tensor.NewSet(found...)
}

// theOutput returns, for each iteration, the output with the given name, or the only output if name
// is empty. It returns an error if the output is missing or ambiguous. If there are several
// outputs, the error recommends a method for choosing one; chooser is the name of that method.
func theOutput(s side, name, chooser string) ([]*tensor.Tensor, error) {
	if len(s.sets) == 0 {
		return nil, errors.New("the run has no iterations, so it has no output")
	}
	tensors := make([]*tensor.Tensor, len(s.sets))
	for i, set := range s.sets {
		found, err := outputsOf(set, cmp.Or(name, "*"))
		switch {
		case err != nil:
			return nil, err
		case found.Len() == 0 && name == "":
			return nil, fmt.Errorf("iteration %d has no outputs", i)
		case found.Len() == 0:
			return nil, fmt.Errorf("iteration %d has no output %q, only %s", i, name,
				names.List(sets.Names(set)))
		case found.Len() > 1 && name == "":
			return nil, fmt.Errorf("iteration %d has %d outputs %s: select one with %s", i, found.Len(),
				names.List(sets.Names(set)), chooser)
		case found.Len() > 1:
			return nil, fmt.Errorf("iteration %d: %q matches %d outputs, expected one: %s", i, name,
				found.Len(), names.List(found.Names()))
		}
		tensors[i] = found.At(0).Tensor
	}
	return tensors, nil
}
