package edit

import (
	"container/heap"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
)

// Cleanup returns the model without the nodes and initializers of its graph that no output depends
// on, and without the declarations of their tensors. It keeps inputs, except unused ones that have
// a default value. The rest of the file stays the same, byte for byte. A node includes its bodies:
// they are kept or removed with it.
//
// It is an error if a node reads a tensor that is not defined.
func Cleanup(m *loaders.Model) (*loaders.Model, error) {
	return rewrite(m, func(r *rewriting) {
		c := m.File().Needs(r.Reader)
		outputs := make([]string, len(c.Graph.Outputs))
		for i, v := range c.Graph.Outputs {
			outputs[i] = v.Name
		}
		if err := c.Reach(outputs); err != nil {
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

// Sorted returns the model with its graph's nodes in topological order, as ONNX requires: each node
// follows the nodes whose outputs it or its bodies read. The sort is stable. Sorted returns m
// itself if it is sorted, and an error if the graph has a cycle.
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
				out.Message(onnxwire.GraphNode, m.File().Structure.Graph.Nodes.At(i))
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
	nodes := &m.File().Structure.Graph.Nodes
	producer := map[string]int{}
	waits, readers := make([]int, nodes.Len()), make([][]int, nodes.Len())
	for i, n := range r.Nodes(nodes) {
		for _, name := range n.Outputs {
			if name != "" {
				producer[name] = i
			}
		}
		r.Take(onnxfile.PerName * (1 + len(n.Outputs)))
	}
	for i, n := range r.Nodes(nodes) {
		for _, name := range onnxfile.Reads(n, r.Reader) {
			if from, made := producer[name]; made {
				readers[from] = append(readers[from], i)
				waits[i]++
			}
		}
	}
	var ready indices
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 { // ascending, so it is already a heap
		i := heap.Pop(&ready).(int)
		order = append(order, i)
		for _, reader := range readers[i] {
			if waits[reader]--; waits[reader] == 0 {
				heap.Push(&ready, reader)
			}
		}
	}
	if stuck := slices.IndexFunc(waits, func(n int) bool { return n > 0 }); stuck >= 0 {
		n := r.Node(nodes.At(stuck))
		r.Fail(fmt.Errorf("the graph has a cycle through node %d, %s %q", stuck, n.Op, n.Name))
	}
	return order
}

// indices is a min-heap of node indices, for package container/heap.
type indices []int

func (h indices) Len() int           { return len(h) }
func (h indices) Less(i, j int) bool { return h[i] < h[j] }
func (h indices) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *indices) Push(i any)        { *h = append(*h, i.(int)) }
func (h *indices) Pop() any {
	last := len(*h) - 1
	i := (*h)[last]
	*h = (*h)[:last]
	return i
}
