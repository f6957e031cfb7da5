package trtabi

import "slices"

// Tactic is one implementation of a layer (IAlgorithm; removed in TensorRT 11). Two equal tactics
// of a layer use the same kernel with the same layouts of inputs and outputs.
type Tactic struct {
	Implementation, Tactic int64 // valid in one release of TensorRT only
	Inputs, Outputs        []TacticTensor
}

// TacticTensor is the layout of an input or output in a tactic (IAlgorithmIOInfo).
type TacticTensor struct {
	Type          DataType
	Strides       []int // in elements; a vector counts as one element
	VectorizedDim int   // the dimension that is split into vectors, or -1
	Components    int   // elements per vector; 1 without vectors
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
