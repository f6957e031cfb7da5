package locate_test

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// inHalf is a network that computes in float16 between two Casts, as converters write it; its
// outputs keep that type where kept is not set.
func inHalf(g onnxtest.Graph, kept bool) onnxtest.Graph {
	for i := range g.Initializers {
		t := &g.Initializers[i]
		shape := tensor.Shape{}
		for _, d := range t.Dims {
			shape = append(shape, int(d))
		}
		exact, err := tensor.New(shape, floats(t.Raw))
		Expect(err).NotTo(HaveOccurred())
		half, err := exact.Convert(tensor.Float16)
		Expect(err).NotTo(HaveOccurred())
		t.Type, t.Raw = 10, half.Bytes()
	}
	g.Nodes[0].In[0] = "x_half"
	g.Nodes = append([]onnxtest.Node{cast("down", "x", "x_half", 10)}, g.Nodes...)
	if !kept {
		g.Outputs[0].Elem = 10
		return g
	}
	g.Nodes[len(g.Nodes)-1].Out[0] = "y_half"
	g.Nodes = append(g.Nodes, cast("up", "y_half", "y", 1))
	return g
}

var _ = Describe("Models of different element types", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	DescribeTable("are compared by value, and the finding says so",
		func(ctx SpecContext, kept bool, note string) {
			within := func(tolerance float64) locate.Options {
				return locate.Options{Isolate: true, Compare: compare.Options{Checks: []compare.Check{
					compare.Within(tolerance, tolerance, compare.Elementwise)}}}
			}
			half, whole := side("half", inHalf(network(4), kept)), side("whole", network(4))
			found, err := locate.Divergence(ctx, half, whole, within(0.02))
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Verdict).To(Equal(compare.Pass), found.Cause)
			Expect(found.Notes).To(ContainElement(note))

			found, err = locate.Divergence(ctx, half, whole, within(1e-6))
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Verdict).To(Equal(compare.Fail))
			Expect(found.Fault).To(BeNil(), "float16 is not a fault: %s", found.Cause)
			Expect(found.Cause).To(ContainSubstring("no single node explains it"))
			Expect(found.Text()).NotTo(ContainSubstring("NaN"))
			compared := 0
			for _, p := range found.Tensors {
				if p.Verdict != "" {
					Expect(float64(p.Error)).To(BeNumerically("<", 0.02), p.Tensor)
					compared++
				}
			}
			Expect(compared).To(BeNumerically(">=", 12))
		},
		Entry("inside", true,
			`element types differ ("x_half" is float16, expected float32): only values are compared`),
		Entry("at the outputs", false,
			`element types differ ("y" is float16, expected float32): only values are compared`),
	)

	It("feed a node with bools if the other side has them as integers", func(ctx SpecContext) {
		masked := func(mask string, operands ...string) backends.Subject {
			g := network(2)
			g.Inputs = append(g.Inputs, onnxtest.Value{Name: "mask", Elem: 7, Dims: []any{4, width}})
			g.Initializers = append(g.Initializers, scalar("zero", 0))
			g.Nodes[0].In[0] = "chosen"
			g.Nodes = append([]onnxtest.Node{cast("truth", "mask", "bools", 9),
				{Op: "Flatten", Name: "flatten", In: []string{"bools"}, Out: []string{"flat"}},
				{Op: "Where", Name: "choose", In: append([]string{mask}, operands...),
					Out: []string{"chosen"}}}, g.Nodes...)
			if mask != "flat" {
				g.Nodes = slices.Delete(g.Nodes, 1, 2)
			}
			s := side("masked", g)
			s.Inputs = fixtures.Random(s.Model, fixtures.Seed(1), fixtures.Shape("x", 4, width),
				fixtures.ValRange(-1, 1), fixtures.ValRangeFor("mask", 0, 1))
			return s
		}
		found, err := locate.Divergence(ctx, masked("flat", "zero", "x"), masked("bools", "x", "zero"),
			strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(accused(found)).To(Equal([]string{"choose"}), found.Text())
		Expect(found.Notes).NotTo(ContainElement(ContainSubstring("converted")), found.Text())
	})

	It("get inputs of their own types, with a note", func(ctx SpecContext) {
		g := inHalf(network(4), true)
		g.Nodes, g.Inputs[0].Elem = g.Nodes[1:], 10
		g.Nodes[0].In[0] = "x"
		half, whole := side("half", g), side("whole", network(4))
		options := locate.Options{Isolate: true, Compare: compare.Options{Checks: []compare.Check{
			compare.Within(0.02, 0.02, compare.Elementwise)}}}
		for _, sides := range [][2]backends.Subject{{half, whole}, {whole, half}} {
			found, err := locate.Divergence(ctx, sides[0], sides[1], options)
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Verdict).To(Equal(compare.Pass), found.Cause)
			Expect(found.Notes).To(ContainElement(HavePrefix(
				`the expected side's inputs were cast to the model's types: ["x from float`)))
		}

		reduced, err := locate.Reduce(ctx, half, differs(ctx, half, whole),
			locate.ReduceOptions{Recorder: whole, KeepInputs: true, Outputs: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(reduced.Nodes)).To(Equal([]string{"matmul0"}))
		Expect(reduced.Part.Outputs[0].At(0).Tensor.ElementType()).To(Equal(tensor.Float32))

		options.Compare.Checks = []compare.Check{compare.Within(1e-6, 1e-6, compare.Elementwise)}
		found, err := locate.Divergence(ctx, half, whole, options)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Rounding.Text).To(HaveSuffix(": the two nodes differ in operator, attributes or "+
			"weights"), "the inputs differ in type, but are the same")
	})
})
