package loaders

import (
	"container/heap"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Cleanup returns the model without the nodes and initializers of its graph that no output needs,
// and without what it declares of their tensors. Inputs stay, but for those with a default that
// nothing reads, and so does the rest of the file, byte for byte. Bodies are part of the node that
// holds them.
//
// A tensor that is read and that nothing makes is an error.
func (m *Model) Cleanup() (*Model, error) {
	return m.rewrite(func(r *rewriting) error {
		c, err := m.newCut(nil, r.source)
		if err == nil {
			err = c.reach(valuesOf(c.graph.Outputs))
		}
		if err != nil {
			return fmt.Errorf("cleanup: %w", err)
		}
		unread := map[string]bool{} // defaults of inputs that nothing reads
		for i := range c.graph.Initializers {
			unread[c.graph.Initializers[i].Name] = !c.weights[i]
		}
		node, weight := 0, 0
		r.change = func(_ *spliced, in onnxwire.Message, f onnxwire.Field) (bool, error) {
			if in != onnxwire.GraphMessage {
				return false, nil
			}
			switch f.Number {
			case onnxwire.GraphNode:
				node++
				return !c.nodes[node-1], nil
			case onnxwire.GraphInitializer, onnxwire.GraphSparseInitializer:
				weight++
				return !c.weights[weight-1], nil
			case onnxwire.GraphInput:
				v, err := r.reader.Value(f.Body)
				return unread[v.Name], err
			case onnxwire.GraphValueInfo:
				v, err := r.reader.Value(f.Body)
				maker, made := c.producer[v.Name]
				return made && !c.nodes[maker], err
			}
			return false, nil
		}
		return nil
	})
}

// Sorted returns the model with the nodes of its graph sorted topologically, as ONNX requires: each
// node follows those whose outputs it or its bodies read. The sort is stable. A cycle is an error.
func (m *Model) Sorted() (*Model, error) {
	return m.rewrite(func(r *rewriting) error {
		order, err := m.executionOrder(r)
		if err != nil || slices.IsSorted(order) {
			r.change = func(*spliced, onnxwire.Message, onnxwire.Field) (bool, error) { return false, nil }
			return err
		}
		r.change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) (bool, error) {
			if in != onnxwire.GraphMessage || f.Number != onnxwire.GraphNode {
				return false, nil
			}
			for _, i := range order { // all where the first one was
				out.message(onnxwire.GraphNode, m.structure.Graph.Nodes.At(i))
			}
			order = nil
			return true, nil
		}
		return nil
	})
}

// executionOrder is the nodes of the graph, each behind those that it needs.
func (m *Model) executionOrder(r *rewriting) (order []int, err error) {
	nodes := &m.structure.Graph.Nodes
	producer := map[string]int{}
	waits, readers := make([]int, nodes.Len()), make([][]int, nodes.Len())
	err = m.list(func(take func(int) error) error {
		err := each(r.reader, nodes, func(i int, n *onnxwire.Node) error {
			for _, name := range n.Outputs {
				if name != "" {
					producer[name] = i
				}
			}
			return take(perName * (1 + len(n.Outputs)))
		})
		if err != nil {
			return err
		}
		return each(r.reader, nodes, func(i int, n *onnxwire.Node) error {
			inside, err := captured(n, r.reader)
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
	for len(ready) > 0 { // ascending, so that it is a heap
		i := heap.Pop(&ready).(int)
		order = append(order, i)
		for _, reader := range readers[i] {
			if waits[reader]--; waits[reader] == 0 {
				heap.Push(&ready, reader)
			}
		}
	}
	if stuck := slices.IndexFunc(waits, func(n int) bool { return n > 0 }); stuck >= 0 {
		n, err := r.reader.Node(nodes.At(stuck))
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("node %d, %s %q, needs itself: the graph has a cycle", stuck, n.Op, n.Name)
	}
	return order, nil
}

// indices is a heap with the least one first.
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
