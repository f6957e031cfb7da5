package reorder

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// body is a subgraph of an If, Loop or Scan node.
type body struct {
	span  onnxwire.Span
	graph *onnxwire.Graph
	nodes []node
	reads []string // tensors of the surrounding graphs
}

// nodesOf reads the nodes in a list, including the bodies of If, Loop and Scan nodes.
func (p *plan) nodesOf(list []onnxwire.Span, r *onnxwire.Reader) (nodes []node) {
	for _, n := range r.Nodes(list) {
		one := node{Node: *n, attributes: r.AttributesByName(n.Span)}
		for _, o := range n.Outputs {
			p.names[o] = true
		}
		for _, span := range n.Bodies {
			b := body{span: span, graph: r.Body(span)}
			b.nodes = p.nodesOf(b.graph.Nodes, r)
			b.reads = onnxfile.Captured(&onnxwire.Node{Bodies: []onnxwire.Span{span}}, r)
			one.bodies = append(one.bodies, b)
		}
		nodes = append(nodes, one)
	}
	return nodes
}

// inside rewrites the nodes in the bodies of an If, Loop or Scan node. Two bodies may use the same
// names, so inside forgets the types and shapes of each body's tensors before it rewrites the next
// body.
func (p *plan) inside(n *node) (edit.NodeEdit, error) {
	values, settings, rounds := p.values, p.settings, p.Rounds
	defer func() { p.values, p.settings = values, settings }()
	var edits []edit.NodeEdit
	for i := range n.bodies {
		b := &n.bodies[i]
		p.values, p.settings = maps.Clone(values), maps.Clone(settings)
		if err := p.learn(b); err != nil {
			return edit.NodeEdit{}, fmt.Errorf("a body of %s %q: %w", n.Op, n.Name, err)
		}
		for k := range b.nodes {
			change, err := p.edit(&b.nodes[k])
			if err != nil {
				return change, err
			}
			edits = append(edits, change)
		}
	}
	p.pass(n)
	for _, o := range n.Outputs {
		p.noisy[o] = p.noisy[o] || p.Rounds > rounds
	}
	return edit.NodeEdit{Inside: func(n loaders.Node) (edit.NodeEdit, error) {
		return edits[n.Index], nil
	}}, nil
}

// mayRound reports whether any of the nodes, or of the nodes in their bodies, may round.
func mayRound(nodes []node) bool {
	return slices.ContainsFunc(nodes, func(n node) bool {
		return len(n.bodies) == 0 && !exact[n.Op] || slices.ContainsFunc(n.bodies,
			func(b body) bool { return mayRound(b.nodes) })
	})
}

// learn adds the types and shapes of a body's tensors to the plan, and the values of the body's
// short constants. To infer types and shapes, it turns the body into a model.
func (p *plan) learn(b *body) error {
	if !mayRound(b.nodes) {
		return nil
	}
	r, done := p.model.File().Open()
	defer done()
	graph := r.Bytes(b.span)
	if r.Err() != nil {
		return r.Err()
	}
	for _, name := range b.reads {
		v, known := p.values[name]
		kind, err := v.WireType()
		if !known || err != nil {
			return fmt.Errorf("the type of %q, which the body reads, is unknown", name)
		}
		if values, ok := p.settings[name]; ok {
			graph = onnxwire.AppendMessage(graph, onnxwire.GraphInitializer,
				constant(name, v.Dims, values))
			continue
		}
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphInput,
			onnxwire.AppendValue(nil, name, &kind))
	}
	structure := p.model.File().Structure
	message := onnxwire.AppendModel(nil, structure.IRVersion, structure.Opsets, graph)
	inferred, err := p.infer(loaders.ONNXBytes("body.onnx", message))
	if err != nil {
		return err
	}
	names, err := inferred.TensorNames()
	if err != nil {
		return err
	}
	declared, err := inferred.Declared(slices.Collect(maps.Keys(names))...)
	if err != nil {
		return err
	}
	maps.Copy(p.values, declared)
	for i := range b.graph.Initializers {
		t := &b.graph.Initializers[i]
		shape := onnxfile.ShapeOf(t)
		elem := onnxfile.ElementTypeOf(t.Type)
		p.values[t.Name] = valueOf(t.Name, elem, shape)
		if n, err := shape.Elements(); err == nil && elem == tensor.Int64 && n <= mostSettings {
			weight, err := p.model.File().Weight(r, t)
			if err != nil {
				return err
			}
			p.take(t.Name, weight)
		}
	}
	p.constants(r, b.nodes)
	return r.Err()
}

// constant encodes int64 values as a TensorProto.
func constant(name string, dims []loaders.Dim, values []int64) (message []byte) {
	for _, d := range dims {
		message = onnxwire.AppendVarint(message, 1, uint64(d.Size))
	}
	message = onnxwire.AppendVarint(message, 2, uint64(onnxfile.NumberOf(tensor.Int64)))
	message = onnxwire.AppendText(message, 8, name)
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, uint64(v))
	}
	return onnxwire.AppendMessage(message, 9, data)
}

// forward records in p.data the tensors whose values depend on the model's inputs.
func (p *plan) forward(nodes []node) {
	mark := func(names []string) {
		for _, name := range names {
			p.data[name] = true
		}
	}
	for i := range nodes {
		n := &nodes[i]
		depends := anyOf(n.Inputs, p.data)
		for k := range n.bodies {
			b := &n.bodies[k]
			for range 2 { // twice, since a loop passes its results to the next iteration
				if depends {
					mark(onnxwire.Names(b.graph.Inputs))
				}
				p.forward(b.nodes)
				depends = depends || anyOf(onnxwire.Names(b.graph.Outputs), p.data)
			}
		}
		if n.Op != "Shape" && n.Op != "Size" && depends {
			mark(n.Outputs)
		}
	}
}

// backward records in p.valued the tensors on which the model's outputs depend. It records in
// p.counts the tensors from which the model computes integers, tensor sizes or conditions.
func (p *plan) backward(nodes []node) {
	for i := range nodes {
		n := &nodes[len(nodes)-1-i]
		valued, counts := anyOf(n.Outputs, p.valued), anyOf(n.Outputs, p.counts)
		for k := range n.bodies {
			p.backwardInside(n, &n.bodies[k])
		}
		for k, name := range n.Inputs {
			switch {
			case n.becomesInteger(k):
				p.counts[name] = true
			case len(n.bodies) > 0: // backwardInside has recorded the inputs
			default:
				p.valued[name] = p.valued[name] || valued
				p.counts[name] = p.counts[name] || counts
			}
		}
	}
}

// backwardInside continues [plan.backward] through one of the node's bodies: from the node's
// outputs to the body's outputs, and from the body's inputs to the node's inputs.
func (p *plan) backwardInside(n *node, b *body) {
	same := func(a, of string) {
		p.valued[a], p.counts[a] = p.valued[a] || p.valued[of], p.counts[a] || p.counts[of]
	}
	inputs, outputs := onnxwire.Names(b.graph.Inputs), onnxwire.Names(b.graph.Outputs)
	first := 0 // of the body's outputs that the node returns
	if n.Op == "Loop" && len(outputs) > 0 {
		first = 1
		p.counts[outputs[0]] = true // whether it goes on
	}
	for range 2 { // twice, since a loop passes its results to the next iteration
		for k, o := range n.Outputs {
			if first+k < len(outputs) {
				same(outputs[first+k], o)
			}
		}
		p.backward(b.nodes)
		for k, in := range inputs {
			if k < len(n.Inputs) {
				same(n.Inputs[k], in)
			}
			if carried := k - first; carried >= 0 && carried < len(outputs) {
				same(outputs[carried], in)
			}
		}
	}
}

func anyOf(names []string, of map[string]bool) bool {
	return slices.ContainsFunc(names, func(name string) bool { return of[name] })
}
