package matchers

import "fmt"

// reference is the expected side of a matcher: a [goldenFile] or a [readable]. Its String method
// describes it for messages.
type reference interface{ fmt.Stringer }

// readable is an expected side that is not a golden file. An update never writes it.
type readable interface {
	// read reads the expected side. If the file format has no output names, it takes the names from
	// the actual side.
	read(actual side) (side, error)
}

// given is a value that the spec passed, usually another run.
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
