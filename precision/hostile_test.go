package precision_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/precision"
)

var _ = Describe("A malformed or unusual model", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("has operators without inputs or outputs, which is an error of the engine", func(
		ctx SpecContext) {
		for _, op := range []string{"QuantizeLinear", "DequantizeLinear", "ReduceMean", "ReduceL2",
			"GlobalAveragePool", "Constant", "Conv", "Gemm", "Concat", "Relu", "If"} {
			for _, bare := range []onnxtest.Node{
				{Op: op}, {Op: op, Out: []string{"b"}}, {Op: op, In: []string{"x"}},
				{Op: op, In: []string{"", ""}, Out: []string{"", ""}},
			} {
				by := fmt.Sprintf("%+v", bare)
				model := graph(1, nil, bare, node("Tanh", "tanh", "y", "x"))
				subject := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: values(0.5)}
				r := precision.Repair{Format: precision.FP16, Rule: within(1e-6)}
				_, err := r.Quantizers(ctx, subject)
				Expect(err).To(HaveOccurred(), by)
				_, _ = r.Find(ctx, subject) // some of them are as they should be
				layers := precision.Layers{Format: precision.FP16, Rule: within(1)}
				_, _ = layers.Find(ctx, []backends.Subject{subject})
			}
		}
	})

	It("draws random numbers or outputs NaN, which no precision can repair", func(
		ctx SpecContext) {
		find := func(nodes ...onnxtest.Node) error {
			_, err := precision.Repair{Format: precision.FP16, Rule: within(1e-3)}.Find(ctx,
				backends.Subject{Engine: ort.Engine(), Model: graph(1, nil, nodes...), Inputs: values(-0.5)})
			return err
		}
		err := find(node("RandomNormalLike", "drawn", "n", "x"), node("Add", "sum", "y", "x", "n"))
		Expect(err).To(MatchError(ContainSubstring(`the model draws random numbers: output "y" differs`)))
		Expect(err).NotTo(MatchError(precision.ErrBeyond))
		Expect(find(node("Log", "log", "y", "x"))).To(MatchError(And(ContainSubstring("in float32"),
			HaveSuffix("1 of 1 outputs differ; an output is NaN or infinite: use inputs for which all "+
				"outputs are finite"))))
	})

	It("turns an integer into infinity, so that no multiple of a node's error is allowed", func(
		ctx SpecContext) {
		to := func(name, out, in string, elem int64) onnxtest.Node {
			return onnxtest.Node{Op: "Cast", Name: name, In: []string{in}, Out: []string{out},
				Attrs: []onnxtest.Attr{{Name: "to", Int: new(elem)}}}
		}
		model := graph(1, []onnxtest.Tensor{constant("k", 1.1e-5),
			{Name: "thousand", Type: 6, Raw: []byte{0xe8, 3, 0, 0}}}, to("int", "i", "x", 6),
			node("Mul", "large", "j", "i", "thousand"), to("float", "f", "j", 1),
			node("Mul", "mul", "y", "f", "k"))
		found, err := precision.Repair{Format: precision.FP16, Rule: within(1e-3)}.Find(ctx,
			backends.Subject{Engine: ort.Engine(), Model: model, Inputs: values(100)})
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Keep).To(HaveExactElements(HaveField("Error", BeEquivalentTo(-1))))
	})

	It("takes another's operator of the same name for what it is", func(ctx SpecContext) {
		model := onnxtest.Model{Opsets: map[string]int64{"": 19, "other": 1}, Graph: onnxtest.Graph{
			Inputs:  []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{1, 1}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{1, 1}}},
			Nodes: []onnxtest.Node{
				{Op: "QuantizeLinear", Domain: "other", In: []string{"x"}, Out: []string{"q"}},
				{Op: "DequantizeLinear", Domain: "other", In: []string{"q"}, Out: []string{"y"}}}},
			Functions: []onnxtest.Function{
				{Name: "QuantizeLinear", Domain: "other", In: []string{"a"}, Out: []string{"b"},
					Nodes: []onnxtest.Node{node("Neg", "neg", "b", "a")}},
				{Name: "DequantizeLinear", Domain: "other", In: []string{"a"}, Out: []string{"b"},
					Nodes: []onnxtest.Node{node("Neg", "neg", "b", "a")}}}}
		_, err := precision.Repair{Rule: within(1)}.Quantizers(ctx, backends.Subject{
			Engine: ort.Engine(), Model: loaders.ONNXBytes("f.onnx", model.Bytes()), Inputs: values(0.5)})
		Expect(err).To(MatchError(ContainSubstring("has no removable pair of QuantizeLinear")))
	})

	It("may move numbers on more ways than can be counted", func(ctx SpecContext) {
		var nodes []onnxtest.Node
		at := "x"
		for i := range 64 { // each of two ways, 2^64 in all
			relu, top := fmt.Sprintf("relu%d", i), fmt.Sprintf("max%d", i)
			nodes = append(nodes, node("Relu", relu, relu, at), node("Max", top, top, at, relu))
			at = top
		}
		nodes = append(nodes, node("Exp", "exp", "y", at))
		found, err := repair(ctx, graph(1, nil, nodes...), values(0.3), 1e-6)
		Expect(err).NotTo(HaveOccurred())
		Expect(names(found)).To(ConsistOf("exp"))
		Expect(found.Report.Verdict).To(Equal(compare.Pass))
	})
})
