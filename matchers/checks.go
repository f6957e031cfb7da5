package matchers

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/compare"
)

// held is every check that an output must pass, in any order.
type held struct {
	// within is the tolerance, of Within or ForOutput; the zero Check if there is none. There is
	// one at most, because a second one would contradict it.
	within compare.Check
	// added are the further checks, of MatchOutputs, With or ForOutputWith.
	added []compare.Check
	// empty records a call that added no checks, which is misuse for ForOutputWith.
	empty bool
}

// tolerate sets the tolerance. of names its outputs, for the error.
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

// checks lists every check, if any.
func (h *held) checks() []compare.Check {
	if h.within == (compare.Check{}) {
		return h.added
	}
	return slices.Concat([]compare.Check{h.within}, h.added)
}
