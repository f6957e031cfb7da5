package pairing

import (
	"math"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/tensor"
)

// Chain is a Conv, Gemm or MatMul together with the nodes after it that scale and shift its
// channels: BatchNormalization, and Mul, Div, Add and Sub with a constant. Exporters fold such
// nodes into the weights, so two chains are compared by their combined weights.
type Chain struct {
	Linear int    // the Conv, Gemm or MatMul node
	Source string // the nearest end tensor before the node
	links  []link
	rows   [][]float64 // weights by output channel
	bias   []float64   // by output channel; zero without a bias
	biased bool        // the node reads a bias
	form   string      // the attributes that folding does not change
}

// link is one foldable node. It computes y = gain · x + shift for each channel.
type link struct {
	node        int
	gain, shift []float64
	mean        []float64 // for BatchNormalization: shift is offset − mean · gain
	scales      bool      // whether its constants change the scale
	shifts      bool
}

// Constants is a function that returns the value of a node's constant input.
type Constants func(name string) *tensor.Tensor

// Chain returns the chain that computes a tensor from one of the end tensors. It returns nil if
// there are other kinds of nodes in between.
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
			for i := len(nodes) - 1; i >= 0; i-- {
				l, ok := c.link(nodes[i], g, constants)
				if !ok {
					return nil
				}
				c.links = append(c.links, l)
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

// nearest goes back from a tensor, past all nodes that merely pass values on, to an end tensor or
// to a tensor that no node computes.
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

// weigh reads the weights of the linear node n. It reports whether the weights could be read.
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
		alpha, beta = floatOf(n, "alpha", 1), floatOf(n, "beta", 1)
		byRow = integerOf(n, "transB", 0) == 1
		if integerOf(n, "transA", 0) == 1 || len(shape) != 2 {
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

// link reads the constants of a foldable node. It reports whether they could be read.
func (c *Chain) link(n *describe.Node, g *Graph, constants Constants) (link, bool) {
	l := link{node: n.Index}
	conv := g.Nodes[c.Linear].Op == "Conv"
	if n.Op == "BatchNormalization" {
		if len(n.Inputs) < 5 {
			return l, false
		}
		var p [4][]float64
		for i := range p {
			if p[i] = c.channels(constants(n.Inputs[i+1]), true); p[i] == nil {
				return l, false
			}
		}
		epsilon := floatOf(n, "epsilon", 1e-5)
		for k := range c.rows {
			gain := p[0][k] / math.Sqrt(p[3][k]+epsilon)
			l.gain, l.shift = append(l.gain, gain), append(l.shift, p[1][k]-float64(p[2][k]*gain))
		}
		l.mean, l.scales, l.shifts = p[2], true, true
		return l, conv
	}
	at := 1
	if !g.data[n.Inputs[0]] {
		at = 0
	}
	values := c.channels(constants(n.Inputs[at]), !conv)
	if values == nil || len(n.Inputs) != 2 || at == 0 && n.Op == "Div" {
		return l, false
	}
	for k := range c.rows {
		gain, shift := 1.0, 0.0
		switch n.Op {
		case "Mul":
			gain = values[k]
		case "Div":
			gain = 1 / values[k]
		case "Add":
			shift = values[k]
		case "Sub":
			if shift = -values[k]; at == 0 {
				gain, shift = -1, values[k]
			}
		}
		l.gain, l.shift = append(l.gain, gain), append(l.shift, shift)
	}
	l.scales, l.shifts = n.Op == "Mul" || n.Op == "Div", n.Op == "Add" || n.Op == "Sub"
	return l, true
}

// channels returns one element of a constant for each output channel. The channel is the last axis
// or, in a Conv, the second axis. It returns nil if the constant varies along any other axis.
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

func floatOf(n *describe.Node, name string, otherwise float64) float64 {
	for _, a := range n.Attributes {
		if v, err := strconv.ParseFloat(a.Text, 64); a.Name == name && err == nil {
			return v
		}
	}
	return otherwise
}

// form formats the attributes of a Conv that differ from their defaults and that do not follow from
// its weights.
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
