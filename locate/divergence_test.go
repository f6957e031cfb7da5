package locate_test

import (
	"context"
	"encoding/json"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("Divergence", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	locateIn := func(ctx context.Context, actual, expected onnxtest.Graph) *locate.Finding {
		GinkgoHelper()
		a, e := side("actual", actual), side("expected", expected)
		report, err := locate.Divergence(ctx, a, e, strict())
		Expect(err).NotTo(HaveOccurred())
		return report
	}

	It("finds nothing where the models are the same", func(ctx SpecContext) {
		report := locateIn(ctx, network(4), network(4))
		Expect(report.First).To(BeNil())
		Expect(report.Isolated).To(BeNil())
		Expect(report.Verdict).To(Equal(compare.Pass))
		Expect(report.Tensors).To(HaveLen(12))
		Expect(report.Cause).To(Equal("no tensor is out of tolerance"))
	})

	DescribeTable("names the node with the planted fault",
		func(ctx SpecContext, plant func(*onnxtest.Graph), tensor, node string) {
			faulty := network(6)
			plant(&faulty)
			report := locateIn(ctx, faulty, network(6))
			Expect(report.Verdict).To(Equal(compare.Fail))
			Expect(report.First).NotTo(BeNil())
			Expect(report.First.Tensor).To(Equal(tensor))
			Expect(report.First.Node).To(Equal(node))
			Expect(report.Isolated).NotTo(BeNil())
			Expect(report.Isolated.Tensor).To(Equal(tensor))
			Expect(report.Cause).To(ContainSubstring("the node alone"))
			Expect(float64(report.First.Growth)).To(BeNumerically(">", 1e6), "its inputs are right")
			Expect(report.Text()).To(And(ContainSubstring("from 0"), Not(ContainSubstring("Inf"))))
			alone := 0
			for _, p := range report.Tensors {
				Expect(p.Own).NotTo(BeNil(), p.Tensor)
				if p.Own.Verdict == compare.Fail {
					alone++
				}
			}
			Expect(alone).To(Equal(1), "every other node is right by itself")
		},
		Entry("one weight changed", func(g *onnxtest.Graph) {
			g.Initializers[4].Raw[3] ^= 0x40 // of w2
		}, "m2", "matmul2"),
		Entry("another operator", func(g *onnxtest.Graph) { g.Nodes[10].Op = "Sub" }, "a3", "add3"),
		Entry("another activation", func(g *onnxtest.Graph) { g.Nodes[2].Op = "Sigmoid" },
			"t0", "tanh0"),
		Entry("the last node", func(g *onnxtest.Graph) { g.Nodes[17].Op = "Softsign" },
			"y", "tanh5"),
	)

	It("works within any budget of memory, a tensor at a time if it must", func(ctx SpecContext) {
		faulty := network(6)
		faulty.Nodes[10].Op = "Sub"
		a, e := side("actual", faulty), side("expected", network(6))
		options := strict()
		options.Memory = 1
		report, err := locate.Divergence(ctx, a, e, options)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.First.Tensor).To(Equal("a3"))
		Expect(report.Tensors).To(HaveLen(18))
	})

	It("marks one tensor before it knows how large tensors are", func(ctx SpecContext) {
		var outputs []int
		s := by(side("model", network(6)), func(ctx context.Context, m *loaders.Model,
			in fixtures.Inputs) (
			backends.Backend, error) {
			values, err := m.Outputs()
			outputs = append(outputs, len(values))
			if err != nil {
				return nil, err
			}
			return plain.Open(ctx, m, in)
		})
		options := strict()
		options.Isolate = false
		_, err := locate.Divergence(ctx, s, s, options)
		Expect(err).NotTo(HaveOccurred())
		// Both sides without marks, then 1, 4 and the rest next to the model's own output. Each batch
		// after the first also marks the tensor that its first node reads.
		Expect(outputs[:6]).To(Equal([]int{1, 1, 2, 2, 6, 6}))
	})

	It("tells accumulation from a wrong node", func(ctx SpecContext) {
		// The same network with every weight a little off: no node is wrong by itself.
		off := network(12)
		for i := range off.Initializers {
			off.Initializers[i].Raw[0] ^= 0x20
		}
		a, e := side("rounded", off), side("exact", network(12))
		options := strict()
		options.Compare.Checks = []compare.Check{compare.Within(3e-6, 0, compare.Elementwise)}
		report, err := locate.Divergence(ctx, a, e, options)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.First).NotTo(BeNil())
		Expect(report.Isolated).To(BeNil())
		Expect(report.Cause).To(ContainSubstring("accumulation, since every node alone is within"))
	})

	It("runs nodes together where the other model has another way", func(ctx SpecContext) {
		split := network(3)
		// Tanh(a1) by way of two tensors that the other model lacks.
		split.Nodes[5] = onnxtest.Node{Op: "Neg", Name: "minus", In: []string{"a1"}, Out: []string{"n1"}}
		split.Nodes = append(split.Nodes[:6:6], append([]onnxtest.Node{
			{Op: "Tanh", Name: "tanh1", In: []string{"n1"}, Out: []string{"p1"}},
			{Op: "Neg", Name: "plus", In: []string{"p1"}, Out: []string{"t1"}},
		}, split.Nodes[6:]...)...)
		report := locateIn(ctx, split, network(3))
		Expect(report.OnlyActual).To(Equal([]string{"n1", "p1"}))
		Expect(report.Verdict).To(Equal(compare.Pass))
		row := report.Tensors[5]
		Expect(row.Tensor).To(Equal("t1"))
		Expect(row.Own.Stretch).To(Equal([]string{"minus", "tanh1", "plus"}))
		Expect(row.Own.Verdict).To(Equal(compare.Pass))
	})

	It("takes a value that both sides have for equal, NaN and infinity too", func(ctx SpecContext) {
		g := network(2)
		g.Nodes = append(g.Nodes, onnxtest.Node{Op: "Log", Name: "log", In: []string{"t0"},
			Out: []string{"nan"}})
		report := locateIn(ctx, g, g)
		Expect(report.First).To(BeNil())
	})

	It("notes what an engine cannot give out, and goes on", func(ctx SpecContext) {
		g := network(2)
		g.Nodes = append([]onnxtest.Node{{Op: "SequenceConstruct", Name: "seq", In: []string{"x"},
			Out: []string{"s"}}}, g.Nodes...)
		report := locateIn(ctx, g, g)
		Expect(report.Notes).To(ContainElement(ContainSubstring(`"s" was left out`)))
		Expect(report.First).To(BeNil())
		Expect(report.Tensors).To(HaveLen(7))
	})

	DescribeTable("declares types to an engine that wants them, learnt from the other side",
		func(ctx SpecContext, actualWants, expectedWants bool) {
			faulty := network(6)
			faulty.Nodes[10].Op = "Sub"
			a, e := side("actual", faulty), side("expected", network(6))
			if actualWants {
				a = typed(a)
			}
			if expectedWants {
				e = typed(e)
			}
			report, err := locate.Divergence(ctx, a, e, strict())
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Notes).To(BeEmpty())
			Expect(report.First.Tensor).To(Equal("a3"))
			Expect(report.Isolated.Tensor).To(Equal("a3"))
		},
		Entry("the actual side's", true, false), Entry("the expected side's", false, true))

	It("stops when the context ends", func(ctx SpecContext) {
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		a := side("a", network(2))
		_, err := locate.Divergence(cancelled, a, a, strict())
		Expect(err).To(MatchError(context.Canceled))
	})

	It("prints the table around the divergence, and JSON", func(ctx SpecContext) {
		faulty := network(6)
		faulty.Nodes[10].Op = "Sub"
		report := locateIn(ctx, faulty, network(6))
		Expect(report.Text()).To(And(
			ContainSubstring(`"a3" is the first tensor out of tolerance, computed by `+
				`Sub "add3" (node 10; Add on the expected side)`),
			ContainSubstring("→    10"), ContainSubstring("… 4 earlier")))
		Expect(report.Table()).NotTo(ContainSubstring("earlier"))
		text, err := json.Marshal(report)
		Expect(err).NotTo(HaveOccurred())
		var back locate.Finding
		Expect(reportschema.Validate(text)).To(Succeed(), string(text))
		Expect(json.Unmarshal(text, &back)).To(Succeed())
		Expect(back.First.Tensor).To(Equal("a3"))
		Expect(math.IsNaN(float64(back.Tensors[0].Growth))).To(BeTrue())
	})
})
