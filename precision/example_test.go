package precision_test

import (
	"context"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/precision"
)

// What a format costs a network by itself is the reference for an engine that computes in it. INT8
// costs this one far more than FP16 does.
func ExampleOf() {
	if ort.Available() != nil {
		fmt.Println("INT8 costs more: true") // this machine has no ONNX Runtime
		return
	}
	ctx := context.Background()
	model, inputs := digits(1)
	subject := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs}
	costs := map[precision.Format]float64{}
	for _, format := range []precision.Format{precision.FP16, precision.INT8} {
		lower, err := precision.Of(ctx, subject, format)
		if err != nil {
			fmt.Println(err)
			return
		}
		exact, _ := lower.Float32[0].Get("logits")
		rounded, _ := lower.Runs[0][0].Get("logits")
		for i, v := range exact.Float64s() {
			costs[format] = max(costs[format], math.Abs(rounded.Float64s()[i]-v))
		}
	}
	fmt.Println("INT8 costs more:", costs[precision.INT8] > 10*costs[precision.FP16])
	// Output: INT8 costs more: true
}

// On the twin's integers float32 is exact in any order of additions, so that two engines need no
// tolerance.
func ExampleTwinAmong() {
	if ort.Available() != nil {
		fmt.Println("true: exact, exact") // this machine has no ONNX Runtime
		return
	}
	ctx := context.Background()
	report, err := precision.TwinAmong(ctx, digitsSubject(), ort.Engine(),
		ort.Engine(ort.Threads(1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: %s, %s\n", report.Passes(), report.Sides[0].Computed.Arithmetic,
		report.Sides[1].Computed.Arithmetic)
	// Output: true: exact, exact
}
