package edit

import (
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// use is a [loaders.Use] before its field Addends is known, which depends on the constant's shape.
type use struct {
	loaders.Use
	transposed bool // Gemm's transA or transB
}

// usesOf returns the nodes that read each tensor, in any graph or function of the model.
func usesOf(m *loaders.Model) (map[string][]use, error) {
	uses := map[string][]use{}
	return uses, m.File().EveryNode(func(n *onnxwire.Node, r *onnxwire.Reader) {
		var attributes onnxwire.Attributes
		if n.Op == "Gemm" {
			attributes = r.AttributesByName(n.Span)
		}
		for i, name := range n.Inputs {
			if name != "" {
				uses[name] = append(uses[name], use{loaders.Use{Op: n.Op, Input: i},
					i == 0 && attributes.Integer("transA", 0) != 0 ||
						i == 1 && attributes.Integer("transB", 0) != 0})
			}
		}
	})
}

// addends returns the length of the dot product that computes one element of the node's output, if
// the node's weights have the given shape.
func (u use) addends(shape tensor.Shape) int {
	rank := len(shape)
	rest := func(from int) int {
		n, _ := shape[from:].Elements() // cannot fail: the tensor's size bounds it
		return n
	}
	switch {
	case u.Op == "Conv" && u.Input == 1 && rank > 1:
		return rest(1)
	case u.Op == "ConvTranspose" && u.Input == 1 && rank > 2:
		return shape[0] * rest(2)
	case u.Op == "Gemm" && u.Input < 2 && rank == 2:
		if (u.Input == 0) != u.transposed {
			return shape[1]
		}
		return shape[0]
	case u.Op == "MatMul" && u.Input == 0 && rank > 0:
		return shape[rank-1]
	case u.Op == "MatMul" && u.Input == 1 && rank > 0:
		return shape[max(0, rank-2)]
	case (u.Op == "LSTM" || u.Op == "GRU" || u.Op == "RNN") && (u.Input == 1 || u.Input == 2) &&
		rank == 3:
		return shape[2]
	}
	return 0
}
