package trtabi

import (
	"fmt"
	"slices"
	"strings"
)

// Tactic is one implementation of a layer (IAlgorithm; removed in TensorRT 11). Two equal tactics
// of a layer use the same kernel with the same layouts of inputs and outputs.
type Tactic struct {
	// Implementation and Tactic are valid in one release of TensorRT only.
	Implementation int64          `json:"implementation"`
	Tactic         int64          `json:"tactic"`
	Inputs         []TacticTensor `json:"inputs"`
	Outputs        []TacticTensor `json:"outputs"`
}

// TacticTensor is the element type and memory layout of an input or output in a tactic
// (IAlgorithmIOInfo).
type TacticTensor struct {
	Type    DataType `json:"type"`
	Strides []int    `json:"strides"` // in elements; a vector counts as one element
	// VectorizedDim is the dimension that is split into vectors, or -1. Components is the number of
	// elements in a vector.
	VectorizedDim int `json:"vectorized_dim"`
	Components    int `json:"components_per_element"`
}

// Equal reports whether two tactics are identical.
func (t Tactic) Equal(u Tactic) bool {
	return t.Implementation == u.Implementation && t.Tactic == u.Tactic &&
		slices.EqualFunc(t.Inputs, u.Inputs, TacticTensor.equal) &&
		slices.EqualFunc(t.Outputs, u.Outputs, TacticTensor.equal)
}

func (t TacticTensor) equal(u TacticTensor) bool {
	return t.Type == u.Type && slices.Equal(t.Strides, u.Strides) &&
		t.VectorizedDim == u.VectorizedDim && t.Components == u.Components
}

// String returns the tactic as one line.
func (t Tactic) String() string {
	return fmt.Sprintf("implementation %d, tactic %d, %v -> %v", t.Implementation, t.Tactic,
		t.Inputs, t.Outputs)
}

// String returns the type and the strides: FLOAT(784,784,28,1). If dimension 1 is packed into
// vectors of 8 elements, it returns HALF(25088,784,28,1)/1:8.
func (t TacticTensor) String() string {
	strides := strings.ReplaceAll(strings.Trim(fmt.Sprint(t.Strides), "[]"), " ", ",")
	text := t.Type.String() + "(" + strides + ")"
	if t.VectorizedDim >= 0 {
		text += fmt.Sprintf("/%d:%d", t.VectorizedDim, t.Components)
	}
	return text
}
