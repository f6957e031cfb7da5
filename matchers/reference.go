package matchers

import "fmt"

// reference is what a matcher holds the actual outputs to. It prints as messages call it.
type reference interface {
	// read gives the expected side. It is told the actual one for formats without output names.
	read(actual side) (side, error)
	fmt.Stringer
}

// given is a value that the spec handed over: mostly another run.
type given struct{ value any }

func (g given) read(side) (side, error) {
	s, err := sideOf(g.value)
	if err != nil {
		err = fmt.Errorf("the expected value: %w", err)
	}
	return s, err
}

func (g given) String() string {
	s, err := sideOf(g.value)
	if err != nil {
		return fmt.Sprintf("a %T", g.value)
	}
	return s.String()
}
