package edit_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// constantOf is a tensor of float32 values in a model.
func constantOf(name string, values ...float32) onnxtest.Tensor {
	return onnxtest.Tensor{Name: name, Type: 1, Dims: []int64{int64(len(values))},
		Raw: onnxtest.Float32s(values...)}
}

// halve replaces every float32 constant by half of it, and notes what it saw.
func halve(seen map[string]loaders.Constant) func(loaders.Constant) (*tensor.Tensor, error) {
	return func(c loaders.Constant) (*tensor.Tensor, error) {
		seen[c.Name] = c
		if c.Values.ElementType() != tensor.Float32 {
			return nil, nil
		}
		var halves []float32
		for _, v := range c.Values.Float64s() {
			halves = append(halves, float32(v/2))
		}
		return tensor.New(c.Values.Shape(), halves)
	}
}

var _ = Describe("ReplaceConstants", func() {
	// Exporters give a node's tensor a name of their own, which nothing reads.
	inBody, inNode, inFunction := constantOf("body", 4), constantOf("value", 6), constantOf("value", 8)
	filled := constantOf("value", 14)
	kernel := constantOf("kernel", 1, 2, 3, 4)
	kernel.Dims = []int64{1, 2, 2, 1}
	body := onnxtest.Graph{Initializers: []onnxtest.Tensor{inBody},
		Outputs: []onnxtest.Value{{Name: "body"}}}
	model := onnxtest.Model{
		Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "Constant", Out: []string{"node"}, Attrs: []onnxtest.Attr{
					{Name: "value", Tensor: &inNode}}},
				{Op: "ConstantOfShape", In: []string{"axes"}, Out: []string{"filled"},
					Attrs: []onnxtest.Attr{{Name: "value", Tensor: &filled}}},
				{Op: "Mul", In: []string{"filled", "node"}, Out: []string{"product"}},
				{Op: "Constant", Domain: "ai.onnx", Out: []string{"number"}, Attrs: []onnxtest.Attr{
					{Name: "value_float", Float: new(float32(10))}}},
				{Op: "Elu", In: []string{"x"}, Out: []string{"z"}, Attrs: []onnxtest.Attr{
					{Name: "alpha", Float: new(float32(12))}}},
				{Op: "Conv", In: []string{"x", "kernel"}, Out: []string{"y"}},
				{Op: "If", In: []string{"c"}, Out: []string{"o"}, Attrs: []onnxtest.Attr{
					{Name: "then_branch", Graph: &body}}},
			},
			Initializers: []onnxtest.Tensor{kernel,
				{Name: "axes", Type: 7, Dims: []int64{1}, Raw: make([]byte, 8)}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1}},
			Outputs: []onnxtest.Value{{Name: "y"}},
		},
		Functions: []onnxtest.Function{{Name: "f", Domain: "d", Nodes: []onnxtest.Node{
			{Op: "Constant", Out: []string{"function"}, Attrs: []onnxtest.Attr{
				{Name: "value", Tensor: &inFunction}}}}}},
	}

	It("reaches initializers, Constant nodes, bodies and functions, and no settings", func() {
		seen := map[string]loaders.Constant{}
		halved, err := edit.ReplaceConstants(loaders.ONNXBytes("m", model.Bytes()), halve(seen))
		Expect(err).NotTo(HaveOccurred())
		Expect(seen).To(HaveLen(7))
		Expect(seen["node"].Uses).To(Equal([]loaders.Use{{Op: "Mul", Input: 1}}))
		Expect(seen["kernel"].Uses).To(Equal([]loaders.Use{{Op: "Conv", Input: 1, Addends: 4}}))
		Expect(halved.Weight("kernel")).To(Equal(must(tensor.New(tensor.Shape{1, 2, 2, 1},
			[]float32{0.5, 1, 1.5, 2}))))
		again := map[string]loaders.Constant{}
		_, err = edit.ReplaceConstants(halved, halve(again))
		Expect(err).NotTo(HaveOccurred())
		for name, value := range map[string]float64{"body": 2, "node": 3, "number": 5, "function": 4,
			"axes": 0, "filled": 7} {
			Expect(again[name].Values.Float64At(0)).To(Equal(value), name)
		}
		nodes, err := halved.Nodes()
		Expect(err).NotTo(HaveOccurred())
		Expect(nodes).To(HaveLen(7))
		Expect(nodes[3]).To(And(HaveField("Op", "Constant"), HaveField("Domain", ""))) // not ai.onnx
	})

	It("changes no byte where nothing is replaced", func() {
		same, err := edit.ReplaceConstants(loaders.ONNXBytes("m", model.Bytes()),
			func(loaders.Constant) (*tensor.Tensor, error) { return nil, nil })
		Expect(err).NotTo(HaveOccurred())
		Expect(same.Bytes()).To(Equal(model.Bytes()))
	})

	It("takes external data in", func() {
		dir := GinkgoT().TempDir()
		outside := onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "MatMul", In: []string{"x", "w"}, Out: []string{"y"}}},
			Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{3, 2},
				Location: "data", Offset: "4", Length: "24"}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1}},
			Outputs: []onnxtest.Value{{Name: "y"}},
		}}
		Expect(os.WriteFile(filepath.Join(dir, "data"), onnxtest.Float32s(9, 2, 4, 6, 8, 10, 12),
			0o600)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(dir, "m.onnx"), outside.Bytes(), 0o600)).To(Succeed())
		seen := map[string]loaders.Constant{}
		halved, err := edit.ReplaceConstants(loaders.ONNX(filepath.Join(dir, "m.onnx")), halve(seen))
		Expect(err).NotTo(HaveOccurred())
		Expect(seen["w"].Uses[0].Addends).To(Equal(3))
		Expect(halved.ExternalData()).To(BeEmpty())
		Expect(halved.Weight("w")).To(Equal(must(tensor.New(tensor.Shape{3, 2},
			[]float32{1, 2, 3, 4, 5, 6}))))
	})

	It("refuses a constant of another type", func() {
		_, err := edit.ReplaceConstants(loaders.ONNXBytes("m", model.Bytes()),
			func(c loaders.Constant) (*tensor.Tensor, error) { return tensor.Of[int64](1, 2), nil })
		Expect(err).To(MatchError(ContainSubstring(`and cannot become`)))
	})
})

func must[T any](value T, err error) T {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return value
}
