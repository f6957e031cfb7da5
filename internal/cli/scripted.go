package cli

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// judging judges the outputs of one iteration as a whole, by name, as the comparison functions of
// Polygraphy's users do.
type judging func(ctx context.Context, actual, expected *tensor.Set) (map[string]compare.Judgement,
	error)

// scripted is a comparison for [pairs.Judge] that leaves the verdict over each output to a
// script, which is called name. Shapes and element types may differ. It is an error if the script
// says nothing about an output, or judges one that the actual side lacks.
func scripted(ctx context.Context, name string, script judging, options compare.Options) func(
	actual, expected *backends.Run) (compare.Report, error) {
	return func(actual, expected *backends.Run) (compare.Report, error) {
		judged := map[*tensor.Tensor]compare.Judgement{}
		those := expected.Outputs()
		for i, outputs := range actual.Outputs() {
			if i >= len(those) {
				break // which the comparison reports
			}
			verdicts, err := script(ctx, outputs, those[i])
			if err != nil {
				return compare.Report{}, fmt.Errorf("iteration %d: %w", i, err)
			}
			for output, j := range verdicts {
				t, ok := outputs.Get(output)
				if !ok {
					return compare.Report{}, fmt.Errorf("%s: iteration %d: it judges an output %q, and there "+
						"are %v", name, i, output, outputs.Names())
				}
				judged[t] = j
			}
		}
		options.Checks = []compare.Check{compare.Func(name, func(actual, _ *tensor.Tensor) (
			compare.Judgement, error) {
			j, ok := judged[actual]
			if !ok {
				return j, fmt.Errorf("the script says nothing of this output")
			}
			return j, nil
		})}
		options.AnyShape, options.AnyElementType = true, true
		comparer, err := compare.Prepare(options)
		if err != nil {
			return compare.Report{}, err
		}
		return comparer.Runs(actual.Outputs(), those)
	}
}
