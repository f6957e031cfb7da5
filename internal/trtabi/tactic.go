package trtabi

import "slices"

// Tactic is one implementation of a layer (IAlgorithm; removed in TensorRT 11). Equal tactics of a
// layer use the same kernel with the same input and output layouts.
type Tactic struct {
	Implementation, Tactic int64 // specific to one release of TensorRT
	Inputs, Outputs        []TacticTensor
}

// TacticTensor is a tactic's layout of an input or output (IAlgorithmIOInfo).
type TacticTensor struct {
	Type          DataType
	Strides       []int // in elements; a vector counts as one
	VectorizedDim int   // the dimension that is split into vectors; -1 without
	Components    int   // elements in a vector; 1 without
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
