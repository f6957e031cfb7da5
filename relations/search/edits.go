package search

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/loaders"
	change "github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// kind is a kind of graph change that must not affect the outputs beyond rounding.
type kind string

// The kinds of changes. By ONNX's definition, Identity nodes and exchanged operands change no bit
// of any result; a split matrix multiplication rounds differently.
const (
	identity kind = "Identity" // inserts a node between a tensor and its reader, or after an output
	exchange kind = "exchange" // exchanges the first two operands of a commutative node
	split    kind = "split"    // splits a matrix multiplication or convolution into a sum of two
)

var kinds = []kind{identity, exchange, split}

// commutative lists ONNX's operators whose first two operands can be exchanged.
var commutative = []string{"Add", "Mul", "Sum", "Mean", "Max", "Min", "And", "Or", "Xor", "Equal",
	"BitwiseAnd", "BitwiseOr", "BitwiseXor"}

// site is a possible change at one place of a graph.
type site struct {
	kind   kind
	node   loaders.Node
	tensor string // the tensor before the Identity
	output bool   // tensor is an output of the node and of the model
	axes   [2]int // the reduction axis of each operand
	at     int    // the index at which the reduction axis is split
}

// String describes the change.
func (s site) String() string {
	node := fmt.Sprintf("node %d, %s", s.node.Index, s.node.Op)
	if s.node.Name != "" {
		node += fmt.Sprintf(" %q", s.node.Name)
	}
	switch {
	case s.kind == identity && s.output:
		return fmt.Sprintf("an Identity after output %q of %s", s.tensor, node)
	case s.kind == identity:
		return fmt.Sprintf("an Identity between %q and %s", s.tensor, node)
	case s.kind == exchange:
		return fmt.Sprintf("the operands of %s exchanged", node)
	}
	return fmt.Sprintf("%s split in two at index %d of its reduction axis", node, s.at)
}

// sitesOf lists the places at which a graph can be changed, in graph order. Weights get no
// Identity, since engines may require constants there.
func sitesOf(m *loaders.Model) ([]site, error) {
	d, err := describe.Of(m, false)
	if err != nil {
		return nil, err
	}
	opset := int64(0)
	for _, o := range d.Head.Opsets {
		if o.Domain == "" || o.Domain == "ai.onnx" {
			opset = o.Version
		}
	}
	fixed, outputs := map[string]bool{"": true}, map[string]bool{}
	weights := map[string]tensor.Shape{}
	for _, w := range d.Initializers {
		fixed[w.Name] = true
		if w.Type.IsFloat() && w.Type.Bits() >= 16 && !w.Sparse {
			weights[w.Name] = w.Shape
		}
	}
	for _, v := range d.Outputs {
		outputs[v.Name] = true
	}
	var sites []site
	for _, n := range d.Nodes {
		if n.Op == "Constant" && n.Domain == "" {
			for _, name := range n.Outputs {
				fixed[name] = true
			}
		}
		if n.Domain != "" && n.Domain != "ai.onnx" {
			continue
		}
		for i, name := range n.Inputs {
			if !fixed[name] && slices.Index(n.Inputs, name) == i {
				sites = append(sites, site{kind: identity, node: n.Node, tensor: name})
			}
		}
		for _, name := range n.Outputs {
			if outputs[name] {
				sites = append(sites, site{kind: identity, node: n.Node, tensor: name, output: true})
			}
		}
		if slices.Contains(commutative, n.Op) && len(n.Inputs) > 1 && n.Inputs[0] != n.Inputs[1] {
			sites = append(sites, site{kind: exchange, node: n.Node})
		}
		if s, ok := product(n, weights, opset); ok {
			sites = append(sites, s)
		}
	}
	return sites, nil
}

// product returns the site of a MatMul, Gemm or ungrouped Conv whose second operand is a weight.
// The operand must be a weight because its shape tells the length of the reduction axis.
func product(n describe.Node, weights map[string]tensor.Shape, opset int64) (site, bool) {
	if opset < 10 || len(n.Inputs) < 2 || len(n.Outputs) != 1 { // Slice takes inputs from opset 10 on
		return site{}, false
	}
	shape, ok := weights[n.Inputs[1]]
	if !ok || n.Inputs[0] == n.Inputs[1] || len(shape) < 2 ||
		slices.Contains(n.Inputs[2:], n.Inputs[0]) || slices.Contains(n.Inputs[2:], n.Inputs[1]) {
		return site{}, false
	}
	attributes := map[string]string{}
	for _, a := range n.Attributes {
		attributes[a.Name] = a.Text
	}
	s := site{kind: split, node: n.Node}
	switch one := func(name string) bool { return attributes[name] == "1" }; {
	case n.Op == "MatMul":
		s.axes = [2]int{-1, -2}
	case n.Op == "Gemm" && (opset >= 11 || len(n.Inputs) == 2):
		s.axes = [2]int{1, 0}
		if one("transA") {
			s.axes[0] = 0
		}
		if one("transB") {
			s.axes[1] = 1
		}
	case n.Op == "Conv" && (attributes["group"] == "" || one("group")):
		s.axes = [2]int{1, 1}
	default:
		return site{}, false
	}
	axis := s.axes[1]
	if axis < 0 {
		axis += len(shape)
	}
	s.at = shape[axis] / 2
	return s, s.at > 0
}

// edited returns the model with changes at the sites.
func edited(m *loaders.Model, sites []site) (*loaders.Model, error) {
	taken, err := m.TensorNames()
	if err != nil {
		return nil, err
	}
	byNode := map[int][]site{}
	for _, s := range sites {
		byNode[s.node.Index] = append(byNode[s.node.Index], s)
	}
	e := &editor{taken: taken}
	return change.Nodes(m, func(n loaders.Node) (change.NodeEdit, error) {
		if len(byNode[n.Index]) == 0 {
			return change.NodeEdit{}, nil
		}
		return e.edit(n, byNode[n.Index]), nil
	})
}

// editor applies the changes to a graph.
type editor struct {
	taken map[string]bool
	count int
}

// name returns an unused tensor name.
func (e *editor) name(of string) string {
	for {
		e.count++
		name := fmt.Sprintf("%s/search%d", of, e.count)
		if !e.taken[name] {
			e.taken[name] = true
			return name
		}
	}
}

// edit returns the change that the given sites make to a node.
func (e *editor) edit(n loaders.Node, sites []site) change.NodeEdit {
	c := change.NodeEdit{Inputs: map[string]string{}, Outputs: map[string]string{}}
	now := func(name string) string { // the tensor that now replaces an operand
		if other, ok := c.Inputs[name]; ok {
			return other
		}
		return name
	}
	var behind []change.NewNode // nodes to insert after all others
	for _, k := range kinds {
		for _, s := range sites {
			switch {
			case s.kind != k:
			case k == identity && s.output:
				own := e.name(s.tensor)
				c.Outputs[s.tensor] = own
				behind = append(behind, change.NewNode{Op: "Identity", Inputs: []string{own},
					Outputs: []string{s.tensor}})
			case k == identity:
				c.Inputs[s.tensor] = e.name(s.tensor)
				c.Before = append(c.Before, change.NewNode{Op: "Identity", Inputs: []string{s.tensor},
					Outputs: []string{c.Inputs[s.tensor]}})
			case k == exchange:
				a, b := n.Inputs[0], n.Inputs[1]
				c.Inputs[a], c.Inputs[b] = now(b), now(a)
			case k == split:
				e.split(&c, n, s, now)
			}
		}
	}
	c.After = append(c.After, behind...)
	return c
}

// most is an end index larger than the length of any axis.
const most = 1 << 40

// split makes the node multiply only the first halves of its operands. It adds a node that
// multiplies the second halves, without a bias, and a node that adds the two results.
func (e *editor) split(c *change.NodeEdit, n loaders.Node, s site, now func(string) string) {
	var halves [2][2]string // the two halves of each operand
	for i := range halves {
		operand := now(n.Inputs[i])
		for half, bounds := range [2][2]int64{{0, int64(s.at)}, {int64(s.at), most}} {
			inputs := []string{operand}
			for _, v := range []int64{bounds[0], bounds[1], int64(s.axes[i])} {
				inputs = append(inputs, e.name(operand))
				c.Before = append(c.Before, change.NewNode{Op: "Constant", Value: tensor.Of(v),
					Outputs: inputs[len(inputs)-1:]})
			}
			halves[i][half] = e.name(operand)
			c.Before = append(c.Before, change.NewNode{Op: "Slice", Inputs: inputs,
				Outputs: []string{halves[i][half]}})
		}
	}
	y := n.Outputs[0]
	sum := y
	if own, ok := c.Outputs[y]; ok {
		sum = own
	}
	first, second := e.name(y), e.name(y)
	c.Inputs[n.Inputs[0]], c.Inputs[n.Inputs[1]] = halves[0][0], halves[1][0]
	c.Outputs[y] = first
	c.After = append(c.After,
		change.NewNode{Like: true, Inputs: []string{halves[0][1], halves[1][1]},
			Outputs: []string{second}},
		change.NewNode{Op: "Add", Inputs: []string{first, second}, Outputs: []string{sum}})
}
