package matchers_test

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/precision"
)

// Two levels of optimisation differ by rounding alone, however far that goes on this processor.
func ExampleMatchWithinNoise() {
	if ort.Available() != nil {
		fmt.Println("alike") // this machine has no ONNX Runtime
		return
	}
	ctx, g := context.Background(), gomega.NewWithT(printer{})
	model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
	inputs := fixtures.Random(model)
	plain := ort.OptimizationLevel(ort.OptimizeNone)
	if g.Expect(ort.Run(ctx, model, inputs, plain)).To(
		MatchWithinNoise().FalseAlarm(1e-6).Of(ort.Run(ctx, model, inputs))) {
		fmt.Println("alike")
	}
	// Output: alike
}

// On integers float32 is exact, so that an engine shows what it computes in.
func ExampleBeExactOnIntegers() {
	if ort.Available() != nil {
		fmt.Println("float32") // this machine has no ONNX Runtime
		return
	}
	ctx, g := context.Background(), gomega.NewWithT(printer{})
	model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
	if g.Expect(ort.Run(ctx, model, fixtures.Random(model))).To(BeExactOnIntegers()) {
		fmt.Println("float32")
	}
	// Output: float32
}

// The error allowed for FP16 is the error of the same model rounded to FP16.
func ExampleNoWorseThan() {
	if ort.Available() != nil {
		fmt.Println("no worse") // this machine has no ONNX Runtime
		return
	}
	ctx, g := context.Background(), gomega.NewWithT(printer{})
	model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
	inputs := fixtures.Random(model, fixtures.Iterations(10))
	plain := ort.OptimizationLevel(ort.OptimizeNone) // stands for an engine in FP16
	if g.Expect(ort.Run(ctx, model, inputs, plain)).To(
		NoWorseThan(precision.FP16).Of(ort.Run(ctx, model, inputs))) {
		fmt.Println("no worse")
	}
	// Output: no worse
}
