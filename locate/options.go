package locate

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// Options control how [Divergence] compares tensors and searches.
type Options struct {
	// Compare is the rule for every tensor and for the final outputs. It needs at least one check,
	// such as compare.Within(1e-5, 1e-5, compare.Elementwise). Inside the graph, NaN always equals
	// NaN, and infinities of the same sign are equal: masks contain many infinities, and two sides
	// that agree in a NaN or an infinity do not diverge there.
	Compare compare.Options
	// Measure, if not nil, replaces the checks of Compare. It measures how far the outputs of a model
	// may differ from the reference. It is called for three kinds of models: the reference's model,
	// the reference's model with marked tensors, and parts of that model whose nodes run alone. The
	// returned rule is called with one output at a time, in all iterations, under the output's name
	// in the reference. [noise.Inside] and [precision.Judge.Measure] are such functions.
	Measure func(ctx context.Context, reference backends.Subject, under backends.Engine) (
		rule func(actual, expected []*tensor.Set) (compare.Report, error), how string, err error)
	// Isolate also runs every node alone on the expected side's values.
	Isolate bool
	// Memory limits the bytes that the search takes for both sides together, in addition to what the
	// engines take for the original models; 0 means 1 GiB. A tensor that exceeds the limit is still
	// compared, in a batch of its own.
	Memory int64
	// Progress, if not nil, is called as the search advances. In Ginkgo you do not need it: if ctx
	// is a SpecContext, the search appears in the spec's progress reports.
	Progress func(Progress)
}

// defaultMemory is the memory limit if Options.Memory is 0.
const defaultMemory = 1 << 30

func (o *Options) validate() error {
	if o.Measure == nil && len(o.Compare.Checks) == 0 {
		return errors.New("locate: Options.Compare has no checks: add compare.Within(…), or set " +
			"Options.Measure")
	}
	if o.Memory < 0 {
		return fmt.Errorf("locate: Options.Memory is %d, expected a number of bytes, or 0 for 1 GiB",
			o.Memory)
	}
	return nil
}

func (o *Options) memory() int64 { return cmp.Or(o.Memory, defaultMemory) }

// inside derives the rule for tensors inside the model from the rule for outputs. It keeps the
// checks, lets NaN equal NaN, and drops the settings for outputs by name.
func inside(rule compare.Options) compare.Options {
	return compare.Options{Checks: rule.Checks, NaNEqual: true, InfinitiesEqual: true,
		AllowEmpty: true, AnyElementType: rule.AnyElementType, AnyShape: rule.AnyShape}
}
