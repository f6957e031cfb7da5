package matchers

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/compare"
)

// held holds the checks that an output must pass.
type held struct {
	// within is the tolerance given to Within or ForOutput, or the zero Check if none was given. A
	// second tolerance would contradict the first.
	within compare.Check
	// added holds all other checks, which were given to MatchOutputs, With or ForOutputWith.
	added []compare.Check
	// empty says that a call added no checks, which is misuse in ForOutputWith.
	empty bool
}

// tolerate sets the tolerance. It returns an error if a different one has been set. The error says
// which outputs it is about (of), and ends with the remedy.
func (h *held) tolerate(of string, within compare.Check, remedy string) error {
	if h.within != (compare.Check{}) && h.within != within {
		return fmt.Errorf("two tolerances for %s (%v and %v): keep one%s", of, h.within, within, remedy)
	}
	h.within = within
	return nil
}

// add adds checks. It does not write to memory that a copy of the matcher may share.
func (h *held) add(checks []compare.Check) {
	h.added = slices.Concat(h.added, checks)
	h.empty = h.empty || len(checks) == 0
}

func (h *held) checks() []compare.Check {
	if h.within == (compare.Check{}) {
		return h.added
	}
	return slices.Concat([]compare.Check{h.within}, h.added)
}
