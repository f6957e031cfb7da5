package locate_test

import (
	"context"
	"errors"
	"maps"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

// byNoise locates without a tolerance.
func byNoise() locate.Options {
	return locate.Options{Isolate: true, Measure: noise.Inside(compare.Bars{}, nil)}
}

func noisePart(ctx context.Context, actual, expected backends.Subject) *locate.Finding {
	GinkgoHelper()
	found, err := locate.Divergence(ctx, actual, expected, byNoise())
	Expect(err).NotTo(HaveOccurred())
	return found
}

var _ = Describe("Locating without a tolerance", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("names the node with a wrong weight", func(ctx SpecContext) {
		wrong := network(6)
		w := initializer(&wrong, "w3")
		values := floats(w.Raw)
		values[5] *= 1.001
		w.Raw = onnxtest.Float32s(values...)
		found := noisePart(ctx, side("actual", wrong), side("expected", network(6)))
		Expect(found.Verdict).To(Equal(compare.Fail))
		Expect(found.First.Tensor).To(Equal("m3"))
		Expect(found.Isolated.Node).To(Equal("matmul3"))
	})

	It("judges outputs by the noise of those in their position", func(ctx SpecContext) {
		renamed := network(3)
		for i := range renamed.Nodes {
			swapName(renamed.Nodes[i].Out, "y", "logits")
		}
		renamed.Outputs[0].Name = "logits"
		found := noisePart(ctx, side("actual", renamed), side("expected", network(3)))
		Expect(found.Verdict).To(Equal(compare.Pass), found.Table())
		Expect(found.MarkedVerdict).To(Equal(compare.Pass))
		initializer(&renamed, "b1").Raw[2] ^= 0x40
		found = noisePart(ctx, side("actual", renamed), side("expected", network(3)))
		Expect(found.Verdict).To(Equal(compare.Fail), found.Table())
		Expect(accused(found)).To(Equal([]string{"add1"}), found.Table())
	})

	DescribeTable("measures a tensor in the shape that it has on the expected side",
		func(ctx SpecContext, options locate.Options) {
			reshaped := network(4)
			shape := onnxtest.Tensor{Name: "shape", Type: 7, Dims: []int64{2},
				Raw: onnxtest.Int64s(2, 2*width)}
			back := onnxtest.Tensor{Name: "back", Type: 7, Dims: []int64{2},
				Raw: onnxtest.Int64s(4, width)}
			reshaped.Initializers = append(reshaped.Initializers, shape, back)
			insert(&reshaped, 2, func(from, to string) []onnxtest.Node {
				return []onnxtest.Node{
					{Op: "Reshape", Name: "away", In: []string{from, "shape"}, Out: []string{"wide"}},
					{Op: "Reshape", Name: "return", In: []string{"wide", "back"}, Out: []string{to}}}
			})
			initializer(&reshaped, "b0").Raw[0] ^= 16 // as another kernel rounds
			found, err := locate.Divergence(ctx, side("actual", reshaped),
				side("expected", network(4)), options)
			Expect(err).NotTo(HaveOccurred())
			at := slices.IndexFunc(found.Tensors, func(p locate.Point) bool { return p.Tensor == "wide" })
			Expect(at).To(BeNumerically(">=", 0), found.Table())
			Expect(found.Tensors[at].Error).NotTo(BeZero())
			Expect(found.Tensors[at].Verdict).To(Equal(compare.Pass), found.Text())
			Expect(found.Notes).NotTo(ContainElement(ContainSubstring("shape")))
		},
		Entry("with noise", byNoise()),
		Entry("with the error of a format", locate.Options{Isolate: true,
			Measure: (&precision.Judge{Format: precision.FP16}).Measure}))

	It("names no node of engines that round otherwise", func(ctx SpecContext) {
		openvino.Require(GinkgoT())
		tract.Require(GinkgoT())
		for _, engine := range []backends.Engine{ort.Engine(), openvino.Engine(), tract.Engine()} {
			actual := side("actual", network(6))
			actual.Engine = engine
			found := noisePart(ctx, actual, side("expected", network(6)))
			Expect(found.Verdict).To(Equal(compare.Pass), found.Table())
			Expect(found.First).To(BeNil(), found.Table())
			Expect(found.Isolated).To(BeNil(), found.Table())
		}
	})

	It("names the node in bfloat16", func(ctx SpecContext) {
		brain := network(6)
		for i := range brain.Nodes {
			if brain.Nodes[i].Name == "matmul3" {
				brain.Nodes[i].Out[0] = "exact"
				brain.Nodes = slices.Insert(brain.Nodes, i+1,
					onnxtest.Node{Op: "Cast", Name: "down", In: []string{"exact"}, Out: []string{"short"},
						Attrs: []onnxtest.Attr{integer("to", 16)}},
					onnxtest.Node{Op: "Cast", Name: "up", In: []string{"short"}, Out: []string{"m3"},
						Attrs: []onnxtest.Attr{integer("to", 1)}})
				break
			}
		}
		found := noisePart(ctx, side("actual", brain), side("expected", network(6)))
		Expect(accused(found)).To(ContainElement(Or(Equal("down"), Equal("up"))), found.Table())
		Expect(len(found.Fault.Nodes)).To(BeNumerically("<=", 3), found.Table())
	})

	It("names the node at fault in rewritten models, and no innocent one", func(ctx SpecContext) {
		exact, shown := 0, 0
		for seed := range uint64(12) {
			random, actual, expected, how := rewritten(seed)
			found := noisePart(ctx, imageSide("actual", actual), imageSide("expected", expected))
			Expect(found.Verdict).To(Equal(compare.Pass), "seed %d: %s", seed, how)
			Expect(found.Fault).To(BeNil(), "seed %d: %s: %s", seed, how, found.Cause)
			kinds := slices.Sorted(maps.Keys(faults))
			at := faults[kinds[random.IntN(len(kinds))]](random, &actual)
			if at < 0 {
				continue
			}
			found = noisePart(ctx, imageSide("actual", actual), imageSide("expected", expected))
			if found.Verdict == compare.Pass {
				continue // the fault does not show
			}
			shown++
			if found.Fault == nil {
				continue
			}
			var nodes []int
			for _, n := range found.Fault.Nodes {
				nodes = append(nodes, n.Index)
			}
			Expect(nodes).To(ContainElement(at), "seed %d: %s: %s", seed, how, found.Cause)
			if len(nodes) == 1 {
				exact++
			}
		}
		Expect(shown).To(BeNumerically(">=", 8))
		Expect(exact).To(BeNumerically(">=", shown-1))
	})

	It("says what the reference cannot measure, and blames no node for it", func(ctx SpecContext) {
		wrong := network(3)
		initializer(&wrong, "w1").Raw[3] ^= 1
		o := byNoise()
		measure := o.Measure
		o.Measure = func(ctx context.Context, reference backends.Subject, under backends.Engine) (
			func(actual, expected []*tensor.Set) (compare.Report, error), string, error) {
			outputs, err := reference.Model.(*loaders.Model).Outputs()
			if err == nil && slices.ContainsFunc(outputs, func(v loaders.Value) bool {
				return v.Name == "m1"
			}) {
				err = errors.New("no such kernel")
			}
			if err != nil {
				return nil, "", err
			}
			return measure(ctx, reference, under)
		}
		found, err := locate.Divergence(ctx, side("actual", wrong), side("expected", network(3)), o)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Notes).To(ContainElement(
			`"m1" was left out: cannot derive a tolerance from the reference: no such kernel`))
		Expect(found.Tensors).To(ContainElement(And(HaveField("Tensor", "m1"),
			HaveField("Verdict", BeEmpty()))))
		Expect(found.Isolated).To(BeNil(), found.Table())
	})

	DescribeTable("measures only tensors that differ, as many at a time as fit into the memory",
		func(ctx SpecContext, memory int64, node, most, times int) {
			wrong := network(10)
			wrong.Nodes[node].Op = "Sub"
			o := byNoise()
			o.Memory = memory
			measure, measured := o.Measure, []int(nil)
			o.Measure = func(ctx context.Context, reference backends.Subject, under backends.Engine) (
				func(actual, expected []*tensor.Set) (compare.Report, error), string, error) {
				outputs, err := reference.Model.(*loaders.Model).Outputs()
				Expect(err).NotTo(HaveOccurred())
				measured = append(measured, len(outputs))
				return measure(ctx, reference, under)
			}
			found, err := locate.Divergence(ctx, side("actual", wrong), side("expected", network(10)), o)
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Isolated.Index).To(Equal(node), found.Table())
			Expect(measured).To(And(HaveEach(BeNumerically("<=", most)), HaveLen(times)), "%v", measured)
		},
		// The output, then the last Add and Tanh with it, then the Add alone.
		Entry("the last two of 30", int64(0), 28, 2, 3),
		// A tensor takes 2 KiB in 16 runs, so half of the memory holds seven, and the output.
		Entry("28 of 30, of which the memory holds seven", int64(28<<10), 1, 8, 15),
	)
})
