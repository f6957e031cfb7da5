package conformance_test

import (
	"context"
	"os"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// pluginFinding is a model that a plug-in takes although it computes something else than ONNX
// Runtime's CPU provider, or fails as it runs.
type pluginFinding struct {
	finding
	right, gets string // on the CPU, and on the plug-in; gets may be a part of an error
}

// TestFindingsOnWebGPU checks that these faults of WebGPU still exist.
func TestFindingsOnWebGPU(t *testing.T) {
	if serves(t, onWebGPU.check) {
		return
	}
	ort.Require(t, ort.PluginEP("webgpu"))
	list := map[string]pluginFinding{}
	add := adder(list)
	weights, lines := make([]float32, 4*33*3), make([]float32, 33*4)
	for i := range weights {
		weights[i] = float32(i % 7)
	}
	for i := range lines {
		lines[i] = float32(i % 5)
	}
	add("Conv of 33 channels", "float32[1,4,4] [390 578 572 384 396 584 584 373 … 8 more]",
		"float32[1,4,4] [387 611 585 369 443 610 510 365 … 8 more]", node{op: "Conv", opset: 17,
			in: in("x", "w"), attrs: attrs(numbers("pads", 1, 1)),
			constants: []onnxtest.Tensor{constant("w", []int64{4, 33, 3}, weights...)}},
		x(f32s(lines...), 1, 33, 4))
	add("Log of 0", "float32[2] [-Inf 0]", "float32[2] [-88", node{op: "Log", opset: 17},
		x(f32s(0, 1)))
	add("Cast to float16", "float16[1] [1]",
		"Program Cast requires f16 but the device does not support it", node{op: "Cast", opset: 17,
			elem: 10, attrs: attrs(number("to", 10))}, x(f32s(1)))
	holdPlugin(t, onWebGPU.engine, list)
}

// TestFindingsOnNXRT checks that these faults of nxrt still exist.
func TestFindingsOnNXRT(t *testing.T) {
	if os.Getenv(pluginVariable) == "" {
		t.Skip("ort-plugin is missing: make conformance-plugins fetches it")
	}
	list := map[string]pluginFinding{}
	add := adder(list)
	add("ConstantOfShape of ones", "float32[2] [1 1]", "float32[2] [0 0]", node{
		op: "ConstantOfShape", opset: 17, attrs: attrs(onnxtest.Attr{Name: "value",
			Tensor: &onnxtest.Tensor{Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(1)}})},
		x(tensor.Of[int64](2)))
	add("Identity of nothing", "float32[0] []", "output 0 data pointer is null", node{op: "Identity",
		opset: 17}, x(f32s(), 0))
	add("Dropout's mask", "bool[2] [true true]", "bool[2] [false false]", node{op: "Dropout",
		opset: 17, out: []string{"z", "y"}, elem: 9}, x(f32s(1, 2)))
	add("MatMul of a vector with a tensor", "float32[1,1] [5]", "Compute: internal panic",
		node{op: "MatMul", opset: 17, in: in("x", "b")}, x(f32s(1, 2)),
		named("b", f32s(1, 2), 1, 2, 1))
	open := pluginFinding{right: "float32[1,1,2] [1 2]", gets: "expected X=[1, 1, 0]"}
	_, open.inputs = node{}.of(x(f32s(1, 2), 1, 1, 2))
	open.model = loaders.ONNXBytes("open.onnx", onnxtest.Model{Opsets: map[string]int64{"": 17},
		Graph: onnxtest.Graph{Nodes: []onnxtest.Node{op("Conv", "y", in("x", "w"))},
			Initializers: []onnxtest.Tensor{filled("w", 1, 1, 1, 1)},
			Inputs:       []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1, 1, "length"}}},
			Outputs:      []onnxtest.Value{{Name: "y", Elem: 1}}}}.Bytes())
	list["Conv of an open length"] = open
	holdPlugin(t, onNXRT.engine, list)
}

func adder(list map[string]pluginFinding) func(name, right, gets string, n node,
	entries ...tensor.Entry) {
	return func(name, right, gets string, n node, entries ...tensor.Entry) {
		f := pluginFinding{right: right, gets: gets}
		f.model, f.inputs = n.of(entries...)
		list[name] = f
	}
}

func holdPlugin(t *testing.T, plugin backends.Engine, list map[string]pluginFinding) {
	t.Helper()
	run := func(ctx context.Context, e backends.Engine, f pluginFinding) string {
		got, err := backends.RunIn(ctx, e, f.model, fixtures.Of(f.inputs))
		if err != nil {
			return err.Error()
		}
		return got.Outputs()[0].At(0).Tensor.GomegaString()
	}
	for name, f := range list {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(run(t.Context(), ort.Engine(), f)).To(Equal(f.right))
			g.Expect(run(t.Context(), plugin, f)).To(ContainSubstring(f.gets),
				"the fault is gone: remove it from here and from docs/evidence/findings.md")
		})
	}
}
