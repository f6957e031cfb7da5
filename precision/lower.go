package precision

import (
	"slices"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// rounded returns a model that computes in float32, with casts that round the inputs and outputs of
// every node that is not kept, including weights and the model's inputs and outputs. A tensor
// between two such nodes is rounded once. A tensor between two kept nodes is not rounded.
func (n *network) rounded(kept []bool) (*loaders.Model, error) {
	e := casting{network: n, lowered: n.lowered(kept), short: map[string]string{}}
	return edit.Nodes(n.model, func(node loaders.Node) (edit.NodeEdit, error) {
		return e.rounded(node.Index), nil
	})
}

// typed returns a model in which the kept nodes compute in float32 and all others in elem, with
// casts in between. Strongly typed engines need such a model.
func (n *network) typed(kept []bool, elem tensor.ElementType) (*loaders.Model, error) {
	e := casting{network: n, lowered: n.lowered(kept), short: map[string]string{}, elem: elem}
	return edit.Nodes(n.model, func(node loaders.Node) (edit.NodeEdit, error) {
		return e.typed(node.Index), nil
	})
}

// casting adds casts to the nodes of a graph, in graph order.
type casting struct {
	*network
	lowered []bool
	short   map[string]string // the rounded version of each tensor that has one
	elem    tensor.ElementType
}

// rounded adds nodes before and after a node that round its inputs and outputs.
func (c *casting) rounded(i int) (edit edit.NodeEdit) {
	l := &c.nodes[i]
	if !c.lowered[i] {
		return edit
	}
	edit.Inputs, edit.Outputs = map[string]string{}, map[string]string{}
	for _, name := range l.takes {
		if c.weights[name].exact {
			continue
		}
		if c.short[name] == "" {
			c.short[name] = name + suffix + string(c.format)
			edit.Before = append(edit.Before, c.format.nodes(name, c.short[name], c.opset, 0)...)
		}
		if c.short[name] != name {
			edit.Inputs[name] = c.short[name]
		}
	}
	for _, name := range l.makes {
		c.short[name] = name
		if l.role == moves {
			continue
		}
		exact := name + suffix + "exact"
		edit.Outputs[name] = exact
		edit.After = append(edit.After, c.stored(l, exact, name)...)
	}
	return edit
}

// stored returns nodes that round a tensor to the format. maker is the node that outputs the
// tensor, or nil for constants and inputs. If a sum inside the node would overflow in the format,
// they first multiply the output by [layer.factor], so that it is as large as the sum. It then
// rounds to infinity, as in an engine that accumulates in the format.
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

// typed changes the element types of a node's inputs and outputs.
func (c *casting) typed(i int) (edit edit.NodeEdit) {
	l := &c.nodes[i]
	if !c.lowered[i] {
		return edit
	}
	edit.Inputs, edit.Outputs = map[string]string{}, map[string]string{}
	for _, name := range l.takes {
		if c.short[name] == "" {
			c.short[name] = name + suffix + c.elem.String()
			edit.Before = append(edit.Before, c.cast(name, c.short[name], c.elem)...)
		}
		edit.Inputs[name] = c.short[name]
	}
	for _, name := range l.makes {
		c.short[name] = name + suffix + c.elem.String()
		edit.Outputs[name] = c.short[name]
		if c.inFloat32(name) {
			edit.After = append(edit.After, c.cast(c.short[name], name, tensor.Float32)...)
		}
	}
	return edit
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
