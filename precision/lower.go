package precision

import (
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// rounded is the model computed in float32, with casts that round whatever a node takes and makes
// that is not kept: weights, inputs and outputs. Tensors between two such nodes are rounded once,
// and those between two nodes that are kept stay as they are.
func (n *network) rounded(k keep) (*loaders.Model, error) {
	e := casting{network: n, lowered: n.lowered(k), short: map[string]string{}}
	return edit.Nodes(n.model, func(node loaders.Node) (edit.NodeEdit, error) {
		return e.rounded(node.Index), nil
	})
}

// typed is the model with element types of the format where nodes are not kept, and casts between:
// what a strongly typed engine takes.
func (n *network) typed(k keep, elem tensor.ElementType) (*loaders.Model, error) {
	e := casting{network: n, lowered: n.lowered(k), short: map[string]string{}, elem: elem}
	return edit.Nodes(n.model, func(node loaders.Node) (edit.NodeEdit, error) {
		return e.typed(node.Index), nil
	})
}

// casting edits nodes in graph order.
type casting struct {
	*network
	lowered []bool
	short   map[string]string // the rounded tensor of each that there is one of
	elem    tensor.ElementType
}

// rounded puts the roundings around a node.
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

// stored rounds what a node makes. Where its sum would overflow in the format, it is rounded as the
// sum, which then becomes infinite.
func (c *casting) stored(l *layer, from, to string) []edit.NewNode {
	if l.factor == 0 {
		return c.format.nodes(from, to, c.opset, 0)
	}
	b := &builder{prefix: to + suffix + "sum/", last: from}
	b.with("Mul", l.factor)
	b.nodes = append(b.nodes, c.format.nodes(b.last, to+suffix+"stored", c.opset, 0)...)
	b.last = to + suffix + "stored"
	b.with("Div", l.factor)
	return b.done(to)
}

// typed changes the element type of what a node takes and makes.
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

// cast is a cast to an element type. In models with patterns that are fused across casts, a Max of
// one tensor follows, which is that tensor: ONNX Runtime would make a LayerNormalization of nodes
// in both types, and refuse it.
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

// inFloat32 reports whether anything reads a tensor as float32.
func (c *casting) inFloat32(name string) bool {
	if c.kept[name] {
		return true
	}
	for _, i := range c.users[name] {
		if !c.lowered[i] || !c.nodes[i].casts(name) {
			return true
		}
	}
	return false
}
