package loaders

import (
	"math/big"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Constant is a tensor stored in a model: an initializer, the value of a Constant node, or a tensor
// in another node's attribute. It can be in the graph, in the body of an If, Loop or Scan, or in a
// function.
type Constant struct {
	// Name is the initializer's name, or the name of the first output of the node that stores the
	// tensor.
	Name string
	// Values contains the data. For a sparse tensor, it contains only the stored values, without the
	// zeros. Nothing else uses the values, so the receiver may modify them.
	Values *tensor.Tensor
	// Uses lists the nodes that read a tensor with this name, in any graph or function of the model.
	Uses []Use
}

// Use is an input of a node that reads a constant.
type Use struct {
	Op    string
	Input int
	// Addends is the length of the dot product that computes each element of the node's output. It
	// is set if the constant is the weight of a Conv, ConvTranspose, Gemm, MatMul, LSTM, GRU or
	// RNN, and otherwise 0.
	Addends int
}

// settings lists, for each operator, the inputs that configure the computation, such as Resize's
// factor. Perturbing them would change shapes or cause errors that rounding never causes, such as
// roots of negative numbers.
var settings = map[string][]int{
	"Resize": {1, 2}, "Upsample": {1}, "Range": {0, 1, 2}, "Pow": {1}, "Mod": {0, 1},
	"NonMaxSuppression": {3, 4}, "Dropout": {1}, "Equal": {0, 1}, "OneHot": {1, 2},
}

// IsSetting reports whether a constant configures the computation instead of taking part in its
// arithmetic. A constant is a setting if a node reads it as one, such as Resize's factor, or if it
// is a single number of at most 8 significant bits, such as the exponent 2. Code that perturbs or
// rounds weights must leave settings alone.
func (c Constant) IsSetting() bool {
	sets := func(u Use) bool { return slices.Contains(settings[u.Op], u.Input) }
	return slices.ContainsFunc(c.Uses, sets) || c.Values.Len() == 1 && isShort(c.Values.Float64At(0))
}

func isShort(v float64) bool {
	if v-v != 0 { // not finite
		return true
	}
	return new(big.Float).SetFloat64(v).MinPrec() <= 8
}
