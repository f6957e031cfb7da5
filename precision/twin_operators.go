package precision

import (
	"slices"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/names"
)

// kind says which values a tensor of the model has in the integer version of the model ([Twin]).
type kind uint8

const (
	untouched  kind = iota // integers, bools and strings (shapes, indices, masks); stays unchanged
	activation             // multiples of the unit
	constant               // a float constant, whose values depend on its role
)

// usage is how a node uses a constant, for example as a weight or an addend. It determines which
// integers replace the constant's values in the integer version of the model ([Twin]).
type usage struct {
	what integers
	axis int // a weight's axis of outputs; negative axes count from the end
}

// integers says which integers replace the values of a constant in the integer version of the model
// ([Twin]).
type integers uint8

const (
	noValues integers = iota
	sparse            // small integers, most of them zero
	factor            // 1 or -1 per element
	addend            // multiples of the unit
	negative          // multiples of the unit, which are subtracted
	ones
	zeros
	variance // chosen so that 1/√(variance+ε) is 1
)

// summing is the set of operators that only copy, add, multiply or take a maximum. In the integer
// version of a model ([Twin]), they multiply only by weights and factors, which are 1, 0 or -1. All
// other values are multiples of the unit ([Twin.Unit]), so each result is a multiple of the unit
// too. float32 represents the result exactly if the sum of the magnitudes is small enough.
var summing = names.Words(`Abs Add BatchNormalization Concat Conv ConvTranspose DepthToSpace Dropout
	Expand Flatten Gather GatherElements GatherND Gemm GlobalMaxPool Identity MatMul Max MaxPool Mul
	PRelu Pad ReduceMax ReduceSum Relu Reshape Slice SpaceToDepth Split Squeeze Sub Sum Tile
	Transpose Unsqueeze Where`)

// handing is the set of operators whose output has the same elements as their input, perhaps in a
// different shape or order.
var handing = names.Words(`Flatten Identity Reshape Squeeze Transpose Unsqueeze`)

// usages returns how a node uses its constants, by the index of the input. ok is false if the
// integer version of the model must omit the node.
func usages(n *describe.Node, kinds []kind) (list map[int]usage, ok bool) {
	of := func(i int) kind {
		if i < len(kinds) {
			return kinds[i]
		}
		return untouched
	}
	list = map[int]usage{}
	use := func(i int, u usage) {
		if of(i) == constant {
			list[i] = u
		}
	}
	switch n.Op {
	case "Conv", "ConvTranspose":
		axis := 0
		if n.Op == "ConvTranspose" {
			axis = 1
		}
		use(1, usage{sparse, axis})
		use(2, usage{what: addend})
		return list, of(0) == activation && of(1) == constant && of(2) != activation
	case "Gemm":
		use(0, usage{sparse, int(n.Number("transA", 0))})
		use(1, usage{sparse, 1 - int(n.Number("transB", 0))})
		use(2, usage{what: addend})
		return list, n.Number("alpha", 1) == 1 && n.Number("beta", 1) == 1 && one(of(0), of(1))
	case "MatMul":
		use(0, usage{sparse, -2})
		use(1, usage{sparse, -1})
		return list, one(of(0), of(1))
	case "Mul":
		use(0, usage{what: factor})
		use(1, usage{what: factor})
		return list, one(of(0), of(1))
	case "PRelu":
		use(1, usage{what: factor})
		return list, one(of(0), of(1)) && of(0) == activation
	case "BatchNormalization":
		for i, what := range []integers{noValues, ones, addend, zeros, variance} {
			use(i, usage{what: what})
		}
		return list, of(0) == activation && len(list) == 4 && n.Number("training_mode", 0) == 0 &&
			len(n.Outputs) == 1
	case "Sub":
		use(1, usage{what: negative})
		return list, of(0) == activation && of(1) == constant
	case "MaxPool", "Dropout":
		return list, len(n.Outputs) == 1 || n.Outputs[1] == ""
	}
	for i := range kinds {
		use(i, usage{what: addend})
	}
	return list, true
}

// one reports whether exactly one of a and b is an activation, and the other is a constant.
func one(a, b kind) bool {
	return a == activation && b == constant || a == constant && b == activation
}

// indexing is the set of operators that compute shapes and indices. The integer version of a model
// ([Twin]) includes them unchanged if none of their inputs is an activation or a float constant.
var indexing = names.Words(`Abs Add And Concat Div Equal Expand Gather GatherElements GatherND
	Greater Identity Less Max Min Mod Mul Neg NonZero Not Or Range ReduceMax ReduceMin ReduceProd
	ReduceSum Reshape Shape Size Slice Split Squeeze Sub Tile Transpose Unsqueeze Where`)

// indexes reports whether a node computes only integers, such as shapes and indices. The integer
// version of the model includes such a node unchanged. Unless the node is a Shape or Size, none of
// its inputs may be an activation or a float constant.
func indexes(n *describe.Node) bool {
	if n.Op == "Cast" {
		floats := []float64{1, 10, 11, 16} // ONNX's numbers of float types
		return n.Domain == "" && !slices.Contains(floats, n.Number("to", 1))
	}
	return n.Domain == "" && indexing[n.Op]
}
