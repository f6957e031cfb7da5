package edit_test

import (
	"errors"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Edit", func() {
	body := onnxtest.Graph{Nodes: []onnxtest.Node{{Op: "Neg", In: []string{"a"}, Out: []string{"n"}}},
		Outputs: []onnxtest.Value{{Name: "n"}}}
	model := onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Relu", Name: "first", In: []string{"x"}, Out: []string{"a"}},
			{Op: "If", Name: "second", In: []string{"c"}, Out: []string{"y"}, Attrs: []onnxtest.Attr{
				{Name: "then_branch", Graph: &body}, {Name: "else_branch", Graph: &body}}},
		},
		Initializers: []onnxtest.Tensor{constantOf("w", 1, 2)},
		Inputs:       []onnxtest.Value{{Name: "x", Elem: 1}, {Name: "c", Elem: 9}},
		Outputs:      []onnxtest.Value{{Name: "y"}},
	}}
	keep := func(loaders.Node) (edit.NodeEdit, error) { return edit.NodeEdit{}, nil }

	It("changes no byte where nothing is changed", func() {
		same, err := edit.Nodes(loaders.ONNXBytes("m", model.Bytes()), keep)
		Expect(err).NotTo(HaveOccurred())
		Expect(same.Bytes()).To(Equal(model.Bytes()))
	})

	It("renames what nodes read and make, and puts nodes around them", func() {
		var seen []string
		edited, err := edit.Nodes(loaders.ONNXBytes("m", model.Bytes()),
			func(n loaders.Node) (edit.NodeEdit, error) {
				seen = append(seen, n.Name)
				if n.Name != "first" {
					return edit.NodeEdit{}, nil
				}
				value := must(tensor.New(tensor.Shape{}, []float32{3}))
				return edit.NodeEdit{
					Inputs: map[string]string{"x": "x2"}, Outputs: map[string]string{"a": "a2"},
					Before: []edit.NewNode{{Op: "Constant", Outputs: []string{"three"}, Value: value},
						{Op: "Mul", Inputs: []string{"x", "three"}, Outputs: []string{"x2"}}},
					After: []edit.NewNode{{Op: "Cast", Inputs: []string{"a2"}, Outputs: []string{"a"},
						To: tensor.Float16}},
				}, nil
			})
		Expect(err).NotTo(HaveOccurred())
		Expect(seen).To(Equal([]string{"first", "second"})) // bodies are the node's own
		nodes, err := edited.Nodes()
		Expect(err).NotTo(HaveOccurred())
		var ops []string
		for i, n := range nodes {
			Expect(n.Index).To(Equal(i))
			ops = append(ops, n.Op)
		}
		Expect(ops).To(Equal([]string{"Constant", "Mul", "Relu", "Cast", "If"}))
		Expect(nodes[2]).To(And(HaveField("Name", "first"), HaveField("Inputs", []string{"x2"}),
			HaveField("Outputs", []string{"a2"})))
		Expect(nodes[4].Captured).To(Equal([]string{"a"})) // what bodies read keeps its name
		Expect(edited.ConstantNode(0)).To(Equal(must(tensor.New(tensor.Shape{}, []float32{3}))))
		described, err := describe.Of(edited, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(described.Nodes[3].Attributes).To(Equal([]describe.Attribute{{Name: "to", Text: "10"}}))
		Expect(edited.Weight("w")).To(Equal(tensor.Of[float32](1, 2)))
	})

	It("leaves external weights where they are", func() {
		dir := GinkgoT().TempDir()
		outside := onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "MatMul", In: []string{"x", "w"}, Out: []string{"y"}}},
			Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{2, 1},
				Location: "data", Offset: "4", Length: "8"}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1}},
			Outputs: []onnxtest.Value{{Name: "y"}},
		}}
		Expect(os.WriteFile(filepath.Join(dir, "data"), onnxtest.Float32s(9, 2, 4), 0o600)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(dir, "m.onnx"), outside.Bytes(), 0o600)).To(Succeed())
		edited, err := edit.Nodes(loaders.ONNX(filepath.Join(dir, "m.onnx")),
			func(loaders.Node) (edit.NodeEdit, error) {
				return edit.NodeEdit{Outputs: map[string]string{"y": "z"},
					After: []edit.NewNode{{Op: "Neg", Inputs: []string{"z"}, Outputs: []string{"y"}}}}, nil
			})
		Expect(err).NotTo(HaveOccurred())
		Expect(edited.ExternalData()).To(Equal([]string{filepath.Join(dir, "data")}))
		Expect(edited.Weight("w")).To(Equal(must(tensor.New(tensor.Shape{2, 1}, []float32{2, 4}))))
	})

	It("passes errors on", func() {
		broken := errors.New("no edit")
		_, err := edit.Nodes(loaders.ONNXBytes("m", model.Bytes()),
			func(loaders.Node) (edit.NodeEdit, error) { return edit.NodeEdit{}, broken })
		Expect(err).To(MatchError(broken))
		_, err = edit.Nodes(loaders.ONNX(filepath.Join(GinkgoT().TempDir(), "none.onnx")), keep)
		Expect(err).To(MatchError(os.ErrNotExist))
	})
})

var _ = Describe("Skeleton", func() {
	large := make([]float32, 300)
	for i := range large {
		large[i] = float32(i)
	}
	body := onnxtest.Graph{Initializers: []onnxtest.Tensor{constantOf("inside", large...)},
		Outputs: []onnxtest.Value{{Name: "inside"}}}
	model := onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Add", In: []string{"x", "large"}, Out: []string{"s"}},
			{Op: "If", In: []string{"c"}, Out: []string{"y"}, Attrs: []onnxtest.Attr{
				{Name: "then_branch", Graph: &body}, {Name: "else_branch", Graph: &body}}},
		},
		Initializers: []onnxtest.Tensor{constantOf("large", large...), constantOf("small", 7),
			constantOf("other", large...)},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1}, {Name: "c", Elem: 9}},
		Outputs: []onnxtest.Value{{Name: "y"}},
	}}
	apart := func(bytes int) bool { return bytes >= 1000 }

	It("writes the graph's large initializers to a file, each at a page, replaced or not", func() {
		dir := GinkgoT().TempDir()
		file := must(os.Create(filepath.Join(dir, "weights")))
		defer file.Close()
		seen := map[string]loaders.Constant{}
		skeleton, err := edit.Skeleton(loaders.ONNXBytes("m", model.Bytes()), file, "weights",
			apart, func(c loaders.Constant) (*tensor.Tensor, error) {
				if c.Name == "other" {
					return nil, nil
				}
				return halve(seen)(c)
			})
		Expect(err).NotTo(HaveOccurred())
		Expect(seen).To(HaveKey("inside"))
		Expect(len(skeleton)).To(BeNumerically("<", len(model.Bytes())-2*4*len(large)+1000))
		Expect(os.WriteFile(filepath.Join(dir, "m.onnx"), skeleton, 0o600)).To(Succeed())
		whole := loaders.ONNX(filepath.Join(dir, "m.onnx"))
		Expect(whole.ExternalData()).To(Equal([]string{file.Name()}))
		halves := make([]float32, len(large))
		for i := range halves {
			halves[i] = large[i] / 2
		}
		Expect(whole.Weight("large")).To(Equal(tensor.Of(halves...)))
		Expect(whole.Weight("other")).To(Equal(tensor.Of(large...)))
		Expect(whole.Weight("small")).To(Equal(tensor.Of[float32](3.5)))
		Expect(must(file.Stat()).Size()).To(BeEquivalentTo(4096 + 4*len(large))) // the second at a page
	})

	It("passes on the errors of who writes and who replaces", func() {
		full := errors.New("disk full")
		keep := func(loaders.Constant) (*tensor.Tensor, error) { return nil, nil }
		_, err := edit.Skeleton(loaders.ONNXBytes("m", model.Bytes()), failing{full}, "weights", apart,
			keep)
		Expect(err).To(MatchError(full))
		_, err = edit.Skeleton(loaders.ONNXBytes("m", model.Bytes()), failing{full}, "weights", apart,
			func(loaders.Constant) (*tensor.Tensor, error) { return nil, errors.New("no weights") })
		Expect(err).To(MatchError(ContainSubstring("no weights")))
	})
})

// failing is a writer that cannot.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
