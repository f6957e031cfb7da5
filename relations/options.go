package relations

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// Options says how runs are compared, and what they are made of. The zero value compares bit for
// bit, and finds the batch in the model's symbolic dimensions.
type Options struct {
	Rule Rule
	// Along names the axis of each input that is the batch, or the set for [Order]. The name "*"
	// stands for every input whose dimension is dynamic there. Without it the axis is that of the
	// first symbolic dimension that inputs and outputs share.
	Along map[string]int
	// Sizes are the batch sizes; without them [Sizes], that of the subject's inputs, and the bounds
	// and the likely shape of the engine's profile.
	Sizes []int
	// Ran is what the subject gave when it ran, which [Repeat] holds the further runs to.
	Ran []*tensor.Set
	// Locate finds the first node inside the model that breaks the relation, where two engines or
	// two ways of running show it. It takes further runs with tensors marked.
	Locate bool
}

// Sizes are the batch sizes without Options.Sizes: powers of two and numbers next to them, where
// kernels change.
var sizes = []int{1, 2, 3, 7, 16, 33}

// Rule is what two runs are held to. The zero value is equality bit for bit, where NaN equals NaN.
type Rule struct {
	// Checks are rules of package compare; all must hold.
	Checks []compare.Check
	// Noise holds runs to what rounding explains, in place of checks. It is measured for each run
	// that others are held to.
	Noise bool
	Bars  compare.NoiseBars
}

// Exact reports whether the rule is equality bit for bit.
func (r Rule) Exact() bool { return len(r.Checks) == 0 && !r.Noise }

// String is the rule in words.
func (r Rule) String() string {
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

// validate finds misuse that shows without a run.
func (o *Options) validate() error {
	if o.Rule.Noise && len(o.Rule.Checks) > 0 {
		return errors.New("relations: noise takes the place of tolerances; leave one of them out")
	}
	for _, n := range o.Sizes {
		if n < 1 {
			return fmt.Errorf("relations: a batch of %d: sizes must be 1 or more", n)
		}
	}
	if len(o.Sizes) > 0 && !slices.ContainsFunc(o.Sizes, func(n int) bool { return n != o.Sizes[0] }) {
		return fmt.Errorf("relations: the only batch size is %d; two different ones are needed, one "+
			"to be held to the other", o.Sizes[0])
	}
	for name, axis := range o.Along {
		if axis < 0 {
			return fmt.Errorf("relations: axis %d of input %q: axes count from 0", axis, name)
		}
	}
	return nil
}
