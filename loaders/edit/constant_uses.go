package edit

import (
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// use is a [loaders.Use] whose Addends are computed later, when the constant's shape is known.
type use struct {
	op         string
	input      int
	transposed bool // Gemm's transA or transB
}

// findUses records which nodes read which tensor names.
func (r *replacing) findUses(span onnxwire.Span, kind onnxwire.Message) error {
	return onnxwire.Walk(r.source, span, func(f onnxwire.Field) error {
		member := kind.Member(f.Number)
		switch member {
		case onnxwire.NodeMessage:
			n, err := onnxwire.NewReader(r.source).Node(f.Body)
			if err != nil {
				return err
			}
			if err := r.noteUses(&n); err != nil {
				return err
			}
		case onnxwire.OtherMessage, onnxwire.TensorMessage, onnxwire.SparseTensorMessage,
			onnxwire.TrainingMessage:
			return nil
		}
		return r.findUses(f.Body, member)
	})
}

func (r *replacing) noteUses(n *onnxwire.Node) error {
	transposed := map[string]bool{}
	if n.Op == "Gemm" {
		attributes, err := onnxwire.Attributes(r.source, n.Span)
		if err != nil {
			return err
		}
		for _, a := range attributes {
			transposed[a.Name] = a.Text != "0"
		}
	}
	for i, name := range n.Inputs {
		if name != "" {
			r.uses[name] = append(r.uses[name], use{n.Op, i,
				i == 0 && transposed["transA"] || i == 1 && transposed["transB"]})
		}
	}
	return nil
}

// addends returns how many products are summed for one element of the node's output, if the node's
// weights have the given shape.
func (u use) addends(shape tensor.Shape) int {
	rank := len(shape)
	rest := func(from int) int { // cannot overflow: the tensor's size bounds it
		n := 1
		for _, d := range shape[from:] {
			n *= d
		}
		return n
	}
	switch {
	case u.op == "Conv" && u.input == 1 && rank > 1:
		return rest(1)
	case u.op == "ConvTranspose" && u.input == 1 && rank > 2:
		return shape[0] * rest(2)
	case u.op == "Gemm" && u.input < 2 && rank == 2:
		if (u.input == 0) != u.transposed {
			return shape[1]
		}
		return shape[0]
	case u.op == "MatMul" && u.input == 0 && rank > 0:
		return shape[rank-1]
	case u.op == "MatMul" && u.input == 1 && rank > 0:
		return shape[max(0, rank-2)]
	case (u.op == "LSTM" || u.op == "GRU" || u.op == "RNN") && (u.input == 1 || u.input == 2) &&
		rank == 3:
		return shape[2]
	}
	return 0
}
