package cli

import (
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// scripted returns a comparison for [pairs.Judge] that calls script for each iteration. script
// returns a verdict for each output name, as Polygraphy's comparison functions do. The two sides
// may have different shapes and element types. The comparison fails with an error if the script
// judges too few outputs, or outputs that the actual side lacks.
func scripted(script func(actual, expected *tensor.Set) (map[string]process.ScriptVerdict, error),
	options compare.Options) func(actual, expected *backends.Run) (compare.Report, error) {
	return func(actual, expected *backends.Run) (compare.Report, error) {
		judged := map[*tensor.Tensor]process.ScriptVerdict{}
		those := expected.Outputs()
		for i, outputs := range actual.Outputs() {
			if i >= len(those) {
				break // the comparison reports that
			}
			verdicts, err := script(outputs, those[i])
			if err != nil {
				return compare.Report{}, fmt.Errorf("iteration %d: %w", i, err)
			}
			for output, verdict := range verdicts {
				t, ok := outputs.Get(output)
				if !ok {
					return compare.Report{}, fmt.Errorf("script: iteration %d: the script judged output %q, but "+
						"the outputs are %v", i, output, outputs.Names())
				}
				judged[t] = verdict
			}
		}
		options.Checks = []compare.Check{compare.Func("script", func(actual, _ *tensor.Tensor) (
			j compare.Judgement, err error) {
			verdict, ok := judged[actual]
			if !ok {
				return j, fmt.Errorf("the script did not judge this output")
			}
			j.Verdict, j.Text = compare.Fail, verdict.Text
			if verdict.Passed {
				j.Verdict = compare.Pass
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
