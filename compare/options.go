package compare

import (
	"fmt"
	"maps"
	"slices"
)

// Options contains the checks for outputs and says how to apply them. Every output needs at least
// one check, so using the zero value is an error.
type Options struct {
	// Checks apply to every output without an entry in PerOutput. An output must pass all of them.
	Checks []Check
	// PerOutput replaces Checks for single outputs. A key is an output's name on the actual side or
	// a pattern: * matches any run of characters, ? any one character, [seq] and [!seq] are
	// character classes, as in Python's fnmatch. An entry for the exact name overrides patterns. A
	// name that neither side has, a pattern that matches nothing, and two patterns that match the
	// same output are errors.
	PerOutput map[string][]Check
	// Names maps the name of an actual output to the name of the expected output with which it is
	// compared. Outputs that are not in Names must have the same name on both sides.
	Names map[string]string
	// ByPosition also pairs the outputs that are otherwise left without a counterpart, the first with
	// the first and so on, if both sides have the same number of them.
	ByPosition bool

	// Only and Except contain output names and patterns, which refer to the names on the actual side.
	// If Only is not empty, outputs that match none of its entries are left out on both sides. Outputs
	// that match an entry of Except are left out, too. It is an error if an entry matches nothing, or
	// if no output is left.
	Only, Except []string

	// NaNEqual makes NaN equal to NaN, whatever the payload.
	NaNEqual bool
	// InfinitiesEqual makes an infinity equal to the same infinity.
	InfinitiesEqual bool
	// AnyElementType compares tensors of different element types, using Polygraphy's promotion. By
	// default, different element types are a mismatch.
	AnyElementType bool
	// AnyShape transposes or reshapes the expected tensor to the actual one's shape, as Polygraphy
	// does. It never broadcasts. By default, different shapes are a mismatch.
	AnyShape bool
	// Average compares means instead of single iterations: for each check, [Runs] averages the
	// measured number over the iterations and compares the mean with the check's limit. It cannot be
	// combined with FailFast, nor with checks that have no number to average: elementwise checks and
	// Indices.
	Average bool
	// FailFast stops at the first output that fails. The report then lacks the outputs after it.
	FailFast bool
	// Finite fails any output with a NaN or an infinity on either side, regardless of the checks.
	Finite bool
	// AllowEmpty lets a comparison pass if every output is empty on both sides. By default that is
	// an error, because nothing was compared. An empty output among others always passes.
	AllowEmpty bool
	// TopK replaces both sides of an output with the indices of their K largest values before the
	// comparison. Keys are names or patterns as in PerOutput; the key "" is the default for all other
	// outputs.
	TopK map[string]TopK
}

// TopK describes the post-processing of Polygraphy's --postprocess top-K,axis=A.
type TopK struct {
	K int // how many indices to keep, at most the length of the axis; 0 leaves the output unchanged
	// Axis is the axis to search; a negative axis counts from the end. The zero value is the first
	// axis, whereas Polygraphy defaults to the last, -1.
	Axis int
}

// ChecksOf returns the checks for an output: those in Options.PerOutput under the output's name or,
// failing that, under a pattern that matches it; otherwise Options.Checks. Do not modify the
// returned slice.
func (c *Comparer) ChecksOf(name string) []Check {
	if checks, ok := c.perOutput.of(name); ok {
		return checks
	}
	return c.options.Checks
}

func (c *Comparer) topKFor(name string) (TopK, bool) {
	top, ok := c.topKs.of(name)
	if !ok {
		top, ok = c.options.TopK[""]
	}
	return top, ok && top.K > 0
}

// validate returns an error for misuse that can be detected without tensors.
func (o *Options) validate() error {
	if len(o.Checks) == 0 && len(o.PerOutput) == 0 {
		return fmt.Errorf("compare: Options has no check, so nothing could fail: add Within(…)")
	}
	if err := o.validateChecks(o.Checks); err != nil {
		return err
	}
	for _, name := range sortedKeys(o.PerOutput) {
		if len(o.PerOutput[name]) == 0 {
			return fmt.Errorf("compare: PerOutput[%q] has no check, so it could not fail", name)
		}
		if err := o.validateChecks(o.PerOutput[name]); err != nil {
			return fmt.Errorf("%w (in PerOutput[%q])", err, name)
		}
	}
	for _, name := range sortedKeys(o.TopK) {
		if o.TopK[name].K < 0 {
			return fmt.Errorf("compare: TopK[%q]: K is %d, want at least 0", name, o.TopK[name].K)
		}
	}
	if o.Average && o.FailFast {
		return fmt.Errorf("compare: Average needs every iteration, so it cannot be combined " +
			"with FailFast")
	}
	return nil
}

func (o *Options) validateChecks(checks []Check) error {
	for _, c := range checks {
		if err := c.validate(); err != nil {
			return err
		}
		if o.Average && !c.averages() {
			return fmt.Errorf("compare: %v: the check has no number to average over iterations; with "+
				"Average use max, mean, median, quantile or a metric", c)
		}
	}
	return nil
}

// sortedKeys returns the keys in ascending order, so that an error always names the same key first.
func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
