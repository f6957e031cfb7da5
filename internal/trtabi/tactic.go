package trtabi

import "slices"

// Tactic is one implementation of a layer (IAlgorithm; gone in TensorRT 11). Equal tactics of a
// layer compute it by the same kernel from and to the same layouts.
type Tactic struct {
	Implementation, Tactic int64 // numbers that mean something within one release alone
	Inputs, Outputs        []TacticTensor
}

// TacticTensor is how a tactic holds an input or output (IAlgorithmIOInfo).
type TacticTensor struct {
	Type          DataType
	Strides       []int // in elements, those of a vector counted as one
	VectorizedDim int   // the dimension that is split into vectors; -1 without
	Components    int   // elements in a vector; 1 without
}

// Equal reports whether all of two tactics is the same.
func (t Tactic) Equal(u Tactic) bool {
	return t.Implementation == u.Implementation && t.Tactic == u.Tactic &&
		slices.EqualFunc(t.Inputs, u.Inputs, TacticTensor.equal) &&
		slices.EqualFunc(t.Outputs, u.Outputs, TacticTensor.equal)
}

func (t TacticTensor) equal(u TacticTensor) bool {
	return t.Type == u.Type && slices.Equal(t.Strides, u.Strides) &&
		t.VectorizedDim == u.VectorizedDim && t.Components == u.Components
}
