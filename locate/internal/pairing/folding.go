package pairing

import (
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/tensor"
)

// Chain is a Conv, Gemm or MatMul together with the nodes after it that scale and shift its
// channels: BatchNormalization, and Mul, Div, Add and Sub with a constant. Exporters fold such
// nodes into the weights. Therefore two chains are compared by the weights that result from
// folding.
type Chain struct {
	Linear int    // the Conv, Gemm or MatMul node
	Source string // the nearest end tensor before the node
	links  []link
	rows   [][]float64 // the combined weights by output channel
	bias   []float64   // the combined bias by output channel
	biased bool        // the linear node reads a bias
	form   string      // the attributes that folding does not change
}

// link is one of the nodes of a chain that can be folded into weights.
type link struct {
	node   int
	scales bool      // whether its constants change the scale
	shifts bool      // whether its constants change the offset
	scaled []float64 // by output channel: the part of the combined bias that the node scales
}

// Constants is a function that returns the value of a node's constant input.
type Constants func(name string) *tensor.Tensor

// Chain goes back from the named tensor to one of the tensors in ends, and returns the chain of
// nodes that computes the tensor from there. It returns nil if a node in between cannot be part of
// a [Chain].
func (g *Graph) Chain(name string, ends map[string]bool, constants Constants) *Chain {
	c := &Chain{Linear: -1}
	var nodes []*describe.Node
	for range g.Nodes {
		n := g.Made(name)
		if n == nil || ends[name] && len(nodes) > 0 || len(n.Outputs) == 0 || n.Outputs[0] != name {
			return nil
		}
		data := g.dataInputs(n)
		_, isLinear := linear[n.Op]
		switch {
		case isLinear && len(data) == 1 && n.Inputs[0] == data[0]:
			c.Linear, c.Source = n.Index, g.nearest(data[0], ends)
			if !c.weigh(n, constants) {
				return nil
			}
			for _, n := range slices.Backward(nodes) {
				if !c.fold(n, g, constants) {
					return nil
				}
			}
			return c
		case affine[n.Op] && len(data) == 1:
			nodes = append(nodes, n)
		case (keeps[n.Op] || reshapes[n.Op]) && len(data) >= 1 && n.Inputs[0] == data[0] &&
			n.Op != "QuantizeLinear" && n.Op != "DequantizeLinear":
		default:
			return nil
		}
		name = data[0]
	}
	return nil
}

// nearest follows a tensor back through nodes that merely pass values on. It stops at the first end
// tensor, or when it reaches a node of a different kind.
func (g *Graph) nearest(name string, ends map[string]bool) string {
	for range g.Nodes {
		n := g.Made(name)
		if ends[name] || n == nil || !(keeps[n.Op] || reshapes[n.Op]) || len(n.Inputs) == 0 {
			return name
		}
		name = n.Inputs[0]
	}
	return name
}

// weigh reads the weights of the linear node n. It returns false if it cannot read them.
func (c *Chain) weigh(n *describe.Node, constants Constants) bool {
	if len(n.Inputs) < 2 {
		return false
	}
	w := constants(n.Inputs[1])
	if w == nil || !w.ElementType().IsFloat() || len(w.Shape()) < 2 {
		return false
	}
	values, alpha, beta := w.Float64s(), 1.0, 1.0
	shape := w.Shape()
	channels, inner := shape[0], len(values)/max(shape[0], 1)
	byRow := true
	switch n.Op {
	case "Conv":
	case "Gemm":
		alpha, beta = n.Number("alpha", 1), n.Number("beta", 1)
		byRow = n.Number("transB", 0) == 1
		if n.Number("transA", 0) == 1 || len(shape) != 2 {
			return false
		}
	case "MatMul":
		byRow = false
		if len(shape) != 2 {
			return false
		}
	default:
		return false
	}
	if !byRow {
		channels, inner = shape[1], shape[0]
	}
	c.rows, c.bias = make([][]float64, channels), make([]float64, channels)
	for k := range c.rows {
		c.rows[k] = make([]float64, inner)
		for i := range inner {
			at := k*inner + i
			if !byRow {
				at = i*channels + k
			}
			c.rows[k][i] = alpha * values[at]
		}
	}
	c.form = form(n)
	if len(n.Inputs) < 3 || n.Inputs[2] == "" {
		return true
	}
	c.biased = true
	shift := c.channels(constants(n.Inputs[2]), true)
	for k := range shift {
		c.bias[k] = beta * shift[k]
	}
	return shift != nil
}

// fold folds a node into the chain's combined weights. It returns false if it cannot read the
// node's constants.
func (c *Chain) fold(n *describe.Node, g *Graph, constants Constants) bool {
	conv := g.Nodes[c.Linear].Op == "Conv"
	if n.Op == "BatchNormalization" {
		if len(n.Inputs) < 5 || !conv {
			return false
		}
		var p [4][]float64 // scale, offset, mean, variance
		for i := range p {
			if p[i] = c.channels(constants(n.Inputs[i+1]), true); p[i] == nil {
				return false
			}
		}
		epsilon := n.Number("epsilon", 1e-5)
		for k := range c.rows {
			p[0][k] /= math.Sqrt(p[3][k] + epsilon)
		}
		c.apply(link{node: n.Index, scales: true, shifts: true}, p[0], p[1], p[2])
		return true
	}
	at := 1
	if !g.data[n.Inputs[0]] {
		at = 0
	}
	values := c.channels(constants(n.Inputs[at]), !conv)
	if values == nil || len(n.Inputs) != 2 || at == 0 && n.Op == "Div" {
		return false
	}
	gain, offset := slices.Repeat([]float64{1}, len(c.rows)), make([]float64, len(c.rows))
	for k, v := range values {
		switch n.Op {
		case "Mul":
			gain[k] = v
		case "Div":
			gain[k] = 1 / v
		case "Add":
			offset[k] = v
		case "Sub":
			if offset[k] = -v; at == 0 {
				gain[k], offset[k] = -1, v
			}
		}
	}
	scales := n.Op == "Mul" || n.Op == "Div"
	c.apply(link{node: n.Index, scales: scales, shifts: !scales}, gain, offset,
		make([]float64, len(c.rows)))
	return true
}

// apply folds into the chain a node that computes (x − mean)·gain + offset for each channel.
func (c *Chain) apply(l link, gain, offset, mean []float64) {
	for k := range c.rows {
		for _, earlier := range c.links {
			earlier.scaled[k] *= gain[k]
		}
		for i := range c.rows[k] {
			c.rows[k][i] *= gain[k]
		}
		part := float64((c.bias[k] - mean[k]) * gain[k])
		l.scaled = append(l.scaled, part)
		c.bias[k] = part + offset[k]
	}
	c.links = append(c.links, l)
}

// channels returns one element of a constant for each output channel. The channel axis is the last
// axis or, after a Conv, the second. channels returns nil if the constant varies along any other
// axis.
func (c *Chain) channels(t *tensor.Tensor, last bool) []float64 {
	if t == nil || !t.ElementType().IsFloat() {
		return nil
	}
	values := make([]float64, len(c.rows))
	if t.Len() == 1 {
		for k := range values {
			values[k] = t.Float64At(0)
		}
		return values
	}
	shape := t.Shape()
	if t.Len() != len(values) {
		return nil
	}
	for axis, d := range shape {
		fromEnd := len(shape) - 1 - axis
		// A bias or a BatchNormalization input has one axis; a constant of Mul or Add is broadcast from
		// the last axis.
		if d != 1 && (last && fromEnd != 0 || !last && len(shape) > 1 && fromEnd == 0) {
			return nil
		}
	}
	if !last && len(shape) == 1 {
		return nil // varies along the width
	}
	copy(values, t.Float64s())
	return values
}

// form returns the attributes of a Conv as text. It leaves out attributes that have their default
// value or follow from the weights.
func form(n *describe.Node) string {
	if n.Op != "Conv" {
		return ""
	}
	var list []string
	for _, name := range []string{"auto_pad", "dilations", "group", "pads", "strides"} {
		otherwise := map[string]string{"auto_pad": "NOTSET", "pads": "0"}[name]
		if otherwise == "" {
			otherwise = "1"
		}
		for _, a := range n.Attributes {
			rest := strings.NewReplacer(otherwise, "", " ", "", ",", "", "[", "", "]", "", "\"", "").
				Replace(a.Text)
			if a.Name == name && rest != "" {
				list = append(list, name+"="+a.Text)
			}
		}
	}
	return strings.Join(list, " ")
}
