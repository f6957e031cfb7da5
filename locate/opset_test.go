package locate_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// upgraded has ONNX's version converter bring a model to an opset.
func upgraded(python string, m onnxtest.Model, opset string) *loaders.Model {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	before, after := filepath.Join(folder, "before.onnx"), filepath.Join(folder, "after.onnx")
	Expect(os.WriteFile(before, m.Bytes(), 0o600)).To(Succeed())
	said, err := exec.Command(python, "-c", "import onnx, sys; from onnx import version_converter\n"+
		"m = version_converter.convert_version(onnx.load(sys.argv[1]), int(sys.argv[3]))\n"+
		"onnx.save(m, sys.argv[2])", before, after, opset).CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(said))
	return loaders.ONNX(after)
}

// dated is a graph of opset 11 whose operators changed since: attributes became inputs, and Softmax
// lost its flattening. It is x → MatMul → Add → Clip → Unsqueeze → ReduceSum → Softmax →
// MatMul → Add → y.
func dated() onnxtest.Model {
	random := rand.New(rand.NewPCG(3, 4))
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{"batch", width}}
	}
	scalar := func(name string, v float32) onnxtest.Tensor {
		return onnxtest.Tensor{Name: name, Type: 1, Raw: onnxtest.Float32s(v)}
	}
	node := func(op, name string, in []string, attrs ...onnxtest.Attr) onnxtest.Node {
		return onnxtest.Node{Op: op, Name: name, In: in, Out: []string{name + "_out"}, Attrs: attrs}
	}
	last := node("Add", "shift", []string{"project_out", "b1"})
	last.Out = []string{"y"}
	return onnxtest.Model{IR: 6, Opsets: map[string]int64{"": 11}, Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			node("MatMul", "embed", []string{"x", "w0"}),
			node("Add", "bias", []string{"embed_out", "b0"}),
			node("Clip", "clip", []string{"bias_out", "low", "high"}),
			node("Unsqueeze", "wrap", []string{"clip_out"}, ints("axes", 0)),
			node("ReduceSum", "sum", []string{"wrap_out"}, ints("axes", 0), integer("keepdims", 0)),
			node("Softmax", "attend", []string{"sum_out"}, integer("axis", 1)),
			node("MatMul", "project", []string{"attend_out", "w1"}), last,
		},
		Initializers: []onnxtest.Tensor{weights("w0", random, 0.5, width, width),
			weights("b0", random, 0.1, width), scalar("low", -0.9), scalar("high", 0.9),
			weights("w1", random, 0.5, width, width), weights("b1", random, 0.1, width)},
		Inputs: []onnxtest.Value{value("x")}, Outputs: []onnxtest.Value{value("y")},
	}}
}

var _ = Describe("a model and its upgrade to a newer opset", func() {
	var python string
	BeforeEach(func() {
		ort.Require(GinkgoT())
		python = pythontest.With(GinkgoT(), "onnx")
	})

	subject := func(model *loaders.Model) backends.Subject {
		return backends.Subject{Engine: plain, Model: model, Inputs: fixtures.Random(model,
			fixtures.Seed(1), fixtures.Shape("x", 4, width), fixtures.ValRange(-1, 1))}
	}

	DescribeTable("agree, and a fault in one is found by its node", func(ctx SpecContext,
		opset string) {
		healthy := upgraded(python, dated(), opset)
		found, err := locate.Divergence(ctx, subject(healthy), subject(loaders.ONNXBytes("dated.onnx",
			dated().Bytes())), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Verdict).To(Equal(compare.Pass), found.Text())
		Expect(found.Fault).To(BeNil(), found.Text())

		for weight, node := range map[string]string{"w0": "embed", "b1": "shift"} {
			faulty := dated()
			for i := range faulty.Graph.Initializers {
				if w := &faulty.Graph.Initializers[i]; w.Name == weight {
					values := floats(w.Raw)
					for j := range values {
						values[j] *= 1.5
					}
					w.Raw = onnxtest.Float32s(values...)
				}
			}
			for reason, sides := range map[string][2]*loaders.Model{
				"the upgrade is wrong": {upgraded(python, faulty, opset),
					loaders.ONNXBytes("dated.onnx", dated().Bytes())},
				"the upgrade is right": {loaders.ONNXBytes("faulty.onnx", faulty.Bytes()), healthy},
			} {
				found, err := locate.Divergence(ctx, subject(sides[0]), subject(sides[1]), strict())
				Expect(err).NotTo(HaveOccurred())
				Expect(found.Isolated).NotTo(BeNil(), "%s, %s: %s", weight, reason, found.Text())
				Expect(found.Isolated.Node).To(Equal(node), "%s, %s: %s", weight, reason, found.Text())
			}
		}
	},
		Entry("13", "13"), Entry("21", "21"))
})
