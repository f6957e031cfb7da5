package matchers

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/compare"
)

// checkSet contains the checks that an output must pass.
type checkSet struct {
	// within is the tolerance given to Within or ForOutput, or the zero Check if none was given. A
	// second tolerance would contradict the first.
	within compare.Check
	// added contains all other checks, which were given to MatchOutputs, With or ForOutputWith.
	added []compare.Check
}

// tolerate sets the tolerance. It returns an error if a different tolerance has been set. The error
// names the outputs (of) and ends with the remedy.
func (s *checkSet) tolerate(of string, within compare.Check, remedy string) error {
	if s.within != (compare.Check{}) && s.within != within {
		return fmt.Errorf("two tolerances for %s (%v and %v): keep one%s", of, s.within, within, remedy)
	}
	s.within = within
	return nil
}

// add adds checks to the set. It never changes an existing slice, because a copy of the matcher may
// use the same slice.
func (s *checkSet) add(checks []compare.Check) {
	s.added = slices.Concat(s.added, checks)
}

func (s *checkSet) checks() []compare.Check {
	if s.within == (compare.Check{}) {
		return s.added
	}
	return slices.Concat([]compare.Check{s.within}, s.added)
}
