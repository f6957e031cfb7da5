package reorder

import (
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Fixed returns the names of a model's tensors that are used only as integers, sizes or conditions.
// Random errors must not be added to these tensors. Fixed returns nil if the model cannot be read.
func Fixed(m *loaders.Model) map[string]bool {
	p := &plan{model: m}
	if m.Load() != nil || p.read() != nil {
		return nil
	}
	p.trace()
	for name := range p.counts {
		if p.valued[name] {
			delete(p.counts, name)
		}
	}
	return p.counts
}

// valueOf declares a constant as a tensor of the given type and shape.
func valueOf(name string, elem tensor.ElementType, shape tensor.Shape) loaders.Value {
	v := loaders.Value{Name: name, Type: elem, HasShape: true}
	for _, size := range shape {
		v.Dims = append(v.Dims, loaders.Dim{Size: size})
	}
	return v
}

// trace finds the tensors that depend on the model's inputs, the tensors that the model's outputs
// depend on, and the tensors that sizes depend on.
func (p *plan) trace() {
	p.data, p.valued, p.counts = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, v := range p.model.File().Structure.Graph.Inputs {
		p.data[v.Name] = true
	}
	for _, v := range p.model.File().Structure.Graph.Outputs {
		p.valued[v.Name] = true
	}
	p.forward(p.nodes)
	p.backward(p.nodes)
}

// becomesInteger reports whether the node turns the given input into an integer, a size or a
// condition.
func (n *node) becomesInteger(input int) bool {
	switch n.Op {
	case "Cast":
		to := n.attributes.Integer("to", 1)
		return !onnxfile.ElementTypeOf(int32(to)).IsFloat()
	case "Floor", "Ceil", "Round", "Equal", "Range", "Less", "LessOrEqual", "Greater",
		"GreaterOrEqual":
		return true
	case "Resize", "Upsample":
		return input > 0
	case "If":
		return true
	case "Loop", "OneHot":
		return input < 2
	}
	return false
}

// mostSettings is the maximum number of values in an operator's setting. Larger constants do not
// count as settings.
const mostSettings = 16

// readSettings reads the int64 constants with at most [mostSettings] values, because they may be
// settings of operators, such as axes.
func (p *plan) readSettings(weights []loaders.Initializer) error {
	for _, w := range weights {
		n, err := w.Shape.Elements()
		if err != nil || w.Type != tensor.Int64 || n > mostSettings {
			continue
		}
		t, err := p.model.Weight(w.Name)
		if err != nil {
			return err
		}
		p.take(w.Name, t)
	}
	r, done := p.model.File().Open()
	defer done()
	p.constants(r, p.nodes)
	return r.Err()
}

// take records the values of a constant that may be a setting of an operator, such as axes or a
// shape.
func (p *plan) take(name string, t *tensor.Tensor) {
	if t.ElementType() == tensor.Int64 && t.Len() <= mostSettings {
		values, err := tensor.Values[int64](t)
		if err == nil {
			p.settings[name] = values
		}
	}
}

// constants records the values of all Constant nodes among the given nodes.
func (p *plan) constants(r *onnxwire.Reader, nodes []node) {
	for i := range nodes {
		n := &nodes[i]
		if !onnxfile.IsConstant(n.Domain, n.Op) || len(n.Outputs) != 1 {
			continue
		}
		if t, err := p.model.File().NodeValue(r, n.Span); err == nil && t != nil {
			p.take(n.Outputs[0], t)
			p.values[n.Outputs[0]] = valueOf(n.Outputs[0], t.ElementType(), t.Shape())
		}
	}
}

// settled reports whether to leave a node's results as they are, without random errors. There are
// two cases. In the first, nothing important depends on the results: no output of the model, and no
// integer, size or condition inside it. In the second, an integer, a size or a condition depends on
// the results, but the results do not depend on the values of the model's inputs.
func (p *plan) settled(n *node) bool {
	return !slices.ContainsFunc(n.Outputs, func(o string) bool {
		return p.valued[o] && !p.counts[o] || p.data[o] && (p.valued[o] || p.counts[o])
	})
}
