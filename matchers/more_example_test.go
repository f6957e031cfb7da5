package matchers_test

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/fake"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

func ExampleBeFinite() {
	ctx, g := context.Background(), gomega.NewWithT(printer{})
	model := fake.New(fake.Output("logits", tensor.Of[float32](1, 2, 3)), fake.NaN("logits"))
	g.Expect(model.Run(ctx, inputs())).To(BeFinite())
	// Output:
	// Expected every element to be finite, but
	//     "logits", iteration 0, 3 elements: 1 NaN at [0]
}

func ExampleHaveTop1Accuracy() {
	ctx, g := context.Background(), gomega.NewWithT(printer{})
	scores, _ := tensor.New(tensor.Shape{2, 3}, []float32{0.1, 0.7, 0.2, 0.5, 0.3, 0.2})
	model := fake.New(fake.Output("scores", scores))
	g.Expect(model.Run(ctx, inputs())).To(HaveTop1Accuracy([]int{1, 2}, 0.9))
	// Output:
	// Expected top-1 accuracy
	//     0.5 (1 of 2 rows; 0.0945 to 0.905 with 95 % confidence)
	// to be at least
	//     0.9
	// first wrong rows:
	//     row 1: class 0, label 2
}
