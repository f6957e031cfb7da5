package ort

import (
	"slices"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// looked is the number of iterations whose input shapes are compared.
const looked = 4

// varying reports whether the shapes of the inputs change from iteration to iteration, as a
// decoder's do. ONNX Runtime keeps a memory plan of some kilobytes for each combination of shapes
// and never frees it. If combinations rarely repeat, these plans are a leak.
func varying(declared []loaders.Value, inputs fixtures.Inputs) bool {
	if !slices.ContainsFunc(declared, dynamic) {
		return false
	}
	var first *tensor.Set
	seen := 0
	for set, err := range inputs.All() {
		if err != nil { // the run reports the error
			return false
		}
		if first == nil {
			first = set
		} else if !sameShapes(first, set) {
			return true
		}
		if seen++; seen == looked {
			return false
		}
	}
	return false
}

func dynamic(v loaders.Value) bool {
	return !v.HasShape || slices.ContainsFunc(v.Dims, loaders.Dim.Dynamic)
}

func sameShapes(a, b *tensor.Set) bool {
	for name, t := range a.All() {
		other, ok := b.Get(name)
		if !ok || !slices.Equal(t.Shape(), other.Shape()) {
			return false
		}
	}
	return a.Len() == b.Len()
}
