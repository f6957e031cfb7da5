package conformance_test

import (
	"runtime"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// rewritten is a model whose result ONNX Runtime's optimiser changes. docs/evidence/findings.md
// explains why the result without optimisation is right.
type rewritten struct {
	model       *loaders.Model
	inputs      *tensor.Set
	plain, gets string // the result without and with optimisation; gets may be a part of an error
	pass        string // found by `modelparity locate`; without it, the result is plain
}

// TestFindingsOfTheOptimiser checks that each fault still exists, and that its pass alone makes it.
func TestFindingsOfTheOptimiser(t *testing.T) {
	ort.Require(t)
	for name, f := range rewrites() {
		t.Run(name, func(t *testing.T) {
			if name == "Transpose of int8" && runtime.GOARCH != "amd64" {
				t.Skip("the pass is for x86 alone")
			}
			g := NewWithT(t)
			run := func(options ...ort.Option) string {
				got, err := ort.Run(t.Context(), f.model, fixtures.Of(f.inputs), options...)
				if err != nil {
					return err.Error()
				}
				if v := got.Provenance.Version; v != versions["ort"] {
					t.Skipf("docs/evidence/findings.md is about ONNX Runtime %s, and this is %s",
						versions["ort"], v)
				}
				return got.Outputs()[0].At(0).Tensor.GomegaString()
			}
			g.Expect(run(ort.OptimizationLevel(ort.OptimizeNone))).To(Equal(f.plain))
			g.Expect(run(ort.Config("optimization.disable_specified_optimizers", f.pass))).To(
				Equal(f.plain), "without the pass")
			g.Expect(run()).To(ContainSubstring(f.gets), "the fault is gone: remove it from here "+
				"and from docs/evidence/findings.md")
		})
	}
}

// op is a node that is named after its output.
func op(kind, out string, in []string, list ...onnxtest.Attr) onnxtest.Node {
	return onnxtest.Node{Op: kind, Name: out, In: in, Out: []string{out}, Attrs: list}
}

// in lists the inputs of a node.
func in(names ...string) []string { return names }

func int64s(name string, values ...int64) onnxtest.Tensor {
	return onnxtest.Tensor{Name: name, Type: 7, Dims: []int64{int64(len(values))},
		Raw: onnxtest.Int64s(values...)}
}

// quantised surrounds nodes from d to a with QuantizeLinear and DequantizeLinear of scale 1.
func quantised(inner ...onnxtest.Node) []onnxtest.Node {
	return slices.Concat([]onnxtest.Node{op("QuantizeLinear", "q", in("x", "scale", "zero")),
		op("DequantizeLinear", "d", in("q", "scale", "zero"))}, inner)
}

func rewrites() map[string]rewritten {
	list := map[string]rewritten{}
	add := func(name string, f rewritten, opset int64, elem int32, nodes []onnxtest.Node,
		constants []onnxtest.Tensor, entries ...tensor.Entry) {
		f.model, f.inputs = several(name, opset, nodes, constants, elem, entries...)
		list[name] = f
	}
	scale := constant("scale", nil, 1)
	zero := func(elem int32) onnxtest.Tensor {
		return onnxtest.Tensor{Name: "zero", Type: elem, Raw: []byte{0}}
	}
	product := []onnxtest.Node{op("Div", "a", in("one", "x")), op("Mul", "y", in("a", "z"))}
	add("4 · (1 / 2) of int64", rewritten{plain: "int64[1] [0]", gets: "int64[1] [2]",
		pass: "DivMulFusion"}, 17, 7, product, []onnxtest.Tensor{int64s("one", 1)},
		x(tensor.Of[int64](2)), named("z", tensor.Of[int64](4)))
	add("4 · (1 / 2) with a 1 of two dimensions", rewritten{plain: "float32[1,1] [2]",
		gets: "float32[1] [2]", pass: "DivMulFusion"}, 17, 1, product,
		[]onnxtest.Tensor{constant("one", []int64{1, 1}, 1)}, x(f32s(2)), named("z", f32s(4)))
	padded := func(pads int64, after ...onnxtest.Node) ([]onnxtest.Node, []onnxtest.Tensor) {
		return append([]onnxtest.Node{op("Pad", "a", in("x", "pads"))}, after...),
			[]onnxtest.Tensor{int64s("pads", 0, 0, pads, 0, 0, pads)}
	}
	kernel := func(n int64) onnxtest.Attr { return numbers("kernel_shape", n) }
	nodes, pads := padded(1, op("MaxPool", "y", in("a"), kernel(2)))
	add("MaxPool of zeros beside negative numbers", rewritten{plain: "float32[1,1,3] [0 -1 0]",
		gets: "float32[1,1,3] [-1 -1 -2]", pass: "Pad_Fusion"}, 17, 1, nodes, pads,
		x(f32s(-1, -2), 1, 1, 2))
	nodes, pads = padded(2, op("AveragePool", "y", in("a"), kernel(3), numbers("strides", 2),
		number("ceil_mode", 1)))
	add("AveragePool of a padded tensor, rounded up", rewritten{
		plain: "float32[1,1,5] [0.33333334 2 4 3.6666667 0]",
		gets:  "float32[1,1,4] [0.33333334 2 4 3.6666667]", pass: "Pad_Fusion"}, 19, 1, nodes, pads,
		x(f32s(1, 2, 3, 4, 5, 6), 1, 1, 6))
	nodes, pads = padded(2, op("AveragePool", "y", in("a"), kernel(2)))
	add("AveragePool of more padding than its kernel", rewritten{
		plain: "float32[1,1,4] [0 1 1 0]", gets: "Pad should be smaller than kernel",
		pass: "Pad_Fusion"}, 19, 1, nodes, pads, x(f32s(2), 1, 1, 1))
	add("AveragePool with dilations between 8 bits", rewritten{
		plain: "float32[1,1,2] [2 3]", gets: "Unrecognized attribute: dilations",
		pass: "QDQSelectorActionTransformer"}, 19, 1, quantised(
		op("AveragePool", "a", in("d"), kernel(2), numbers("dilations", 2)),
		op("QuantizeLinear", "r", in("a", "scale", "zero")),
		op("DequantizeLinear", "y", in("r", "scale", "zero"))),
		[]onnxtest.Tensor{scale, zero(2)}, x(f32s(1, 2, 3, 4), 1, 1, 4))
	add("Relu and Clip of int32", rewritten{plain: "int32[2] [1 3]",
		gets: "relu_clip_fusion.cc", pass: "FuseReluClip"}, 17, 6, []onnxtest.Node{
		op("Relu", "a", in("x")), op("Clip", "y", in("a", "low"))}, []onnxtest.Tensor{
		{Name: "low", Type: 6, Raw: []byte{1, 0, 0, 0}}}, x(tensor.Of[int32](-1, 3)))
	turned := numbers("perm", 0, 2, 1)
	add("Pad over axes between transpositions", rewritten{
		plain: "float32[1,2,3] [1 2 0 3 4 0]", gets: "float32[1,3,2] [1 2 3 4 0 0]",
		pass: "TransposeOptimizer;TransposeOptimizer_CPUExecutionProvider"}, 18, 1, []onnxtest.Node{
		op("Transpose", "t", in("x"), turned), op("Pad", "p", in("t", "pads", "", "axes")),
		op("Transpose", "y", in("p"), turned)}, []onnxtest.Tensor{int64s("pads", 0, 0, 0, 1, 0, 0),
		int64s("axes", 1, 0, 2)}, x(f32s(1, 2, 3, 4), 1, 2, 2))
	add("Transpose of int8", rewritten{plain: "float32[2,1] [1 2]",
		gets: "output_dtype INT8 does not match y_zero_point type UINT8",
		pass: "QDQS8ToU8Transformer"}, 21, 1, quantised(op("Transpose", "y", in("d"))),
		[]onnxtest.Tensor{scale, zero(3)}, x(f32s(1, 2), 1, 2))
	add("Gemm whose bias has its own scale", rewritten{plain: "float32[1,1] [3]",
		gets: "float32[1,1] [5]", pass: "QDQSelectorActionTransformer"}, 21, 1, quantised(
		op("DequantizeLinear", "w", in("weight", "scale", "zero")),
		op("DequantizeLinear", "b", in("bias", "half")), op("Gemm", "y", in("d", "w", "b"))),
		[]onnxtest.Tensor{scale, zero(3), constant("half", nil, 0.5),
			{Name: "weight", Type: 3, Dims: []int64{1, 1}, Raw: []byte{1}},
			{Name: "bias", Type: 6, Dims: []int64{1}, Raw: []byte{4, 0, 0, 0}}}, x(f32s(1), 1, 1))
	// Of 1 and 3, the differences from the mean are −1 and 1. Each epsilon makes a root that is exact.
	for name, f := range map[string]struct {
		subtracts, squares, divides []string
		epsilon                     float32
		plain, gets                 string
	}{
		"the mean minus x": {in("m", "x"), in("d", "two"), in("d", "s"), 3,
			"float32[1,2] [0.5 -0.5]", "float32[1,2] [-0.5 0.5]"},
		"a power of 2": {in("x", "m"), in("two", "d"), in("d", "s"), 2.75,
			"float32[1,2] [-0.5 0.5]", "float32[1,2] [-0.51639"},
		"the deviation divided by the difference": {in("x", "m"), in("d", "two"), in("s", "d"), 3,
			"float32[1,2] [-2 2]", "float32[1,2] [-0.5 0.5]"},
	} {
		last := numbers("axes", -1)
		add("a layer normalisation but for "+name, rewritten{plain: f.plain, gets: f.gets,
			pass: "LayerNormFusionL1"}, 17, 1, []onnxtest.Node{op("ReduceMean", "m", in("x"), last),
			op("Sub", "d", f.subtracts), op("Pow", "p", f.squares), op("ReduceMean", "v", in("p"), last),
			op("Add", "e", in("v", "epsilon")), op("Sqrt", "s", in("e")), op("Div", "q", f.divides),
			op("Mul", "g", in("q", "gamma")), op("Add", "y", in("g", "beta"))},
			[]onnxtest.Tensor{constant("two", nil, 2), constant("epsilon", nil, f.epsilon),
				constant("gamma", []int64{2}, 1, 1), constant("beta", []int64{2}, 0, 0)},
			x(f32s(1, 3), 1, 2))
	}
	return list
}
