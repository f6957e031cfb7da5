package ort_test

import (
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

const float, boolean = 1, 9 // ONNX's numbers of element types

// digits is a small convolutional net that was really trained.
var digits = loaders.ONNX("../../example_test/digits/testdata/digits.onnx")

// branch holds its Det inside a branch, where ONNX Runtime's own check does not look.
var branch = loaders.ONNXBytes("branch.onnx", onnxtest.Model{Graph: onnxtest.Graph{
	Nodes: []onnxtest.Node{{Op: "If", Name: "if", In: []string{"c"}, Out: []string{"y"},
		Attrs: []onnxtest.Attr{
			{Name: "then_branch", Graph: inBranch("Det", "det")},
			{Name: "else_branch", Graph: inBranch("ReduceSum", "sum",
				onnxtest.Attr{Name: "keepdims", Int: new(int64)})}}}},
	Inputs: []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{4, 4}},
		{Name: "c", Elem: boolean, Dims: []any{}}},
	Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{}}},
}}.Bytes())

func inBranch(op, name string, attrs ...onnxtest.Attr) *onnxtest.Graph {
	return &onnxtest.Graph{Name: name,
		Nodes: []onnxtest.Node{
			{Op: op, Name: name, In: []string{"x"}, Out: []string{name}, Attrs: attrs}},
		Outputs: []onnxtest.Value{{Name: name, Elem: float, Dims: []any{}}}}
}
