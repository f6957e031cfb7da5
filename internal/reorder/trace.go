package reorder

import (
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Fixed returns the inputs and weights of a model that become integers, sizes or conditions, so
// that no rounding moves them. It is empty for a model that cannot be read.
func Fixed(m *loaders.Model) map[string]bool {
	p := &plan{}
	if m.Load() != nil || p.read(m) != nil {
		return nil
	}
	p.trace(m)
	for name := range p.counts {
		if p.valued[name] {
			delete(p.counts, name)
		}
	}
	return p.counts
}

// valueOf declares a constant.
func valueOf(name string, elem tensor.ElementType, shape tensor.Shape) loaders.Value {
	v := loaders.Value{Name: name, Type: elem, HasShape: true}
	for _, size := range shape {
		v.Dims = append(v.Dims, loaders.Dim{Size: size})
	}
	return v
}

// trace finds what depends on the inputs, and what the outputs and sizes depend on.
func (p *plan) trace(m *loaders.Model) {
	p.data, p.valued, p.counts = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, v := range m.File().Structure.Graph.Inputs {
		p.data[v.Name] = true
	}
	for _, v := range m.File().Structure.Graph.Outputs {
		p.valued[v.Name] = true
	}
	any := func(names []string, of map[string]bool) bool {
		return slices.ContainsFunc(names, func(name string) bool { return of[name] })
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; n.Op != "Shape" && n.Op != "Size" && any(n.Inputs, p.data) {
			for _, o := range n.Outputs {
				p.data[o] = true
			}
		}
	}
	for i := range p.nodes {
		n := &p.nodes[len(p.nodes)-1-i]
		valued, counts := any(n.Outputs, p.valued), any(n.Outputs, p.counts)
		for k, name := range n.Inputs {
			if n.becomesInteger(k) {
				p.counts[name] = true
			} else if valued {
				p.valued[name] = true
			}
			if counts {
				p.counts[name] = true
			}
		}
	}
}

// becomesInteger reports whether an input of the node becomes an integer, a size or a condition.
func (n *node) becomesInteger(input int) bool {
	switch n.Op {
	case "Cast":
		to := n.integer("to", 1)
		return !onnxfile.ElementTypeOf(int32(to)).IsFloat()
	case "Floor", "Ceil", "Round", "Equal", "Range", "Less", "LessOrEqual", "Greater",
		"GreaterOrEqual":
		return true
	case "Resize", "Upsample":
		return input > 0
	}
	return false
}

// mostSettings limits the length of constants that are read as settings.
const mostSettings = 16

// readSettings reads short integer constants, such as axes.
func (p *plan) readSettings(m *loaders.Model, weights []loaders.Initializer) error {
	p.settings = map[string][]int64{}
	take := func(name string, t *tensor.Tensor) {
		if t != nil && t.ElementType() == tensor.Int64 && t.Len() <= mostSettings {
			values, err := tensor.Values[int64](t)
			if err == nil {
				p.settings[name] = values
			}
		}
	}
	for _, w := range weights {
		n, err := w.Shape.Elements()
		if err != nil || w.Type != tensor.Int64 || n > mostSettings {
			continue
		}
		t, err := m.Weight(w.Name)
		if err != nil {
			return err
		}
		take(w.Name, t)
	}
	source, done, err := m.File().Open()
	if err != nil {
		return err
	}
	defer done()
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.Op != "Constant" || len(n.Outputs) != 1 {
			continue
		}
		attributes, err := onnxwire.Attributes(source, n.Span)
		if err != nil {
			return err
		}
		for _, a := range attributes {
			if t, err := m.File().ConstantValue(source, a.Span); err == nil && t != nil {
				take(n.Outputs[0], t)
				p.values[n.Outputs[0]] = valueOf(n.Outputs[0], t.ElementType(), t.Shape())
			}
		}
	}
	return nil
}

// settled reports whether a node must not round otherwise: no output depends on its value, or it
// computes a size.
func (p *plan) settled(n *node) bool {
	for _, o := range n.Outputs {
		if p.valued[o] && !p.counts[o] || p.data[o] && (p.valued[o] || p.counts[o]) {
			return false
		}
	}
	return true
}
