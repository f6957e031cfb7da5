package locate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// passing is a model that one pass of ONNX Runtime's optimiser changes by more than atol.
type passing struct {
	dims       []any
	from, to   float64 // the range of the inputs
	atol       float64
	nodes      []onnxtest.Node
	weights    []onnxtest.Tensor
	options    []ort.Option
	pass, into string
	names      []string // of the nodes that the pass rewrites
}

// op is a node that is named after its output.
func op(kind, out string, in ...string) onnxtest.Node {
	return onnxtest.Node{Op: kind, Name: out, In: in, Out: []string{out}}
}

func with(n onnxtest.Node, attribute onnxtest.Attr) onnxtest.Node {
	n.Attrs = append(n.Attrs, attribute)
	return n
}

func to(elem int64) onnxtest.Attr { return onnxtest.Attr{Name: "to", Int: &elem} }

// each is a tensor with the same value everywhere.
func each(name string, value float32, dims ...int64) onnxtest.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return onnxtest.Tensor{Name: name, Type: 1, Dims: dims,
		Raw: onnxtest.Float32s(slices.Repeat([]float32{value}, int(n))...)}
}

var (
	pixels = []any{1, 3, 5, 5}
	row    = []any{2, 64}
	mean   = ints("axes", -1)
	kernel = each("w", 0.1, 2, 3, 3, 3)
	one    = each("one", 1)
	two    = each("two", 2)
	half   = each("half", 0.5)
	gain   = each("gain", 1.1, 64)
	offset = each("offset", 0.1, 64)
	summed = passing{dims: pixels, from: -1, to: 1, atol: 1e-3,
		nodes:   []onnxtest.Node{op("Conv", "k", "x", "w", "large"), op("Add", "y", "k", "c")},
		weights: []onnxtest.Tensor{kernel, each("large", 1e6, 2), each("c", -1e6, 2, 1, 1)},
		pass:    "ConvAddFusion", into: "Conv", names: []string{"k", "y"}}
	scaled = passing{dims: row, from: 1e9, to: 1e10, atol: 1e-3,
		nodes:   []onnxtest.Node{op("Mul", "a", "x", "small"), op("MatMul", "y", "a", "w")},
		weights: []onnxtest.Tensor{each("small", 1e-30), each("w", 1e30, 64, 8)},
		pass:    "MatMulScaleFusion", into: "FusedMatMul", names: []string{"a", "y"}}
	divided = []onnxtest.Node{with(op("ReduceMean", "mean", "x"), mean), op("Sub", "d", "x", "mean"),
		op("Pow", "square", "d", "two"), with(op("ReduceMean", "variance", "square"), mean),
		op("Add", "positive", "variance", "tiny"), op("Sqrt", "deviation", "positive"),
		op("Div", "n", "d", "deviation"), op("Mul", "m", "n", "gain"), op("Add", "y", "m", "offset")}
)

// subject returns the model in ONNX Runtime.
func (r passing) subject(o ...ort.Option) backends.Subject {
	m := loaders.ONNXBytes("rewrite.onnx", onnxtest.Model{IR: 10, Opsets: map[string]int64{"": 17},
		Graph: onnxtest.Graph{Nodes: r.nodes, Initializers: r.weights,
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: r.dims}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1}}}}.Bytes())
	return backends.Subject{Engine: ort.Engine(append(slices.Clone(r.options), o...)...), Model: m,
		Inputs: fixtures.Random(m, fixtures.Seed(1), fixtures.ValRange(r.from, r.to))}
}

// applied counts the passes that ONNX Runtime's optimiser applies to the model, by its log.
func (r passing) applied(ctx context.Context) int {
	GinkgoHelper()
	var log bytes.Buffer
	s := r.subject(ort.Log(&log, slog.LevelDebug))
	_, err := backends.RunIn(ctx, s.Engine, s.Model, s.Inputs)
	Expect(err).NotTo(HaveOccurred())
	names := map[string]bool{}
	for _, found := range regexp.MustCompile(`GraphTransformer (\w+) modified`).FindAllStringSubmatch(
		log.String(), -1) {
		names[found[1]] = true
	}
	return len(names)
}

func absolute(atol float64) locate.Options {
	return locate.Options{Isolate: true, Compare: compare.Options{Checks: []compare.Check{
		compare.Within(atol, 0, compare.Elementwise)}, InfinitiesEqual: true, NaNEqual: true}}
}

var _ = Describe("A difference in the fused graph", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("is blamed on the pass that makes products of int4 weights", func(ctx SpecContext) {
		m := loaders.ONNXBytes("int4.onnx", onnxtest.FewBits(true).Bytes())
		subject := func(o ...ort.Option) backends.Subject {
			return backends.Subject{Engine: ort.Engine(o...), Model: m,
				Inputs: fixtures.Random(m, fixtures.Seed(1))}
		}
		low, plain := subject(ort.AccuracyLevel(ort.AccuracyInt8)),
			subject(ort.OptimizationLevel(ort.OptimizeNone))
		found, err := locate.Divergence(ctx, low, plain, absolute(1e-3))
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Cause).To(HaveSuffix("the outputs differ only because the optimiser of the " +
			"actual side runs QDQSelectorActionTransformer, turning " +
			`DequantizeLinear "weight" (node 0), MatMul "product" (node 1) into MatMulNBits`))
		text, err := json.Marshal(found)
		Expect(err).NotTo(HaveOccurred())
		Expect(reportschema.Validate(text)).To(Succeed(), string(text))
		apart := low
		apart.Engine = isolated.Engine(low.Engine)
		same, err := locate.Divergence(ctx, apart, plain, absolute(1e-3))
		Expect(err).NotTo(HaveOccurred())
		Expect(same.Cause).To(Equal(found.Cause), "in a process of its own")
		turned, err := locate.Divergence(ctx, plain, low, absolute(1e-3))
		Expect(err).NotTo(HaveOccurred())
		Expect(turned.Fused.Side).To(Equal("expected"))
		Expect(turned.Fused.Passes).To(Equal(found.Fused.Passes))
		Expect(turned.Fused.Nodes).To(Equal(found.Fused.Nodes))
	})

	DescribeTable("is blamed on ONNX Runtime's pass and its nodes", func(ctx SpecContext, r passing) {
		found, err := locate.Divergence(ctx, r.subject(),
			r.subject(ort.OptimizationLevel(ort.OptimizeNone)), absolute(r.atol))
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Verdict).To(Equal(compare.Fail))
		Expect(found.Fused).NotTo(BeNil(), found.Text())
		Expect(found.Fused.Passes).To(Equal([]string{r.pass}))
		var names []string
		for _, n := range found.Fused.Nodes {
			names = append(names, n.Name)
		}
		Expect(names).To(Equal(r.names))
		Expect(fmt.Sprint(found.Fused.Into)).To(Equal("[" + r.into + "]"))
		Expect(found.Fused.Sessions).To(BeNumerically("<", r.applied(ctx)), "one by one")
		plain := r
		plain.options = append(slices.Clone(r.options),
			ort.Config("optimization.disable_specified_optimizers", r.pass))
		agreed, err := locate.Divergence(ctx, plain.subject(),
			r.subject(ort.OptimizationLevel(ort.OptimizeNone)), absolute(r.atol))
		Expect(err).NotTo(HaveOccurred())
		Expect(agreed.Verdict).To(Equal(compare.Pass))
		Expect(agreed.Fused).To(BeNil())
	},
		Entry("that approximates GELU", passing{dims: row, from: -3, to: 3, atol: 1e-5,
			nodes: []onnxtest.Node{op("Div", "d", "x", "root"), op("Erf", "e", "d"),
				op("Add", "a", "e", "one"), op("Mul", "m", "x", "a"), op("Mul", "g", "m", "half"),
				op("Neg", "y", "g")}, weights: []onnxtest.Tensor{each("root", 1.41421356), one, half},
			options: []ort.Option{ort.Config("optimization.enable_gelu_approximation", "1")},
			pass:    "GeluApproximation", into: "FastGelu", names: []string{"g"}}),
		Entry("that recognises GELU by tanh", passing{dims: row, from: -3, to: 3, atol: 1e-8,
			nodes: []onnxtest.Node{op("Pow", "p", "x", "three"), op("Mul", "m", "p", "k"),
				op("Add", "a", "x", "m"), op("Mul", "b", "a", "r"), op("Tanh", "t", "b"),
				op("Add", "u", "t", "one"), op("Mul", "h", "x", "half"), op("Mul", "g", "h", "u"),
				op("Neg", "y", "g")}, weights: []onnxtest.Tensor{each("three", 3), each("k", 0.044715),
				each("r", 0.7978845608), one, half},
			pass: "FastGeluFusion", into: "FastGelu",
			names: []string{"p", "m", "a", "b", "t", "u", "h", "g"}}),
		Entry("that adds to a convolution", summed),
		Entry("that scales a convolution, which overflows without", passing{dims: pixels, from: 1e9,
			to: 1e10, atol: 1e-3, nodes: []onnxtest.Node{op("Mul", "up", "x", "large"),
				op("Conv", "k", "up", "w"), op("Mul", "y", "k", "c")},
			weights: []onnxtest.Tensor{kernel, each("large", 3e28), each("c", 1e-30, 2, 1, 1)},
			pass:    "ConvMulFusion", into: "Conv", names: []string{"k", "y"}}),
		Entry("that folds a BatchNormalization", passing{dims: pixels, from: -1, to: 1, atol: 1e-3,
			nodes: []onnxtest.Node{op("Conv", "k", "x", "w", "large"),
				op("BatchNormalization", "y", "k", "s", "o", "large", "s")},
			weights: []onnxtest.Tensor{kernel, each("large", 1e6, 2), each("s", 1, 2), each("o", 0, 2)},
			pass:    "ConvBNFusion", into: "Conv", names: []string{"k", "y"}}),
		Entry("that recognises LayerNormalization", passing{dims: row, from: 9999, to: 10001,
			atol: 1e-3, nodes: divided, weights: []onnxtest.Tensor{two, each("tiny", 1e-5), gain, offset},
			pass: "LayerNormFusionL1", into: "LayerNormalization", names: []string{"mean", "d", "square",
				"variance", "positive", "deviation", "n", "m", "y"}}),
		Entry("that quantizes once instead of twice", passing{dims: row, from: -1, to: 1, atol: 1e-3,
			nodes: []onnxtest.Node{op("QuantizeLinear", "q", "x", "s", "z"),
				op("DequantizeLinear", "d", "q", "s", "z"), op("QuantizeLinear", "q2", "d", "s2", "z"),
				op("DequantizeLinear", "y", "q2", "s2", "z")},
			weights: []onnxtest.Tensor{each("s", 0.02), each("s2", 0.03),
				{Name: "z", Type: 2, Raw: []byte{128}}},
			pass: "DoubleQDQPairsRemover", names: []string{"d", "q2"}}),
		Entry("that divides once", passing{dims: row, from: 1e-39, to: 2e-39, atol: 1e-3,
			nodes:   []onnxtest.Node{op("Div", "d", "one", "x"), op("Mul", "y", "d", "small")},
			weights: []onnxtest.Tensor{one, each("small", 1e-39)},
			pass:    "DivMulFusion", into: "Div", names: []string{"d", "y"}}),
		Entry("that removes casts", passing{dims: row, from: -1, to: 1, atol: 1e-6,
			nodes: []onnxtest.Node{with(op("Cast", "h", "x"), to(10)), with(op("Cast", "f", "h"), to(1)),
				op("Neg", "y", "f")},
			options: []ort.Option{ort.Config("optimization.enable_cast_chain_elimination", "1")},
			pass:    "CastChainElimination", names: []string{"h", "f"}}),
		Entry("that adds no zero", passing{dims: row, from: 1e-30, to: 1e-29, atol: 1e-3,
			nodes: []onnxtest.Node{op("Mul", "m", "x", "small"), op("Add", "a", "m", "zero"),
				op("Div", "d", "one", "a"), op("Clip", "y", "d", "least", "most")},
			weights: []onnxtest.Tensor{each("small", -1e-30), each("zero", 0), one, each("least", -9),
				each("most", 9)}, pass: "NoopElimination", names: []string{"a"}}),
		Entry("that moves a scale behind the product, where marks change nothing", scaled),
	)
})
