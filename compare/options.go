package compare

import (
	"fmt"
	"slices"
)

// Options are the checks for outputs and how to apply them. Every output needs at least one check,
// so the zero value is an error to use.
type Options struct {
	// Checks are the rules for every output that PerOutput does not name. All must hold.
	Checks []Check
	// PerOutput replaces Checks for one output, by its name on the actual side, or for those that a
	// pattern matches: * is any run of characters, ? any one, [seq] and [!seq] are classes, as in
	// Python's fnmatch. A name goes before a pattern. A name that neither side has, a pattern that
	// matches nothing and two patterns that match one output are errors.
	PerOutput map[string][]Check
	// Names maps an actual output's name to the expected one it is compared with. Outputs that it
	// does not mention must have the same name on both sides.
	Names map[string]string

	// Only, if not empty, selects the outputs that match one of its names and patterns, on both
	// sides; Except then removes the outputs that match one of its own. They match names of the
	// actual side. A pattern that matches nothing, and a choice that leaves nothing, are errors.
	Only, Except []string

	// NaNEqual makes NaN equal to NaN, whatever the payload.
	NaNEqual bool
	// InfinitiesEqual makes an infinity equal to the same infinity.
	InfinitiesEqual bool
	// AnyElementType compares across element types, by Polygraphy's promotion. Without it another
	// element type is a mismatch.
	AnyElementType bool
	// AnyShape permutes or reshapes the expected tensor towards the actual one's shape, by
	// Polygraphy's rule. It never broadcasts. Without it another shape is a mismatch.
	AnyShape bool
	// Average compares the average of each number over the iterations of [Runs] with its limit. It
	// excludes FailFast, and checks without such a number: elementwise ones and Indices.
	Average bool
	// FailFast stops at the first output that fails. The report says so.
	FailFast bool
	// Finite fails an output with a NaN or an infinity on either side, whatever the checks say.
	Finite bool
	// AllowEmpty lets a comparison pass if every output is empty on both sides. Without it that is an
	// error, because nothing was compared. One empty output among others always passes.
	AllowEmpty bool
	// TopK replaces both sides of an output by the indices of their K greatest values before the
	// comparison, by name or pattern as in PerOutput. The key "" is the default for outputs not
	// named. See [Top].
	TopK map[string]TopK
	// Workers is how many goroutines share the work of a verdict: 0 is one per core. Statistics take
	// all cores. Reports do not depend on it, to the last bit.
	Workers int
}

// TopK is the post-processing of Polygraphy's --postprocess top-K,axis=A.
type TopK struct {
	K int // how many to keep, clamped to the length of the axis; 0 leaves the output as it is
	// Axis is the axis to search, counted from the end where negative. The zero value is the first
	// axis; Polygraphy's default is -1, the last.
	Axis int
}

// checksFor are the checks of one output.
func (c *Comparer) checksFor(name string) []Check {
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

// validate finds misuse that shows without tensors.
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
		return fmt.Errorf("compare: Average needs every iteration, so it excludes FailFast")
	}
	if o.Workers < 0 {
		return fmt.Errorf("compare: Workers is %d: want 0 for one per core, or more", o.Workers)
	}
	return nil
}

func (o *Options) validateChecks(checks []Check) error {
	for _, c := range checks {
		if err := c.validate(); err != nil {
			return err
		}
		if o.Average && !c.averages() {
			return fmt.Errorf("compare: %v: it has no number to average over iterations; with "+
				"Average use max, mean, median, quantile or a metric", c)
		}
	}
	return nil
}

// sortedKeys makes errors name the same key first every time.
func sortedKeys[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
