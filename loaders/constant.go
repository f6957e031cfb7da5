package loaders

import (
	"math/big"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Constant is a tensor that a model holds: an initializer, the value of a Constant node, or a
// tensor in another node's attribute, in the graph, in the body of an If, Loop or Scan, or in a
// function.
type Constant struct {
	// Name is the initializer's, or that of the first output of the node that holds the tensor.
	Name string
	// Values are the values of a sparse tensor without its zeros.
	Values *tensor.Tensor
	// Owned says that Values were read for this constant alone, so that they may be written to and
	// returned.
	Owned bool
	// Uses are the nodes that read a tensor of this name, in any graph or function of the model.
	Uses []Use
}

// Use is one input of a node.
type Use struct {
	Op    string
	Input int
	// Addends is how many products each element of the node's output adds up, where a Conv,
	// ConvTranspose, Gemm, MatMul, LSTM, GRU or RNN takes the constant for its weights; otherwise 0.
	Addends int
}

// settings are inputs of nodes that say what to compute, such as the factor of a size. Moving them
// would change shapes or take roots of negative numbers, which is not rounding.
var settings = map[string][]int{
	"Resize": {1, 2}, "Upsample": {1}, "Range": {0, 1, 2}, "Pow": {1}, "Mod": {0, 1},
	"NonMaxSuppression": {3, 4}, "Dropout": {1}, "Equal": {0, 1}, "OneHot": {1, 2},
}

// IsSetting reports whether a constant says what to compute, rather than with which numbers: by its
// use, or because it is a single number of no more than 8 significant bits, such as an exponent of
// 2 or a factor of 0.5. Whoever moves or rounds the weights of a model leaves it alone.
func (c Constant) IsSetting() bool {
	for _, u := range c.Uses {
		if slices.Contains(settings[u.Op], u.Input) {
			return true
		}
	}
	return c.Values.Len() == 1 && isShort(c.Values.Float64At(0))
}

func isShort(v float64) bool {
	if v-v != 0 { // not finite
		return true
	}
	return new(big.Float).SetFloat64(v).MinPrec() <= 8
}
