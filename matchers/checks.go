package matchers

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/compare"
)

// held holds the checks that an output must pass.
type held struct {
	// within is the tolerance given to Within or ForOutput, or the zero Check if there is none.
	// There is at most one, because a second tolerance would contradict it.
	within compare.Check
	// added holds the further checks, given to MatchOutputs, With or ForOutputWith.
	added []compare.Check
	// empty records a call that added no checks. For ForOutputWith that is misuse.
	empty bool
}

// tolerate sets the tolerance. of names the outputs for the error.
func (h *held) tolerate(of string, within compare.Check, remedy string) error {
	if h.within != (compare.Check{}) && h.within != within {
		return fmt.Errorf("two tolerances for %s, %v and %v: keep one%s", of, h.within, within, remedy)
	}
	h.within = within
	return nil
}

// add adds checks without writing to memory that a copy of the matcher may share.
func (h *held) add(checks []compare.Check) {
	h.added = slices.Concat(h.added, checks)
	h.empty = h.empty || len(checks) == 0
}

// checks returns all checks.
func (h *held) checks() []compare.Check {
	if h.within == (compare.Check{}) {
		return h.added
	}
	return slices.Concat([]compare.Check{h.within}, h.added)
}
