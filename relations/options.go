package relations

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// Options configures [Check]. The zero value compares bit for bit and finds the batch in the
// model's symbolic dimensions.
type Options struct {
	Rule Rule
	// Along gives the axis of each input that is the batch, or for [Order] the set. The name "*"
	// stands for every input that is dynamic along the axis. The default is the first symbolic
	// dimension that inputs and outputs share.
	Along map[string]int
	// Sizes are the batch sizes. The default is 1, 2, 3, 7, 16 and 33, the subject's own size, and the
	// bounds and the optimum of the engine's profile.
	Sizes []int
	// Ran is the subject's outputs from an earlier run. [Repeat] compares its runs with them.
	Ran []*tensor.Set
	// Locate finds the first node in the model that breaks the relation, for relations between two
	// engines or two ways of running. It takes further runs with inner tensors marked.
	Locate bool
}

// sizes are the default batch sizes: powers of two and their neighbours, where engines switch
// kernels.
var sizes = []int{1, 2, 3, 7, 16, 33}

// Rule decides whether two runs agree. The zero value requires equality bit for bit; all NaN are
// equal.
type Rule struct {
	// Checks are rules of package compare; all must pass.
	Checks []compare.Check
	// Noise compares by measured rounding noise instead of checks. It is measured for each reference
	// run.
	Noise bool
	Bars  compare.NoiseBars
}

// Exact reports whether the rule is bit-for-bit equality.
func (r Rule) Exact() bool { return len(r.Checks) == 0 && !r.Noise }

// text describes the rule.
func (r Rule) text() string {
	switch {
	case r.Noise:
		return "within noise"
	case r.Exact():
		return "bit for bit"
	}
	text := ""
	for i, c := range r.Checks {
		if i > 0 {
			text += "; "
		}
		text += c.String()
	}
	return text
}

// validate finds misuse that needs no run.
func (o *Options) validate() error {
	if o.Rule.Noise && len(o.Rule.Checks) > 0 {
		return errors.New("relations: noise replaces tolerances; leave one of them out")
	}
	for _, n := range o.Sizes {
		if n < 1 {
			return fmt.Errorf("relations: batch size %d: sizes must be 1 or more", n)
		}
	}
	if len(o.Sizes) > 0 && !slices.ContainsFunc(o.Sizes, func(n int) bool { return n != o.Sizes[0] }) {
		return fmt.Errorf("relations: the only batch size is %d; two different ones are needed for a "+
			"comparison", o.Sizes[0])
	}
	for name, axis := range o.Along {
		if axis < 0 {
			return fmt.Errorf("relations: axis %d of input %q: axes count from 0", axis, name)
		}
	}
	return nil
}
