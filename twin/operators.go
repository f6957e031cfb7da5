package twin

import (
	"slices"
	"strconv"

	"github.com/modelparity/modelparity/loaders"
)

// kind is what a tensor of the model is to its twin.
type kind uint8

const (
	plain      kind = iota // integers, bools, strings: shapes, indices and masks, kept as they are
	activation             // multiples of the unit
	constant               // a float constant, which gets its values by its role
)

// role is what a constant is used for, which says what values it gets.
type role struct {
	what rank
	axis int // of a weight: along it lie the outputs; -1 is the last, -2 the one before
}

type rank uint8

const (
	none     rank = iota
	weight        // small integers, few for each output
	factor        // 1 or -1 for each element
	addend        // multiples of the unit
	negative      // the same, which is subtracted
	ones
	zeros
	variance // so that 1 divided by its root with ε added is 1
)

// moving are operators whose results are elements of their inputs, or sums and maxima of them. Sums
// of magnitudes bound what they give, and none of them rounds.
var moving = []string{"Identity", "Dropout", "Reshape", "Flatten", "Transpose", "Squeeze",
	"Unsqueeze", "Slice", "Split", "Gather", "GatherElements", "GatherND", "Expand", "Tile",
	"DepthToSpace", "SpaceToDepth", "MaxPool", "GlobalMaxPool", "ReduceMax", "ReduceSum", "Relu",
	"Concat", "Max", "Where", "Pad", "Abs", "Sum", "Add", "Sub", "Conv", "ConvTranspose", "Gemm",
	"MatMul", "Mul", "PRelu", "BatchNormalization"}

// passing are the operators that hand a constant on as it is, but for its shape.
var passing = []string{"Identity", "Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze"}

// roles says what the constants of a node are used for, by the input; ok is false for a node that
// the twin leaves out.
func roles(n *loaders.DescribedNode, kinds []kind) (list map[int]role, ok bool) {
	attribute := func(name string, otherwise float64) float64 {
		for _, a := range n.Attributes {
			if a.Name == name {
				v, err := strconv.ParseFloat(a.Text, 64)
				if err != nil {
					return -1
				}
				return v
			}
		}
		return otherwise
	}
	of := func(i int) kind {
		if i < len(kinds) {
			return kinds[i]
		}
		return plain
	}
	list = map[int]role{}
	use := func(i int, r role) {
		if of(i) == constant {
			list[i] = r
		}
	}
	switch n.Op {
	case "Conv", "ConvTranspose":
		axis := 0
		if n.Op == "ConvTranspose" {
			axis = 1
		}
		use(1, role{weight, axis})
		use(2, role{what: addend})
		return list, of(0) == activation && of(1) == constant && of(2) != activation
	case "Gemm":
		use(0, role{weight, int(attribute("transA", 0))})
		use(1, role{weight, 1 - int(attribute("transB", 0))})
		use(2, role{what: addend})
		return list, attribute("alpha", 1) == 1 && attribute("beta", 1) == 1 && one(of(0), of(1))
	case "MatMul":
		use(0, role{weight, -2})
		use(1, role{weight, -1})
		return list, one(of(0), of(1))
	case "Mul":
		use(0, role{what: factor})
		use(1, role{what: factor})
		return list, one(of(0), of(1))
	case "PRelu":
		use(1, role{what: factor})
		return list, one(of(0), of(1)) && of(0) == activation
	case "BatchNormalization":
		for i, what := range []rank{none, ones, addend, zeros, variance} {
			use(i, role{what: what})
		}
		return list, of(0) == activation && len(list) == 4 && attribute("training_mode", 0) == 0 &&
			len(n.Outputs) == 1
	case "Sub":
		use(1, role{what: negative})
		return list, of(0) == activation && of(1) == constant
	case "MaxPool", "Dropout":
		return list, len(n.Outputs) == 1 || n.Outputs[1] == ""
	}
	for i := range kinds {
		use(i, role{what: addend})
	}
	return list, true
}

// one reports whether one of two factors is an activation and the other a constant.
func one(a, b kind) bool {
	return a == activation && b == constant || a == constant && b == activation
}

// isMoving reports whether the twin may cover the node, by its operator.
func isMoving(n *loaders.DescribedNode) bool {
	return n.Domain == "" && len(n.Captured) == 0 && slices.Contains(moving, n.Op)
}

// floats are the numbers of float types in ONNX, for Cast.
var floats = []string{"1", "10", "11", "16"}

// keeps reports whether a node that no activation and no float constant enters may stay as it is.
func keeps(n *loaders.DescribedNode) bool {
	switch n.Op {
	case "Shape", "Size", "Range", "Gather", "Concat", "Unsqueeze", "Squeeze", "Slice", "Add", "Sub",
		"Mul", "Div", "Mod", "Equal", "Less", "Greater", "Not", "And", "Or", "Where", "Reshape",
		"ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin", "Min", "Max", "Expand", "Tile",
		"Identity", "Transpose", "NonZero", "GatherElements", "GatherND", "Abs", "Neg", "Split":
		return n.Domain == ""
	case "Cast":
		for _, a := range n.Attributes {
			if a.Name == "to" {
				return n.Domain == "" && !slices.Contains(floats, a.Text)
			}
		}
	}
	return false
}
