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
	return rewrite(m, func(r *rewriting) error {
		c, err := m.File().Needs(r.Source)
		if err == nil {
			outputs := make([]string, len(c.Graph.Outputs))
			for i, v := range c.Graph.Outputs {
				outputs[i] = v.Name
			}
			err = c.Reach(outputs)
		}
		if err != nil {
			return fmt.Errorf("cleanup: %w", err)
		}
		unread := map[string]bool{} // unused inputs' default values
		for i := range c.Graph.Initializers {
			unread[c.Graph.Initializers[i].Name] = !c.Weights[i]
		}
		node, weight := 0, 0
		r.Change = func(_ *spliced, in onnxwire.Message, f onnxwire.Field) (bool, error) {
			if in != onnxwire.GraphMessage {
				return false, nil
			}
			switch f.Number {
			case onnxwire.GraphNode:
				node++
				return !c.Nodes[node-1], nil
			case onnxwire.GraphInitializer, onnxwire.GraphSparseInitializer:
				weight++
				return !c.Weights[weight-1], nil
			case onnxwire.GraphInput:
				v, err := r.Reader.Value(f.Body)
				return unread[v.Name], err
			case onnxwire.GraphValueInfo:
				v, err := r.Reader.Value(f.Body)
				maker, made := c.Producer[v.Name]
				return made && !c.Nodes[maker], err
			}
			return false, nil
		}
		return nil
	})
}

// Sorted returns the model with its graph's nodes in topological order, as ONNX requires: each node
// follows the nodes whose outputs it or its bodies read. The sort is stable. Sorted returns m
// itself if it is sorted, and an error if the graph has a cycle.
func Sorted(m *loaders.Model) (*loaders.Model, error) {
	already := false
	sorted, err := rewrite(m, func(r *rewriting) error {
		order, err := executionOrder(m, r)
		if already = slices.IsSorted(order); err != nil || already {
			r.Change = func(*spliced, onnxwire.Message, onnxwire.Field) (bool, error) { return false, nil }
			return err
		}
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) (bool, error) {
			if in != onnxwire.GraphMessage || f.Number != onnxwire.GraphNode {
				return false, nil
			}
			for _, i := range order { // write all nodes in the place of the first one
				out.Message(onnxwire.GraphNode, m.File().Structure.Graph.Nodes.At(i))
			}
			order = nil
			return true, nil
		}
		return nil
	})
	if err == nil && already {
		return m, nil
	}
	return sorted, err
}

// executionOrder returns the indices of the graph's nodes, each after the nodes that it depends on.
func executionOrder(m *loaders.Model, r *rewriting) (order []int, err error) {
	nodes := &m.File().Structure.Graph.Nodes
	producer := map[string]int{}
	waits, readers := make([]int, nodes.Len()), make([][]int, nodes.Len())
	err = m.File().List(func(take func(int) error) error {
		err := onnxfile.Each(r.Reader, nodes, func(i int, n *onnxwire.Node) error {
			for _, name := range n.Outputs {
				if name != "" {
					producer[name] = i
				}
			}
			return take(onnxfile.PerName * (1 + len(n.Outputs)))
		})
		if err != nil {
			return err
		}
		return onnxfile.Each(r.Reader, nodes, func(i int, n *onnxwire.Node) error {
			inside, err := onnxfile.Captured(n, r.Reader)
			for _, name := range append(inside, n.Inputs...) {
				if from, made := producer[name]; made {
					readers[from] = append(readers[from], i)
					waits[i]++
				}
			}
			return err
		})
	})
	if err != nil {
		return nil, err
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
		n, err := r.Reader.Node(nodes.At(stuck))
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("the graph has a cycle through node %d, %s %q", stuck, n.Op, n.Name)
	}
	return order, nil
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
