package edit

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
)

// Cleanup returns the model without the nodes and initializers of its graph that no output depends
// on, and without the declarations of their tensors. It keeps inputs, except unused ones that have
// a default value. The rest of the file stays the same, byte for byte. The bodies of a node (the
// subgraphs of an If, Loop or Scan) are kept or removed with the node.
//
// It is an error if a node reads a tensor that is not defined.
func Cleanup(m *loaders.Model) (*loaders.Model, error) {
	return rewrite(m, func(r *rewriting) {
		c := m.File().Needs(r.Reader)
		if err := c.Reach(onnxwire.Names(c.Graph.Outputs)); err != nil {
			r.Fail(fmt.Errorf("cleanup: %w", err))
		}
		unread := map[string]bool{} // unused inputs' default values
		for i := range c.Graph.Initializers {
			unread[c.Graph.Initializers[i].Name] = !c.Weights[i]
		}
		node, weight := 0, 0
		r.Change = func(_ *spliced, in onnxwire.Message, f onnxwire.Field) bool {
			if in != onnxwire.GraphMessage {
				return false
			}
			switch f.Number {
			case onnxwire.GraphNode:
				node++
				return !c.Nodes[node-1]
			case onnxwire.GraphInitializer, onnxwire.GraphSparseInitializer:
				weight++
				return !c.Weights[weight-1]
			case onnxwire.GraphInput:
				return unread[r.Value(f.Body).Name]
			case onnxwire.GraphValueInfo:
				maker, made := c.Producer[r.Value(f.Body).Name]
				return made && !c.Nodes[maker]
			}
			return false
		}
	})
}

// Sorted returns the model with its graph's nodes in topological order, as ONNX requires: if a node
// or one of its bodies reads the output of another node, the other node comes first. The sort is
// stable. Sorted returns m itself if m is sorted already, and an error if the graph has a cycle.
func Sorted(m *loaders.Model) (*loaders.Model, error) {
	already := false
	sorted, err := rewrite(m, func(r *rewriting) {
		order := executionOrder(m, r)
		already = slices.IsSorted(order)
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) bool {
			if already || !isNode(in, f) {
				return false
			}
			for _, i := range order { // write all nodes in the place of the first one
				out.Message(onnxwire.GraphNode, m.File().Structure.Graph.Nodes[i])
			}
			order = nil
			return true
		}
	})
	if err == nil && already {
		return m, nil
	}
	return sorted, err
}

// executionOrder returns the indices of the graph's nodes, each after the nodes that it depends on.
func executionOrder(m *loaders.Model, r *rewriting) (order []int) {
	nodes, producer := m.File().Structure.Graph.Nodes, m.File().Needs(r.Reader).Producer
	needs := make([][]int, len(nodes))
	for i, n := range r.Nodes(nodes) {
		for _, name := range onnxfile.Reads(n, r.Reader) {
			if from, made := producer[name]; made {
				needs[i] = append(needs[i], from)
			}
		}
	}
	open, done := make([]bool, len(needs)), make([]bool, len(needs))
	for i := range needs {
		for pending := []int{i}; len(pending) > 0; { // not recursive: a chain may be very long
			at := pending[len(pending)-1]
			if open[at] || done[at] { // everything that it needs is done
				pending = pending[:len(pending)-1]
				if !done[at] {
					done[at], order = true, append(order, at)
				}
				continue
			}
			open[at] = true
			for _, from := range slices.Backward(needs[at]) {
				if open[from] && !done[from] {
					n := r.Node(nodes[from])
					r.Fail(fmt.Errorf("the graph has a cycle through node %d, %s %q", from, n.Op, n.Name))
					return nil
				}
				pending = append(pending, from)
			}
		}
	}
	return order
}
