package pairing

import (
	"strings"

	"github.com/modelparity/modelparity/internal/describe"
)

// carries is the set of operators whose output has the same values as their first input, up to
// rounding and layout.
var carries = map[string]bool{"Identity": true, "Cast": true, "Dropout": true, "Reshape": true,
	"Flatten": true, "Squeeze": true, "Unsqueeze": true, "Transpose": true,
	"QuantizeLinear": true, "DequantizeLinear": true, "ReorderOutput": true, "ReorderInput": true}

// affine is the set of operators that can be folded into the weights of a preceding linear
// operator, if their other inputs are constant.
var affine = map[string]bool{"Add": true, "Sub": true, "Mul": true, "Div": true,
	"BatchNormalization": true}

// linear maps each operator whose weights can absorb affine operators to its class; see [Class].
var linear = map[string]string{"Conv": "Conv", "ConvTranspose": "ConvTranspose",
	"Gemm": "MatMul", "QGemm": "MatMul", "MatMul": "MatMul"}

// Class returns a common name for operators that compute the same function in different forms. For
// example, the class of Gemm, MatMul and QGemm is "MatMul". Two nodes can correspond only if their
// classes are equal.
func Class(op string) string {
	if _, integers := scaled[op]; integers {
		op = strings.TrimPrefix(op, "QLinear")
	}
	if c, ok := linear[op]; ok {
		return c
	}
	switch op {
	case "Sum":
		return "Add"
	case "ReduceMean", "GlobalAveragePool":
		return "Mean"
	case "Upsample":
		return "Resize"
	}
	return op
}

// root follows a tensor back through all nodes that merely pass values on, to the tensor that the
// values come from.
func (g *Graph) root(name string) string {
	for range g.Nodes { // bounded, because an invalid model may have a cycle
		n := g.Made(name)
		if n == nil || !carries[n.Op] || len(n.Inputs) == 0 || n.Inputs[0] == "" {
			break
		}
		name = n.Inputs[0]
	}
	return name
}

// step is a compute node together with the nodes that can be folded into its weights. stages[k]
// lists the tensors that contain the result after k folded operators. If a Gemm or Conv has a bias,
// the bias counts as the first folded operator. In that case stages[0] is empty, because no tensor
// contains the result without the bias.
type step struct {
	node   *describe.Node
	class  string
	inputs []string // roots of the inputs that depend on the model's inputs
	stages [][]string
}

// stepsOf returns the steps of a graph (see [step]) in graph order.
func stepsOf(g *Graph) []*step {
	taken := make([]bool, len(g.Nodes))
	var list []*step
	for i := range g.Nodes {
		n := &g.Nodes[i]
		data := g.dataInputs(n)
		if taken[i] || carries[n.Op] || len(data) == 0 {
			continue
		}
		s := &step{node: n, class: Class(n.Op)}
		for _, name := range data {
			s.inputs = append(s.inputs, g.root(name))
		}
		_, folds := linear[n.Op]
		if folds && len(n.Inputs) > 2 && n.Inputs[2] != "" {
			s.stages = append(s.stages, nil)
		}
		if len(n.Outputs) > 0 {
			s.follow(g, n.Outputs[0], folds, taken)
		}
		list = append(list, s)
	}
	return list
}

// follow adds the step's remaining stages. name is the first output of the step's node. follow
// starts at this tensor and goes on from node to node, as long as a tensor has exactly one reader
// and is not an output of the model. It stops at a node that neither passes the values on nor can
// be folded into the weights of the step's node. folds says whether these weights can absorb
// operators at all. follow sets taken for each node that can be folded.
func (s *step) follow(g *Graph, name string, folds bool, taken []bool) {
	stage := []string{name}
	for !g.output[name] {
		readers := g.readers[name]
		if len(readers) != 1 {
			break
		}
		n := &g.Nodes[readers[0]]
		single := len(g.dataInputs(n)) == 1 && len(n.Outputs) > 0
		switch {
		case carries[n.Op] && single && n.Inputs[0] == name:
			name = n.Outputs[0]
			stage = append(stage, name)
		case folds && affine[n.Op] && single:
			taken[readers[0]] = true
			s.stages = append(s.stages, stage)
			name = n.Outputs[0]
			stage = []string{name}
		default:
			s.stages = append(s.stages, stage)
			return
		}
	}
	s.stages = append(s.stages, stage)
}

func (s *step) last() []string {
	if len(s.stages) == 0 {
		return nil
	}
	return s.stages[len(s.stages)-1]
}
