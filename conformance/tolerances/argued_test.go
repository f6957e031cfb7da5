package tolerances_test

import (
	"math"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// The false alarm that docs/evidence/false-alarms.md argues: every engine errs alike in a step of
// this network, and its 200 steps multiply the error of the first ones.
var _ = Describe("The chaotic RNN", func() {
	for _, models := range filepath.SplitList(os.Getenv(modelsVariable)) {
		folder := filepath.Join(models, "rnn200_chaotic")
		if _, err := os.Stat(folder); err != nil {
			continue
		}
		It("errs alike in tract and ONNX Runtime in one step, and a thousand times as much in 200",
			func(ctx SpecContext) {
				tract.Require(GinkgoT())
				ort.Require(GinkgoT())
				model := loaders.ONNX(filepath.Join(folder, "model.onnx"))
				inputs := fixtures.Load(filepath.Join(folder, "inputs.npz"))
				plain, err := ort.Run(ctx, model, inputs, ort.OptimizationLevel(ort.OptimizeNone))
				Expect(err).NotTo(HaveOccurred())
				other, err := backends.RunIn(ctx, tract.Engine(), model, inputs)
				Expect(err).NotTo(HaveOccurred())
				first, last := stepsApart(other, plain)
				Expect(first).To(BeNumerically("<", 0x1p-22), "of values up to 1")
				Expect(last).To(BeNumerically(">", 1000*first))
			})
	}
})

// stepsApart is the root mean square difference in the first and in the last step.
func stepsApart(actual, expected *backends.Run) (first, last float64) {
	a, e := actual.Outputs()[0].At(0).Tensor, expected.Outputs()[0].At(0).Tensor
	step := e.Len() / e.Shape()[0]
	for i := range step {
		for at, sum := range map[int]*float64{i: &first, e.Len() - step + i: &last} {
			d := a.Float64At(at) - e.Float64At(at)
			*sum += float64(d * d / float64(step))
		}
	}
	return math.Sqrt(first), math.Sqrt(last)
}
