package matchers_test

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// printer is a test that prints its failures, where *testing.T would fail.
type printer struct{}

func (printer) Helper() {}

func (printer) Fatalf(format string, args ...any) { fmt.Printf(format, args...) }

// inputs is what the fakes below are run on.
func inputs() fixtures.Inputs {
	image, _ := tensor.NewSet(tensor.Entry{Name: "image", Tensor: tensor.Of[float32](0.5)})
	return fixtures.Of(image)
}

// One line compares two backends. A backend's two results go into Expect and Of as
// they are.
func ExampleMatchOutputsWithin() {
	ctx, g := context.Background(), gomega.NewWithT(printer{})
	fp32 := fake.New(fake.Named("fp32"), fake.Output("logits", tensor.Of[float32](1, 2, 3)))
	int8 := fake.New(fake.Named("int8"), fake.Output("logits", tensor.Of[float32](1, 2.25, 3)))

	g.Expect(int8.Run(ctx, inputs())).To(
		MatchOutputsWithin(0.5, 0, Max).Of(fp32.Run(ctx, inputs())))
	g.Expect(int8.Run(ctx, inputs())).To(
		MatchOutputsWithin(0.1, 0, Max).ForOutput("logits", 0.01, 0, Mean).
			Of(fake.New(fake.Named("fp16"), fake.Output("logits", tensor.Of[float32](1, 2))).
				Run(ctx, inputs())))
	// Output:
	// Expected
	//     int8
	// to match
	//     fp16
	// 1 of 1 outputs differ
	// FAIL  logits  float32[3] against float32[2]  the shape is [3], expected [2]
	// note: both sides computed in an unknown precision
}

// Any rule of package compare can be asked for; all must hold.
func ExampleMatchOutputs() {
	g := gomega.NewWithT(printer{})
	g.Expect(tensor.Of[float32](1, 2, 3)).To(
		MatchOutputs(compare.CosineSimilarity(0.999), compare.ULP(1)).
			Of(tensor.Of[float32](1, 2, 3)))
	// Output:
}

// Matchers look at one output of a run.
func ExampleHaveOutput() {
	ctx, g := context.Background(), gomega.NewWithT(printer{})
	model := fake.New(fake.Output("logits", tensor.Of[float32](1, 2, 3)))
	g.Expect(model.Run(ctx, inputs())).To(HaveOutput("logits", HaveShape(4), BeFinite()))
	// Output:
	// output "logits", iteration 0:
	// Expected
	//     float32[3] [1 2 3]
	// to have shape
	//     [4]
}
