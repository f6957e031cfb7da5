package loaders_test

import (
	"testing"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// FuzzTransforms changes whatever loads in every way there is: what comes out loads again.
func FuzzTransforms(f *testing.F) {
	f.Add(chain().Bytes())
	f.Add(whole().Bytes())
	f.Add(scattered().Bytes())
	f.Add(products().Bytes())
	for _, m := range bareNodes() {
		f.Add(m.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		model := loaders.ONNXBytes("fuzz", data)
		inputs, err := model.Inputs()
		if err != nil {
			return
		}
		names, err := model.TensorNames()
		if err != nil {
			return
		}
		loads := func(what string, changed *loaders.Model, err error) {
			if err != nil {
				return
			}
			if err := changed.Load(); err != nil {
				t.Fatalf("after %s it does not load: %v", what, err)
			}
		}
		half, report, err := model.ToFloat16(loaders.Float16{})
		loads("ToFloat16", half, err)
		_ = report.String()
		clean, err := model.Cleanup()
		loads("Cleanup", clean, err)
		sorted, err := model.Sorted()
		loads("Sorted", sorted, err)
		pruned, _, err := model.Prune(loaders.Pruning{})
		loads("Prune", pruned, err)
		pruned, _, err = model.Prune(loaders.Pruning{Channels: 0.5})
		loads("Prune", pruned, err)
		stripped, _, err := model.StripWeights()
		loads("StripWeights", stripped, err)
		filled, _, err := model.ReconstructWeights(1)
		loads("ReconstructWeights", filled, err)
		_, _ = model.Sparsity()
		_, _ = model.UnboundedShapes()
		_ = model.Constants(func(loaders.Constant) error { return nil })
		declared, err := model.DeclaredBy(model)
		loads("DeclaredBy", declared, err)
		if shapes, err := model.StaticShapes(); err == nil {
			folded, err := model.WithConstants(shapes...)
			loads("WithConstants", folded, err)
		}
		if foldable, err := model.Foldable(nil); err == nil && len(foldable) > 0 {
			folded, err := model.WithConstants(tensor.Entry{Name: foldable[0],
				Tensor: tensor.Of[float32](1)})
			loads("WithConstants", folded, err)
		}
		shapes := map[string][]loaders.Dim{}
		for _, v := range inputs {
			shapes[v.Name] = []loaders.Dim{{Size: 3}}
		}
		shaped, err := model.WithInputShapes(shapes)
		loads("WithInputShapes", shaped, err)
		for name := range names {
			other, err := model.WithOutputs(named(name)...)
			loads("WithOutputs", other, err)
			between, err := model.Insert(loaders.InsertedNode{Op: "Neg", Inputs: []string{name},
				Outputs: []string{name}})
			loads("Insert", between, err)
			break
		}
	})
}

// bareNodes are models with a node of each operator that some change looks at, with fewer inputs
// or outputs than it has, or with none.
func bareNodes() (models []onnxtest.Model) {
	for _, op := range []string{"Constant", "ConstantOfShape", "Identity", "Cast", "Shape", "Reshape",
		"Resize", "QuantizeLinear", "DequantizeLinear", "Conv", "ConvTranspose", "Gemm", "MatMul",
		"LSTM", "If", "Loop", "Scan", "NonMaxSuppression", "TopK", "Clip", "Dropout"} {
		for _, n := range []onnxtest.Node{
			{Op: op}, {Op: op, Out: []string{"y"}}, {Op: op, Out: []string{""}},
			{Op: op, In: []string{"x"}}, {Op: op, In: []string{"", ""}, Out: []string{"y", ""}},
		} {
			models = append(models, onnxtest.Model{Graph: onnxtest.Graph{
				Nodes: []onnxtest.Node{n, {Op: "Relu", In: []string{"x"}, Out: []string{"z"}}},
				Initializers: []onnxtest.Tensor{
					{Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(1)}}, // without a name
				Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1}}},
				Outputs: []onnxtest.Value{{Name: "z", Elem: 1, Dims: []any{1}}}}})
		}
	}
	return models
}
