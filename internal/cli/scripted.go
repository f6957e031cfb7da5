package cli

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// judging is a function that judges all outputs of one iteration. It returns a judgement for each
// output name, as Polygraphy's comparison functions do.
type judging func(ctx context.Context, actual, expected *tensor.Set) (map[string]compare.Judgement,
	error)

// scripted returns a comparison for [pairs.Judge] that calls the script to judge each output. name
// identifies the script in messages. The two sides may have different shapes and element types. The
// comparison fails with an error if the script judges too few outputs, or outputs that the actual
// side lacks.
func scripted(ctx context.Context, name string, script judging, options compare.Options) func(
	actual, expected *backends.Run) (compare.Report, error) {
	return func(actual, expected *backends.Run) (compare.Report, error) {
		judged := map[*tensor.Tensor]compare.Judgement{}
		those := expected.Outputs()
		for i, outputs := range actual.Outputs() {
			if i >= len(those) {
				break // the comparison reports that
			}
			verdicts, err := script(ctx, outputs, those[i])
			if err != nil {
				return compare.Report{}, fmt.Errorf("iteration %d: %w", i, err)
			}
			for output, j := range verdicts {
				t, ok := outputs.Get(output)
				if !ok {
					return compare.Report{}, fmt.Errorf("%s: iteration %d: the script judged output %q, but "+
						"the outputs are %v", name, i, output, outputs.Names())
				}
				judged[t] = j
			}
		}
		options.Checks = []compare.Check{compare.Func(name, func(actual, _ *tensor.Tensor) (
			compare.Judgement, error) {
			j, ok := judged[actual]
			if !ok {
				return j, fmt.Errorf("the script did not judge this output")
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
