package relations

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// Options configures [Check]. With the zero value, runs are compared bit for bit, and the batch is
// found from the model's symbolic dimensions.
type Options struct {
	Rule Rule
	// Along maps the name of an input to its batch axis or, for [Order], to the axis to permute or,
	// for [Chunks], to the axis of frames. The name "*" stands for every input whose dimension at that
	// axis is dynamic. The default is the axis of the first symbolic dimension that inputs and outputs
	// share.
	Along map[string]int
	// Sizes lists the batch sizes. The default for [Batch] is 1, 2, 3, 7, 16 and 33, the size of the
	// subject's batch, and the smallest, optimal and largest size of the engine's profile.
	Sizes []int
	// Ran contains the subject's outputs from an earlier run, for [Repeat] to compare with.
	Ran []*tensor.Set
	// Locate makes Check find the first node at which the runs differ, by running the model again with
	// all inner tensors marked as outputs. It applies to relations between rows of a batch, and to
	// those between two engines or two configurations of an engine.
	Locate bool
}

// sizes lists the default batch sizes: powers of two and their neighbours, at which engines switch
// to different kernels.
var sizes = []int{1, 2, 3, 7, 16, 33}

// Rule decides whether two runs agree. The zero value requires bitwise equality; all NaN are equal.
type Rule struct {
	// Checks lists the checks that outputs must pass, all of them.
	Checks []compare.Check
	// Noise compares differences with rounding noise, which is measured for each reference run, by the
	// limits that follow from Bars. Checks must then be empty.
	Noise bool
	Bars  compare.Bars
}

// Exact reports whether the rule is bitwise equality.
func (r Rule) Exact() bool { return len(r.Checks) == 0 && !r.Noise }

func (r Rule) text() string {
	switch {
	case r.Noise:
		return "within noise"
	case r.Exact():
		return "bit for bit"
	}
	return strings.Join(names.Each(r.Checks, compare.Check.String), "; ")
}

// validate returns an error for misuse that can be detected without a run.
func (o *Options) validate() error {
	if o.Rule.Noise && len(o.Rule.Checks) > 0 {
		return errors.New("relations: noise replaces tolerances; set only one of them")
	}
	for _, n := range o.Sizes {
		if n < 1 {
			return fmt.Errorf("relations: batch size %d: sizes must be 1 or more", n)
		}
	}
	if len(o.Sizes) > 0 && !slices.ContainsFunc(o.Sizes, func(n int) bool { return n != o.Sizes[0] }) {
		return fmt.Errorf("relations: the only batch size is %d; a comparison needs two different sizes",
			o.Sizes[0])
	}
	for name, axis := range o.Along {
		if axis < 0 {
			return fmt.Errorf("relations: axis %d of input %q is negative; axes are numbered from 0", axis,
				name)
		}
	}
	return nil
}
