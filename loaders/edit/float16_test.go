package edit_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// halved converts a model.
func halved(m onnxtest.Model, o edit.Float16) (*loaders.Model, edit.Float16Report) {
	GinkgoHelper()
	converted, report, err := edit.ToFloat16(loaders.ONNXBytes("m", m.Bytes()), o)
	Expect(err).NotTo(HaveOccurred())
	return converted, report
}

// wiring is each node in one line: its operator, what it reads and what it makes.
func wiring(m *loaders.Model) (lines []string) {
	GinkgoHelper()
	nodes, err := m.Nodes()
	Expect(err).NotTo(HaveOccurred())
	for _, n := range nodes {
		line := n.Op
		for _, name := range n.Inputs {
			line += " " + name
		}
		line += " →"
		for _, name := range n.Outputs {
			line += " " + name
		}
		lines = append(lines, line)
	}
	return lines
}

var _ = Describe("ToFloat16", func() {
	It("keeps inputs and outputs, and casts where the types meet", func() {
		m, report := halved(onnxtest.Chain(), edit.Float16{})
		Expect(wiring(m)).To(Equal([]string{
			"Cast x → x/float16", "Relu x/float16 → a", "Add a w → b", "Neg b → c/float16",
			"Cast c/float16 → c", "Abs x/float16 → d/float16", "Cast d/float16 → d", "If flag → e"}))
		Expect(m.Weight("w")).To(HaveField("ElementType()", tensor.Float16))
		Expect(m.Weight("unused")).To(HaveField("ElementType()", tensor.Float32)) // no node reads it
		Expect(m.Declared("b")).To(HaveKeyWithValue("b", HaveField("Type", tensor.Float16)))
		Expect(m.Declared("x", "c")).To(HaveEach(HaveField("Type", tensor.Float32)))
		Expect(report.Kept).To(ConsistOf(
			edit.KeptNodes{Reason: "the inputs and outputs of If", Nodes: []string{"if"}}))
		Expect(report).To(And(HaveField("Half", 6), HaveField("Casts", 5))) // bodies count
	})

	It("writes short names however many bodies read a tensor", func() {
		const n = 400
		m := onnxtest.Chain()
		branch := m.Graph.Nodes[4]
		for i := range n - 1 {
			branch.Name, branch.Out = "", []string{fmt.Sprintf("e%d", i)}
			m.Graph.Nodes = append(m.Graph.Nodes, branch)
		}
		many, _ := halved(m, edit.Float16{KeepOps: []string{"Exp"}})
		to := filepath.Join(GinkgoT().TempDir(), "half.onnx")
		Expect(many.Save(to)).To(Succeed())
		text, err := os.ReadFile(to)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(ContainSubstring("a/float32_%d", 2*n-1))
		Expect(len(text)).To(BeNumerically("<", 2*n*300))
	})

	It("keeps chosen nodes in float32, with unchanged weights", func() {
		model := onnxtest.Chain()
		model.Graph.Nodes = append(model.Graph.Nodes,
			onnxtest.Node{Op: "Mul", In: []string{"b", "w"}, Out: []string{"g"}})
		m, report := halved(model, edit.Float16{Keep: []string{"b"}, KeepOps: []string{"ne*"}})
		Expect(wiring(m)).To(ContainElements("Cast a → a/float32", "Add a/float32 w → b", "Neg b → c",
			"Mul b/float16 w/float16 → g"))
		Expect(m.Weight("w")).To(Equal(tensor.Of[float32](1, 2)))
		Expect(m.Weight("w/float16")).To(HaveField("ElementType()", tensor.Float16))
		Expect(report.String()).To(And(ContainSubstring("  kept in float32: chosen: add\n"),
			ContainSubstring("  kept in float32: operator Neg chosen: neg\n")))

		same, _ := halved(model, edit.Float16{KeepNode: func(loaders.Node) bool { return true }})
		Expect(operators(same)).NotTo(ContainElement("Cast"))
		_, _, err := edit.ToFloat16(loaders.ONNXBytes("m", model.Bytes()),
			edit.Float16{KeepOps: []string{"Conv"}})
		Expect(err).To(MatchError(ContainSubstring(`no node, tensor or operator "Conv" to keep`)))
	})

	It("converts to bfloat16, in its own range", func() {
		model := loaders.ONNXBytes("m", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "Add", In: []string{"x", "w"}, Out: []string{"a"}},
				{Op: "Mul", In: []string{"a", "w"}, Out: []string{"y"}}},
			Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{3},
				Raw: onnxtest.Float32s(1e9, 3.4e38, 1.00390625)}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1}},
		}}.Bytes())
		m, report, err := edit.ToBFloat16(model, edit.Float16{})
		Expect(err).NotTo(HaveOccurred())
		Expect(wiring(m)).To(Equal([]string{"Cast x → x/bfloat16", "Add x/bfloat16 w → a",
			"Mul a w → y/bfloat16", "Cast y/bfloat16 → y"}))
		w, err := m.Weight("w")
		Expect(err).NotTo(HaveOccurred())
		Expect(w.ElementType()).To(Equal(tensor.BFloat16))
		Expect(w.Float64s()).To(Equal([]float64{0x1.DCp29, 0x1.FEp127, 1})) // the tie goes to even
		Expect(report.String()).To(HavePrefix("bfloat16: 2 nodes, 0 kept in float32, 2 casts added\n" +
			`  clamped to 3.3895e+38: 1 values of "w", largest magnitude 3.4e+38`))
		Expect(operators(m)).To(HaveLen(4))
	})

	Context("with a BatchNormalization behind a convolution", func() {
		network := func() onnxtest.Model {
			constant := func(name string, dims []int64, values ...float32) onnxtest.Tensor {
				return onnxtest.Tensor{Name: name, Type: 1, Dims: dims, Raw: onnxtest.Float32s(values...)}
			}
			return onnxtest.Model{Graph: onnxtest.Graph{
				Nodes: []onnxtest.Node{
					{Op: "Conv", Name: "conv", In: []string{"x", "w", "b"}, Out: []string{"a"}},
					{Op: "BatchNormalization", Name: "norm", In: []string{"a", "scale", "shift", "mean", "var"},
						Out: []string{"y"}}},
				Initializers: []onnxtest.Tensor{constant("w", []int64{2, 1, 1, 1}, 1.0013, -0.50031),
					constant("b", []int64{2}, 5, 1), constant("scale", []int64{2}, 3, 0.5),
					constant("shift", []int64{2}, 1, 2), constant("mean", []int64{2}, 1, -1),
					constant("var", []int64{2}, 1, 4)},
				Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1, 1, 2, 2}}},
				Outputs: []onnxtest.Value{{Name: "y", Elem: 1}},
			}}
		}
		values := func(m *loaders.Model, name string) []float64 {
			GinkgoHelper()
			t, err := m.Weight(name)
			Expect(err).NotTo(HaveOccurred())
			return t.Float64s()
		}
		nearest := func(v float64) float64 {
			GinkgoHelper()
			t, err := tensor.Of(float32(v)).Convert(tensor.Float16)
			Expect(err).NotTo(HaveOccurred())
			return t.Float64At(0)
		}

		It("rounds each weight once, with the factor", func() {
			m, _ := halved(network(), edit.Float16{})
			first, second := 3/math.Sqrt(1+1e-5), 0.5/math.Sqrt(4+1e-5)
			Expect(values(m, "w")).To(Equal([]float64{nearest(first * float64(float32(1.0013))),
				nearest(second * float64(float32(-0.50031)))}))
			Expect(values(m, "w")[0]).NotTo(Equal(nearest(first*nearest(1.0013))), "rounded twice")
			Expect(values(m, "shift")).To(Equal([]float64{nearest(1 + first*(5-1)), nearest(2 + second*2)}))
			Expect(values(m, "b")).To(Equal([]float64{0, 0}))
			Expect(values(m, "scale")).To(Equal([]float64{1, 1}))
			Expect(values(m, "mean")).To(Equal([]float64{0, 0}))
			Expect(values(m, "var")).To(Equal([]float64{1, 1})) // and epsilon
		})

		DescribeTable("leaves the weights", func(change func(*onnxtest.Model), o edit.Float16) {
			model := network()
			change(&model)
			m, _ := halved(model, o)
			Expect(values(m, "w")[1]).To(BeNumerically("~", -0.50031, 1e-3))
			Expect(values(m, "scale")).To(Equal([]float64{3, 0.5}))
		},
			Entry("of a node that stays in float32", func(*onnxtest.Model) {},
				edit.Float16{KeepOps: []string{"BatchNormalization"}}),
			Entry("that another node reads", func(m *onnxtest.Model) {
				m.Graph.Nodes = append(m.Graph.Nodes,
					onnxtest.Node{Op: "Neg", In: []string{"scale"}, Out: []string{"z"}})
			}, edit.Float16{}),
			Entry("of a result that another node reads", func(m *onnxtest.Model) {
				m.Graph.Nodes = append(m.Graph.Nodes,
					onnxtest.Node{Op: "Neg", In: []string{"a"}, Out: []string{"z"}})
			}, edit.Float16{}),
			Entry("of a result that the model returns", func(m *onnxtest.Model) {
				m.Graph.Outputs = append(m.Graph.Outputs, onnxtest.Value{Name: "a", Elem: 1})
			}, edit.Float16{}),
			Entry("before statistics of the batch", func(m *onnxtest.Model) {
				one := int64(1)
				m.Graph.Nodes[1].Attrs = []onnxtest.Attr{{Name: "training_mode", Int: &one}}
			}, edit.Float16{}),
			Entry("that would leave float16's range", func(m *onnxtest.Model) {
				m.Graph.Initializers[0].Raw = onnxtest.Float32s(60000, -0.50031)
			}, edit.Float16{}),
		)
	})

	It("reports values outside float16's range, and keeps an epsilon above zero", func() {
		m, report := halved(onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "Add", In: []string{"x", "big"}, Out: []string{"a"}},
				{Op: "Add", In: []string{"a", "tiny"}, Out: []string{"b"}},
				{Op: "Div", In: []string{"b", "epsilon"}, Out: []string{"y"}}},
			Initializers: []onnxtest.Tensor{
				{Name: "big", Type: 1, Dims: []int64{4}, Raw: onnxtest.Float32s(1e9, -65520, 65519,
					float32(math.Inf(-1)))},
				{Name: "tiny", Type: 1, Dims: []int64{2}, Raw: onnxtest.Float32s(1e-12, 3)},
				{Name: "epsilon", Type: 1, Raw: onnxtest.Float32s(1e-12)}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1}},
		}}, edit.Float16{})
		big, err := m.Weight("big")
		Expect(err).NotTo(HaveOccurred())
		Expect(big.Float64s()).To(Equal([]float64{65504, -65504, 65504, math.Inf(-1)}))
		tiny, err := m.Weight("tiny")
		Expect(err).NotTo(HaveOccurred())
		Expect(tiny.Float64s()).To(Equal([]float64{0, 3}))
		epsilon, err := m.Weight("epsilon")
		Expect(err).NotTo(HaveOccurred())
		Expect(epsilon.Float64s()).To(Equal([]float64{0x1p-24}))
		Expect(report.String()).To(Equal("float16: 3 nodes, 0 kept in float32, 2 casts added\n" +
			"  clamped to 65504: 2 values of \"big\", largest magnitude 1e+09\n" +
			"  flushed to zero: 1 values of \"tiny\", smallest magnitude 1e-12\n" +
			"  1 value of \"epsilon\", magnitude 1e-12, was rounded up to 5.9605e-08 instead of to 0\n"))
	})

	It("keeps a node's omitted inputs and outputs omitted", func() {
		state := onnxtest.Tensor{Name: "w", Type: 1, Dims: []int64{1, 4, 1},
			Raw: onnxtest.Float32s(1, 2, 3, 4)}
		hidden := int64(1)
		m, report := halved(onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "Clip", In: []string{"x", "", "six"}, Out: []string{"c"}},
				{Op: "LSTM", In: []string{"c", "w", "w", "", "", "h"}, Out: []string{"", "y"},
					Attrs: []onnxtest.Attr{{Name: "hidden_size", Int: &hidden}}}},
			Initializers: []onnxtest.Tensor{state,
				{Name: "six", Type: 1, Raw: onnxtest.Float32s(6)},
				{Name: "h", Type: 1, Dims: []int64{1, 1, 1}, Raw: onnxtest.Float32s(0)},
				{Type: 1, Raw: onnxtest.Float32s(7)}}, // without a name, and no input's value
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1, 1, 1}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1}},
		}}, edit.Float16{})
		Expect(wiring(m)).To(Equal([]string{"Cast x → x/float16", "Clip x/float16  six → c",
			"LSTM c w w   h →  y/float16", "Cast y/float16 → y"}))
		Expect(report.Half).To(Equal(2))
	})

	It("leaves arithmetic on shapes in float32, and the scales of a Resize", func() {
		to := func(elem int64) []onnxtest.Attr { return []onnxtest.Attr{{Name: "to", Int: &elem}} }
		m, report := halved(onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "Shape", In: []string{"x"}, Out: []string{"s"}},
				{Op: "Cast", In: []string{"s"}, Out: []string{"f"}, Attrs: to(1)},
				{Op: "Mul", In: []string{"f", "two"}, Out: []string{"g"}},
				{Op: "Cast", In: []string{"g"}, Out: []string{"i"}, Attrs: to(7)},
				{Op: "Resize", In: []string{"x", "", "", "i"}, Out: []string{"r"}},
				{Op: "Resize", In: []string{"r", "", "two"}, Out: []string{"y"}},
				{Op: "Cast", In: []string{"s"}, Out: []string{"h"}, Attrs: to(1)},
				{Op: "ConstantOfShape", In: []string{"s"}, Out: []string{"zero"}},
				{Op: "Add", In: []string{"h", "zero"}, Out: []string{"z"}}},
			Initializers: []onnxtest.Tensor{
				{Name: "two", Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(2)}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"n"}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1}, {Name: "z", Elem: 1}},
		}}, edit.Float16{})
		Expect(wiring(m)).To(ContainElements("Cast s → f", "Mul f two → g", "Cast g → i",
			"Resize x/float16   i → r", "Resize r  two → y/float16", "Add h zero → z/float16"))
		Expect(report.Kept).To(ConsistOf(HaveField("Reason", "shapes and indices")))
		described, err := describe.Of(m, false)
		Expect(err).NotTo(HaveOccurred())
		types := map[string]string{}
		for _, n := range described.Nodes {
			if n.Op == "Cast" {
				types[n.Outputs[0]] = n.Attributes[0].Text
			}
			if n.Op == "ConstantOfShape" {
				Expect(n.Attributes).To(ConsistOf(HaveField("Name", "value")))
			}
		}
		Expect(types).To(And(HaveKeyWithValue("f", "1"), HaveKeyWithValue("h", "10")))
	})

	It("takes a graph that is not sorted", func() {
		chain := onnxtest.Chain()
		slices.Reverse(chain.Graph.Nodes)
		m, report := halved(chain, edit.Float16{})
		Expect(report).To(And(HaveField("Half", 6), HaveField("Casts", 5)))
		Expect(wiring(m)).To(ContainElement("Add a w → b"))
	})

	It("rejects an opset that names types by text, and a tensor of unknown type", func() {
		old := onnxtest.Chain()
		old.Opsets = map[string]int64{"": 5}
		_, _, err := edit.ToFloat16(loaders.ONNXBytes("m", old.Bytes()), edit.Float16{})
		Expect(err).To(MatchError(ContainSubstring("opset 5: conversion to float16 requires opset 6")))
		strange := onnxtest.Chain()
		strange.Graph.Nodes[0].Domain = "elsewhere"
		_, _, err = edit.ToFloat16(loaders.ONNXBytes("m", strange.Bytes()), edit.Float16{})
		Expect(err).To(MatchError(ContainSubstring(
			`node "add" (Add): the type of input "a" is unknown; infer types first`)))
		strange.Graph.Values = append(strange.Graph.Values, onnxtest.Value{Name: "a", Elem: 1})
		m, _ := halved(strange, edit.Float16{})
		Expect(wiring(m)).To(ContainElements("Relu x → a", "Cast a → a/float16"))
	})

	It("knows every ONNX operator without float16", func() {
		python := pythontest.With(GinkgoT(), "onnx")
		said, err := exec.Command(python, "testdata/float32_only.py").CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(said))
		Expect(string(said)).To(Equal(edit.OnlyFloat32()))
	})
})
