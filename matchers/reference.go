package matchers

import "fmt"

// reference is the expected side of a matcher: a [goldenFile], a [savedFile] or a [given] value.
// Its String method describes it for messages.
type reference interface {
	fmt.Stringer
	// read sets the expected side of a comparison that m makes.
	read(m *comparer, c *comparison) error
}

// given is a value that the spec passed to the matcher, usually another run.
type given struct{ value any }

func (g given) read(_ *comparer, c *comparison) (err error) {
	if c.expected, err = sideOf(g.value); err != nil {
		err = fmt.Errorf("the expected value: %w", err)
	}
	return err
}

func (g given) String() string {
	s, err := sideOf(g.value)
	if err != nil {
		return fmt.Sprintf("a %T", g.value)
	}
	return s.String()
}
