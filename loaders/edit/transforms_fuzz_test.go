package edit_test

import (
	"testing"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// FuzzTransforms changes whatever loads in every way there is: what comes out loads again.
func FuzzTransforms(f *testing.F) {
	f.Add(onnxtest.Chain().Bytes())
	f.Add(onnxtest.Whole().Bytes())
	f.Add(onnxtest.Scattered().Bytes())
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
		half, report, err := edit.ToFloat16(model, edit.Float16{})
		loads("ToFloat16", half, err)
		_ = report.String()
		clean, err := edit.Cleanup(model)
		loads("Cleanup", clean, err)
		sorted, err := edit.Sorted(model)
		loads("Sorted", sorted, err)
		pruned, _, err := edit.Prune(model)
		loads("Prune", pruned, err)
		stripped, _, err := edit.StripWeights(model)
		loads("StripWeights", stripped, err)
		filled, _, err := edit.ReconstructWeights(model, 1)
		loads("ReconstructWeights", filled, err)
		_, _ = describe.Sparsity(model)
		_, _ = edit.UnboundedShapes(model)
		_ = edit.Constants(model, func(loaders.Constant) error { return nil })
		declared, err := edit.DeclaredBy(model, model)
		loads("DeclaredBy", declared, err)
		if shapes, err := edit.StaticShapes(model); err == nil {
			folded, err := edit.WithConstants(model, nil, shapes...)
			loads("WithConstants", folded, err)
		}
		if foldable, err := edit.Foldable(model, nil); err == nil && len(foldable) > 0 {
			folded, err := edit.WithConstants(model, nil, tensor.Entry{Name: foldable[0],
				Tensor: tensor.Of[float32](1)})
			loads("WithConstants", folded, err)
		}
		shapes := map[string][]loaders.Dim{}
		for _, v := range inputs {
			shapes[v.Name] = []loaders.Dim{{Size: 3}}
		}
		shaped, err := edit.WithInputShapes(model, shapes)
		loads("WithInputShapes", shaped, err)
		for name := range names {
			other, err := edit.WithOutputs(model, named(name)...)
			loads("WithOutputs", other, err)
			between, err := edit.Insert(model, edit.NewNode{Op: "Neg", Inputs: []string{name},
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
