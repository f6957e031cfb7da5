package tract

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxwire"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Some operators in tract need to know an input before the run, such as the axes of a sum or the
// shape of a Reshape. If the operator reads an input of the model, the model is prepared for the
// input's value in the current iteration: an initializer with the input's name, appended to the
// model's bytes, turns the input into a constant.

// wanted describes the inputs for which a model is to be prepared: their types, their shapes, and
// which of them are constants.
type wanted struct {
	facts        []abi.Fact
	values       []*tensor.Tensor // nil before the first iteration is known
	fed          []int            // indices of the inputs that stay inputs
	initializers []byte           // the constants, encoded as part of a model
}

// wantedFor describes inputs with these types and shapes. None of these inputs is a constant.
func wantedFor(facts []abi.Fact, values []*tensor.Tensor) wanted {
	w := wanted{facts: facts, values: values}
	for i := range facts {
		w.fed = append(w.fed, i)
	}
	return w
}

// key returns a text that identifies the wanted plan among a model's plans.
func (w wanted) key() string { return fmt.Sprint(w.facts, w.fed) + string(w.initializers) }

// at returns the items of a list at the given indices.
func at[T any](list []T, indices []int) []T {
	selected := make([]T, len(indices))
	for i, from := range indices {
		selected[i] = list[from]
	}
	return selected
}

// mostConstant is the largest number of elements in an input that may be turned into a constant.
// Lists of axes and sizes are short; longer inputs are data.
const mostConstant = 1024

// constants lists functions that select the inputs to turn into constants. The functions are tried
// in order, until the operators have all the values that they need. The first function selects
// short lists of integers; the second adds single floating-point numbers; the third adds short
// lists of them.
var constants = []func(v *tensor.Tensor) bool{
	func(v *tensor.Tensor) bool { return small(v) && integer(v) },
	func(v *tensor.Tensor) bool { return small(v) && (integer(v) || len(v.Shape()) == 0) },
	small,
}

func integer(v *tensor.Tensor) bool { return !v.ElementType().IsFloat() }

// allSizes reports whether all values look like sizes: 0-d numbers and lists of integers.
func allSizes(values []*tensor.Tensor) bool {
	return !slices.ContainsFunc(values, func(v *tensor.Tensor) bool {
		return !integer(v) && len(v.Shape()) > 0
	})
}

func small(v *tensor.Tensor) bool {
	return len(v.Shape()) == 0 || len(v.Shape()) == 1 && v.Shape()[0] <= mostConstant
}

// withConstants turns each input for which fixes returns true into a constant. ok is false if the
// result does not have more constants than w. ok is also false if every input becomes a constant,
// unless all inputs look like sizes: some models compute only with sizes.
func (w wanted) withConstants(inputs []loaders.Value, fixes func(*tensor.Tensor) bool) (
	fixed wanted, ok bool) {
	fixed = wanted{facts: w.facts, values: w.values}
	var graph []byte
	for i, v := range w.values {
		if !fixes(v) {
			fixed.fed = append(fixed.fed, i)
			continue
		}
		constant, _ := onnxpb.Append(nil, inputs[i].Name, v) // ONNX has all types that tract supports
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphInitializer, constant)
	}
	fixed.initializers = onnxwire.AppendMessage(nil, onnxwire.ModelGraph, graph)
	more := len(w.values) > 0 && len(fixed.fed) < len(w.fed)
	return fixed, more && (len(fixed.fed) > 0 || allSizes(w.values))
}

// needsConstant reports whether err means that an operator needs the value of an input before the
// run.
func needsConstant(err error) bool {
	var refused *backends.Refusal
	return errors.As(err, &refused) && refused.Reason == backends.NeedsConstant
}
