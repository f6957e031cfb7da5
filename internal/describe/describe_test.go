package describe_test

import (
	"encoding/json"
	"os"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

// attributes is a node with attributes of every kind.
func attributes() []onnxtest.Attr {
	one, half := int64(-1), float32(0.5)
	return []onnxtest.Attr{{Name: "axis", Int: &one}, {Name: "alpha", Float: &half},
		{Name: "strides", Ints: []int64{2, 2}},
		{Name: "table", Ints: []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{Name: "value", Tensor: &onnxtest.Tensor{Name: "t", Type: 1, Raw: onnxtest.Float32s(1)}}}
}

func model(name string, m onnxtest.Model) *loaders.Model {
	return loaders.ONNXBytes(name, m.Bytes())
}

// add is y = x + w, with w of two floats.
func add() onnxtest.Model {
	return onnxtest.Model{Producer: "spec", Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Add", Name: "add", In: []string{"x", "w"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{
			{Name: "w", Type: 1, Dims: []int64{2}, Raw: onnxtest.Float32s(1, 2)}},
		Inputs: []onnxtest.Value{
			{Name: "x", Elem: 1, Dims: []any{"batch", 2}}, {Name: "w", Elem: 1, Dims: []any{2}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"batch", 2}}},
	}}
}

func described(m onnxtest.Model) describe.Description {
	GinkgoHelper()
	d, err := describe.Of(model("chain.onnx", m), true)
	Expect(err).NotTo(HaveOccurred())
	return d
}

// written returns the text about a model.
func written(m *loaders.Model, detail describe.Detail) string {
	GinkgoHelper()
	var b strings.Builder
	Expect(describe.Write(&b, m, detail, false)).To(Succeed())
	return b.String()
}

var _ = Describe("a description", func() {
	It("reads as a page", func() {
		m := onnxtest.Chain()
		m.Producer = "spec"
		m.Opsets = map[string]int64{"": 19, "local": 1}
		m.Functions = []onnxtest.Function{{Name: "Twice", Domain: "local"}}
		m.Graph.Nodes[0].Attrs = attributes()
		m.Graph.Nodes[1].Domain, m.Graph.Nodes[1].Name = "local", ""
		m.Graph.Inputs = append(m.Graph.Inputs, onnxtest.Value{Name: "w", Elem: 1, Dims: []any{2}})
		text := written(model("chain.onnx", m), describe.Full())
		want, err := os.ReadFile("testdata/description.txt")
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(Equal(string(want)))
		Expect(written(model("chain.onnx", m), describe.Detail{})).To(And(
			ContainSubstring("initializers: 2\n"), ContainSubstring("inputs with a default: 1\n"),
			Not(ContainSubstring("Relu \"relu\""))))
	})

	It("marshals to JSON with shapes as they are declared", func() {
		data, err := json.Marshal(described(onnxtest.Chain()))
		Expect(err).NotTo(HaveOccurred())
		var object map[string]any
		Expect(json.Unmarshal(data, &object)).To(Succeed())
		Expect(object["inputs"]).To(Equal([]any{
			map[string]any{"name": "x", "type": "tensor(float)", "shape": []any{"batch", 2.0}},
			map[string]any{"name": "flag", "type": "tensor(bool)", "shape": []any{}}}))
		Expect(object["outputs"]).To(ContainElement(
			map[string]any{"name": "e", "type": "tensor(float)"}))
		Expect(object["nodes"]).To(HaveLen(5))
		Expect(object["sha256"]).To(HaveLen(64))
	})
})

var _ = It("describes a model of almost nothing without a null", func() {
	m := onnxtest.Model{Graph: onnxtest.Graph{Nodes: []onnxtest.Node{{Op: "Constant"}}}}
	data, err := json.Marshal(described(m))
	Expect(err).NotTo(HaveOccurred())
	Expect(string(data)).NotTo(ContainSubstring("null"))
})

var _ = Describe("a weight", func() {
	It("is described where it is sparse", func() {
		values := onnxtest.Tensor{Name: "s", Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(2)}
		sparse := onnxtest.Varint(onnxtest.Message(nil, 1, values.Bytes()), 3, 9)
		sparse = onnxtest.Message(nil, 15, sparse)
		model := loaders.ONNXBytes("m", onnxtest.Message(add().Bytes(), 7, sparse))
		d, err := describe.Of(model, true)
		Expect(err).NotTo(HaveOccurred())
		Expect(written(model, describe.Full())).To(ContainSubstring("  s tensor(float)[9], sparse\n"))
		Expect(d.Initializers[1].SHA256).To(HaveLen(64))
	})

	It("counts by its value, not by how it is stored", func() {
		m := add()
		m.Graph.Initializers = nil
		typed := onnxtest.Message(onnxtest.Varint(onnxtest.Varint(nil, 1, 2), 2, 1), 8, []byte("w"))
		typed = onnxtest.Message(typed, 4, onnxtest.Float32s(1, 2)) // float_data
		stored := onnxtest.Message(m.Bytes(), 7, onnxtest.Message(nil, 5, typed))
		Expect(describe.Diff(loaders.ONNXBytes("m", stored), model("m", add()))).To(BeEmpty())
	})
})

var _ = Describe("the difference of two models", func() {
	It("is told of the files, with the values of their weights", func() {
		m := add()
		m.Graph.Initializers[0].Raw = onnxtest.Float32s(1, 3)
		all, err := describe.Diff(model("a", m), model("b", add()))
		Expect(err).NotTo(HaveOccurred())
		Expect(all.Text()).To(MatchRegexp(`^initializer "w": .* #\w{8}, expected .* #\w{8}\n$`))
		all, err = describe.Diff(model("a", m), model("b", m))
		Expect(err).NotTo(HaveOccurred())
		Expect(all.Text()).To(Equal("the models do not differ\n"))
	})

	It("is not told where one cannot be read", func() {
		good, bad := model("good", add()), loaders.ONNX("missing.onnx")
		_, err := describe.Diff(good, bad)
		Expect(err).To(MatchError(ContainSubstring("missing.onnx")))
		_, err = describe.Diff(bad, good)
		Expect(err).To(MatchError(ContainSubstring("missing.onnx")))
	})
})

var _ = DescribeTable("what differs between two models",
	func(change func(*onnxtest.Model), want ...string) {
		m := onnxtest.Chain()
		m.Graph.Nodes[0].Attrs = attributes()
		expected := model("expected", m)
		Expect(describe.Diff(expected, expected)).To(BeEmpty())
		change(&m)
		differences, err := describe.Diff(model("actual", m), expected)
		Expect(err).NotTo(HaveOccurred())
		var lines []string
		for _, d := range differences {
			lines = append(lines, d.String())
		}
		Expect(lines).To(HaveLen(len(want)), "%q", lines)
		for i, line := range lines {
			Expect(line).To(MatchRegexp(want[i]))
		}
	},
	Entry("a weight's value", func(m *onnxtest.Model) {
		m.Graph.Initializers[0].Raw = onnxtest.Float32s(1, 3)
	}, `^initializer "w": tensor\(float\)\[2\] #\w{8}, expected tensor\(float\)\[2\] #\w{8}$`),
	Entry("an operator", func(m *onnxtest.Model) { m.Graph.Nodes[2].Op = "Exp" },
		`^node "c": Exp\(b\), expected Neg\(b\)$`),
	Entry("an attribute beyond what is shown", func(m *onnxtest.Model) {
		m.Graph.Nodes[0].Attrs[3].Ints[8]++
	}, `^node "a": Relu\(x\) .* table=\[1,2,3,4,5,6,7,8,… 1 more\] #\w{8} value=tensor #\w{8}, `+
		"expected Relu"),
	Entry("a tensor in an attribute", func(m *onnxtest.Model) {
		m.Graph.Nodes[0].Attrs[4].Tensor.Raw = onnxtest.Float32s(2)
	}, `^node "a": `),
	Entry("one node more, one less", func(m *onnxtest.Model) {
		m.Graph.Nodes[3] = onnxtest.Node{Op: "Abs", In: []string{"x"}, Out: []string{"new"}}
	}, `^node "new": only in actual: Abs\(x\)$`, `^node "d": only in expected: Abs\(x\)$`),
	Entry("versions", func(m *onnxtest.Model) {
		m.IR, m.Opsets = 8, map[string]int64{"": 18}
	}, `^IR version: 8, expected 9$`, `^opset: 18, expected 19$`),
	Entry("an input's shape", func(m *onnxtest.Model) { m.Graph.Inputs[0].Dims[0] = 1 },
		`^input "x": tensor\(float\)\[1,2\], expected tensor\(float\)\[batch,2\]$`),
	Entry("only the names of nodes and the order of attributes", func(m *onnxtest.Model) {
		m.Graph.Nodes[0].Name = "other"
		a := m.Graph.Nodes[0].Attrs
		a[0], a[1] = a[1], a[0]
	}),
)
