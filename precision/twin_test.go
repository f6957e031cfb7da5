package precision_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
	"github.com/modelparity/modelparity/twin"
)

// A rounded model on ONNX Runtime stands for an engine that silently computes in less than float32,
// on processors without such arithmetic too.
var _ = Describe("The integer twin", func() {
	DescribeTable("tells a format from float32, by how the twin itself is rounded",
		func(ctx SpecContext, format precision.Format, bits int, name string) {
			ort.Require(GinkgoT())
			model, inputs := digits(1)
			exact, err := twin.Of(ctx, run(ctx, ort.Engine(), model, inputs).Subject())
			Expect(err).NotTo(HaveOccurred())
			lower, err := precision.Of(ctx, backends.Subject{Engine: ort.Engine(), Model: exact.Model,
				Inputs: exact.Inputs}, format)
			Expect(err).NotTo(HaveOccurred())
			of := func(outputs []*tensor.Set) twin.Precision {
				return twin.PrecisionOf(backends.NewRun(backends.Provenance{},
					backends.Iteration{Outputs: outputs[0]}))
			}
			Expect(of(lower.Float32).Arithmetic).To(Equal(twin.Exact))
			p := of(lower.Runs[0])
			Expect(p.Arithmetic).To(Equal(twin.Lower))
			Expect(p.Name).To(Equal(name))
			if bits > 0 {
				Expect(p.Bits).To(Equal(bits))
			}
		},
		Entry("bfloat16", precision.BF16, 8, "bfloat16"),
		Entry("TF32", precision.TF32, 11, "TF32"),
		Entry("float16, which overflows", precision.FP16, 0, "float16"),
	)
})
