package precision

import (
	"slices"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// in returns the given form of the model, with the kept nodes in float32.
//
// withCasts computes in float32, with casts that round the inputs and outputs of every node that is
// not kept, including weights and the model's inputs and outputs. A tensor between two such nodes
// is rounded once. A tensor between two kept nodes is not rounded.
//
// In asDeployed, all nodes except the kept ones compute in float16, with casts in between. Strongly
// typed engines need such a model. ONNX's operators support bfloat16 only since opset 22, so for
// BF16 asDeployed is the same as withCasts.
func (n *network) in(which form, kept []bool) (*loaders.Model, error) {
	c := casting{network: n, lowered: n.lowered(kept), short: map[string]string{},
		typed: which == asDeployed && n.format == FP16}
	return edit.Nodes(n.model, func(node loaders.Node) (edit.NodeEdit, error) {
		return c.node(node.Index), nil
	})
}

// casting adds casts to the nodes of a graph, in graph order.
type casting struct {
	*network
	lowered []bool
	short   map[string]string // the rounded version of each tensor that has one
	typed   bool              // whether the lowered nodes compute in float16
}

// node lowers a node: it rounds the node's inputs and outputs, or changes their element types.
func (c *casting) node(i int) (to edit.NodeEdit) {
	l := &c.nodes[i]
	if !c.lowered[i] {
		return to
	}
	to.Inputs, to.Outputs = map[string]string{}, map[string]string{}
	elem := c.format.stored()
	for _, name := range l.takes {
		if c.weights[name].exact && !c.typed {
			continue
		}
		if c.short[name] == "" {
			short := name + suffix + elem.String()
			c.short[name] = short
			if c.typed {
				to.Before = append(to.Before, c.cast(name, short, elem)...)
			} else {
				to.Before = append(to.Before, c.stored(nil, name, short)...)
			}
		}
		if c.short[name] != name {
			to.Inputs[name] = c.short[name]
		}
	}
	for _, name := range l.makes {
		switch {
		case c.typed:
			c.short[name] = name + suffix + elem.String()
			to.Outputs[name] = c.short[name]
			if c.inFloat32(name) {
				to.After = append(to.After, c.cast(c.short[name], name, tensor.Float32)...)
			}
		case l.role == moves:
			c.short[name] = name
		default:
			c.short[name] = name
			to.Outputs[name] = name + suffix + "exact"
			to.After = append(to.After, c.stored(l, to.Outputs[name], name)...)
		}
	}
	return to
}

// stored returns nodes that round a tensor to the format. maker is the node that outputs the
// tensor, or nil for constants and inputs. If a sum inside maker could overflow in the format, the
// nodes multiply the output by [layer.factor] before rounding, and divide it by the same factor
// afterwards. The output thus becomes infinite if the sum overflows, as in an engine that
// accumulates in the format.
func (n *network) stored(maker *layer, from, to string) []edit.NewNode {
	if maker == nil || maker.factor == 0 {
		return n.format.nodes(from, to, n.opset, 0)
	}
	b := &builder{prefix: to + suffix + "sum/", last: from}
	b.with("Mul", maker.factor)
	b.nodes = append(b.nodes, n.format.nodes(b.last, to+suffix+"stored", n.opset, 0)...)
	b.last = to + suffix + "stored"
	b.with("Div", maker.factor)
	return b.done(to)
}

// cast converts a tensor to an element type. If the model has patterns that ONNX Runtime fuses
// across casts, cast also adds a Max with a single operand, which changes no value. Without the
// Max, ONNX Runtime would fuse nodes of two element types into one LayerNormalization and then
// reject it.
func (c *casting) cast(from, to string, elem tensor.ElementType) []edit.NewNode {
	_, constant := c.weights[from]
	if constant || !c.crosses {
		return []edit.NewNode{{Op: "Cast", Inputs: []string{from}, Outputs: []string{to}, To: elem}}
	}
	between := to + suffix + "cast"
	return []edit.NewNode{
		{Op: "Cast", Inputs: []string{from}, Outputs: []string{between}, To: elem},
		{Op: "Max", Inputs: []string{between}, Outputs: []string{to}},
	}
}

// inFloat32 reports whether the named tensor is also needed in float32.
func (c *casting) inFloat32(name string) bool {
	return c.kept[name] || slices.ContainsFunc(c.users[name], func(i int) bool {
		return !c.lowered[i] || !slices.Contains(c.nodes[i].takes, name)
	})
}
