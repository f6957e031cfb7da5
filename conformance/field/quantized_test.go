package field_test

import (
	"cmp"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("A model made by ONNX Runtime's quantizer", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// found is the localiser's result for a healthy model under a rule that no int8 model meets.
	found := func(ctx SpecContext, variant string) *locate.Finding {
		GinkgoHelper()
		b, err := open(ctx, pair{Family: "resnet", A: variant, B: "torchscript", Types: true})
		Expect(err).NotTo(HaveOccurred())
		f, err := locate.Divergence(ctx, b.subject(b.A, b.a), b.subject(b.B, b.b),
			locate.Options{Isolate: true, Compare: compare.Options{
				Checks: []compare.Check{compare.Within(1e-5, 1e-5, compare.Elementwise)}}})
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Verdict).To(Equal(compare.Fail))
		Expect(f.Fault).To(BeNil(), "healthy: %s", f.Cause)
		Expect(f.Isolated).To(BeNil())
		Expect(f.Cause).To(ContainSubstring("many nodes contribute"))
		Expect(f.Adds).NotTo(BeEmpty())
		return f
	}
	median := func(list []float64) float64 {
		slices.Sort(list)
		return list[len(list)/2]
	}

	It("is compared inside if it has QLinear operators", func(ctx SpecContext) {
		f := found(ctx, "torchscript_qoperator")
		Expect(f.Pairing.Paired).To(Equal(f.Pairing.Actual), "every integer tensor stands for values")
		var weights, results []float64
		clipped := 0
		for _, p := range f.Tensors {
			Expect(p.Own).NotTo(BeNil(), p.Tensor)
			Expect(p.OverScale).NotTo(BeNil(), p.Tensor)
			Expect(*p.SQNR).To(BeNumerically(">", 30), "%s is not paired with what it was: %s", p.Tensor,
				p.Expected)
			if cmp.Or(p.Expected, p.Tensor) == "fc.weight" || len(p.Shape) == 4 && p.ExpectedOp == "" &&
				p.Op == "QLinearConv" {
				weights = append(weights, float64(*p.OverScale))
			} else if p.Op == "QLinearConv" || p.Op == "QLinearAdd" {
				results = append(results, float64(*p.OverScale))
				if p.ExpectedOp == "Relu" {
					clipped++
				}
			}
		}
		Expect(weights).To(HaveLen(21), "weights have rows of their own")
		Expect(median(weights)).To(BeNumerically("~", 0.29, 0.02), "rounding alone")
		Expect(median(results)).To(BeNumerically("~", 0.35, 0.08))
		Expect(clipped).To(BeNumerically(">=", 15), "the quantizer has folded each Relu")
	})

	It("is not an abrupt change if it has QuantizeLinear and DequantizeLinear", func(ctx SpecContext) {
		f := found(ctx, "torchscript_qdq")
		Expect(f.Pairing.Paired).To(BeNumerically(">=", 60))
		for _, p := range f.Tensors {
			if p.Op == "DequantizeLinear" && p.Own != nil && p.SQNR != nil {
				Expect(*p.SQNR).To(BeNumerically(">", 30), p.Tensor)
			}
		}
	})
})
