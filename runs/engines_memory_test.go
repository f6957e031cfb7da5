//go:build !race

package runs_test

import (
	"runtime"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/pairs"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Ten thousand iterations", func() {
	// What is live after a collection does not depend on how busy the machine is.
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}

	DescribeTable("take the memory of a few", func(ctx SpecContext, off float32) {
		skips.Long(GinkgoT())
		const iterations, elements = 10_000, 4 << 10 // 16 KiB, so that a side of 164 MB lies in a file
		inputs := counted(iterations)
		before, most := live(), uint64(0)
		side := func(name string, off float32) runs.Named {
			run, err := ran(ctx, name, inputs, func(x float32) (*tensor.Tensor, error) {
				if int(x)%2500 == 2499 {
					most = max(most, live())
				}
				values := make([]float32, elements)
				values[0] = x + off
				return tensor.New(tensor.Shape{elements}, values)
			})
			Expect(err).NotTo(HaveOccurred())
			return run
		}
		pairs, err := pairs.Compare(ctx, []runs.Named{side("a", 0), side("b", off)},
			compare.Options{Checks: []compare.Check{compare.Within(1e-3, 0, compare.Elementwise)}})
		Expect(err).NotTo(HaveOccurred())
		most = max(most, live())
		Expect(pairs[0].Report.Outputs).To(HaveLen(2 * iterations))
		verdict := compare.Pass
		if off != 0 {
			verdict = compare.Fail
		}
		Expect(pairs[0].Report.Verdict).To(Equal(verdict))
		Expect(int64(most) - int64(before)).To(BeNumerically("<", 2*spill.Bound+40<<20))
	},
		Entry("where they agree", float32(0)),
		Entry("where all of them differ", float32(1)),
	)
})
