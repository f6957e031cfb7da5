package edit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Insert returns the model with a new node, whose outputs are existing tensors. The new node
// replaces the nodes that computed those tensors; nodes that become redundant are removed. If a
// tensor is both an input and an output of the new node, the new node is inserted after the tensor:
// it reads the tensor, and the tensor's previous readers read the new node's output instead.
// Declared types and shapes of tensors that depend on the new node are dropped. constants are
// weights to add for the new node, which refers to them by name.
//
// It is an error if a tensor is unknown, if the graph has a tensor with a constant's name, if an
// attribute's type is not supported, or if the new node makes a cycle. It is also an error to
// insert the new node after an input or a weight that is also an output of the model.
func Insert(m *loaders.Model, n NewNode, constants ...tensor.Entry) (*loaders.Model, error) {
	names, err := m.TensorNames()
	if err != nil {
		return nil, err
	}
	brought := map[string]bool{}
	for _, c := range constants {
		if names[c.Name] {
			return nil, m.File().Located(fmt.Errorf("insert: tensor %q already exists", c.Name))
		}
		brought[c.Name] = true
	}
	for _, name := range slices.Concat(n.Inputs, n.Outputs) {
		if name != "" && !names[name] && !brought[name] {
			return nil, m.File().Located(fmt.Errorf("insert: no tensor %q in the graph", name))
		}
	}
	maps.Copy(names, brought)
	if !slices.ContainsFunc(n.Outputs, func(name string) bool { return name != "" }) {
		return nil, m.File().Located(fmt.Errorf("insert: the new node %s has no outputs", n.Op))
	}
	inserted, err := rewrite(m, func(r *rewriting) {
		i, err := newInserting(m, r, n, names)
		r.Fail(err)
		nodes := 0 // copied so far
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) bool {
			if in == onnxwire.GraphMessage && f.Number == onnxwire.GraphValueInfo {
				return i.stale[r.Value(f.Body).Name]
			}
			if !isNode(in, f) {
				return false
			}
			edit := NodeEdit{Inputs: i.reads, Outputs: i.makers, Inside: i.inside}
			// A node that reads what the last one computes is moved behind it by Sorted.
			if nodes == min(i.at, len(m.File().Structure.Graph.Nodes)-1) {
				edit.Before = []NewNode{i.node}
			}
			nodes++
			edit.write(r, out, f)
			return true
		}
		r.AtEnd = func(graph *spliced) {
			for _, c := range constants {
				weight, err := onnxpb.Append(nil, c.Name, c.Tensor)
				r.Fail(err)
				graph.WriteMessage(onnxwire.GraphInitializer, weight)
			}
			constants = nil
		}
	})
	if err != nil {
		return nil, err
	}
	if inserted, err = Sorted(inserted); err != nil {
		return nil, err
	}
	return Cleanup(inserted)
}

// inserting describes the changes to a model that insert a node.
type inserting struct {
	at     int               // number of nodes before the inserted one
	node   NewNode           // the inserted node
	makers map[string]string // new names of node outputs
	reads  map[string]string // new names of node inputs
	stale  map[string]bool   // tensors whose declarations may be wrong now
}

// inside changes the names that a node of a body reads.
func (i *inserting) inside(loaders.Node) (NodeEdit, error) {
	return NodeEdit{Inputs: i.reads, Inside: i.inside}, nil
}

// newInserting finds where to insert the node, and which names to change in other nodes.
func newInserting(m *loaders.Model, r *rewriting, n NewNode, names map[string]bool) (
	*inserting, error) {
	i := &inserting{makers: map[string]string{}, reads: map[string]string{},
		stale: map[string]bool{}}
	c := m.File().Needs(r.Reader)
	given := n
	n.Inputs, n.Outputs = slices.Clone(n.Inputs), slices.Clone(n.Outputs)
	for k, name := range given.Outputs {
		i.stale[name] = true
		_, made := c.Producer[name]
		switch own := slices.Index(given.Inputs, name); {
		case made:
			i.makers[name] = fresh(names, name, "/before")
			if own >= 0 {
				n.Inputs[own] = i.makers[name]
			}
		case own < 0:
			return nil, fmt.Errorf("insert: %q is an input or weight, so no node can compute it", name)
		default:
			if slices.ContainsFunc(c.Graph.Outputs, func(v onnxwire.Value) bool { return v.Name == name }) {
				return nil, fmt.Errorf("insert: %q is an output of the model and also an input "+
					"or a weight, and no node can be inserted after such a tensor", name)
			}
			n.Outputs[k] = fresh(names, name, "/after")
			i.reads[name] = n.Outputs[k]
		}
	}
	for _, name := range given.Inputs {
		if maker, made := c.Producer[name]; made {
			i.at = max(i.at, maker+1)
		}
	}
	i.node = n
	for _, n := range r.Nodes(c.Graph.Nodes) {
		if slices.ContainsFunc(onnxfile.Reads(n, r.Reader), func(s string) bool { return i.stale[s] }) {
			for _, name := range n.Outputs {
				i.stale[name] = true
			}
		}
	}
	return i, nil
}
