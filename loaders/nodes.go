package loaders

import (
	"unsafe"

	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Node is one node of the model's graph.
type Node struct {
	// Index is the place in graph order, which ONNX requires to be an order of execution.
	Index   int      `json:"index"`
	Name    string   `json:"name,omitempty"`
	Op      string   `json:"op"`
	Domain  string   `json:"domain,omitempty"` // of the operator; "" is ONNX's own
	Inputs  []string `json:"inputs"`           // "" is an optional one that is left out
	Outputs []string `json:"outputs"`
	// Captured are the tensors of this graph that the node's bodies (If, Loop, Scan) read besides
	// Inputs.
	Captured []string `json:"captured,omitempty"`
	// Module is the path of the module that the node was exported from, "layer3.0.conv1", and Source
	// the file and line that called it, "/home/me/net.py:94". PyTorch's exporters leave them, the
	// older one in the node's name and without a line; "" where a model does not say.
	Module string `json:"module,omitempty"`
	Source string `json:"source,omitempty"`
}

// Nodes is the nodes of the graph, in graph order. Nodes inside the bodies of If, Loop and Scan,
// and inside functions, are part of the node that holds them. A list that is far larger than the
// model (of a million nodes without names, for one) is an error.
func (m *Model) Nodes() ([]Node, error) {
	var nodes []Node
	err := m.list(func(take func(int) error) error {
		return m.eachNode(func(i int, n *onnxwire.Node, r *onnxwire.Reader) error {
			node, err := nodeOf(i, n, r)
			nodes = append(nodes, node)
			if err != nil {
				return err
			}
			return take(node.memory())
		})
	})
	return nodes, err
}

// memory is about what a list needs for the node.
func (n Node) memory() int {
	strings := len(n.Inputs) + len(n.Outputs) + len(n.Captured)
	return 2*int(unsafe.Sizeof(n)) + 32*strings + len(n.Module) + len(n.Source) + 48
}

// list gathers something of every part of the model, as long as that takes no more than what
// package budget allows for a file of its size.
func (m *Model) list(gather func(take func(bytes int) error) error) error {
	size, err := m.Size()
	if err != nil {
		return err
	}
	var structure budget.Structure
	err = gather(func(n int) error { return structure.Take(n, size) })
	if err != nil {
		return m.located(err)
	}
	return nil
}

// eachNode reads the nodes of the graph, one at a time.
func (m *Model) eachNode(visit func(i int, n *onnxwire.Node, r *onnxwire.Reader) error) error {
	source, done, err := m.content.open()
	if err != nil {
		return err
	}
	defer done()
	r := onnxwire.NewReader(source)
	return each(r, &m.structure.Graph.Nodes, func(i int, n *onnxwire.Node) error {
		return visit(i, n, r)
	})
}

// each reads nodes, one at a time.
func each(r *onnxwire.Reader, nodes *onnxwire.Spans, visit func(int, *onnxwire.Node) error) error {
	for i, span := range nodes.All() {
		n, err := r.Node(span)
		if err == nil {
			err = visit(i, &n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func nodeOf(i int, n *onnxwire.Node, r *onnxwire.Reader) (Node, error) {
	names, err := captured(n, r)
	module, source := origin(n, r)
	return Node{Index: i, Name: n.Name, Op: n.Op, Domain: n.Domain, Inputs: n.Inputs,
		Outputs: n.Outputs, Captured: names, Module: module, Source: source}, err
}

// captured lists the names that a node's bodies read from the graph around it, each once.
func captured(n *onnxwire.Node, r *onnxwire.Reader) ([]string, error) {
	seen := map[string]bool{"": true}
	var names []string
	for _, span := range n.Bodies {
		body, err := r.Body(span)
		if err != nil {
			return nil, err
		}
		read, err := free(body, r)
		if err != nil {
			return nil, err
		}
		for _, name := range read {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// free lists the names that a body reads and does not define, each once. Nesting was bounded by
// the scan.
func free(g *onnxwire.Graph, r *onnxwire.Reader) ([]string, error) {
	defined := map[string]bool{"": true}
	for _, v := range g.Inputs {
		defined[v.Name] = true
	}
	for i := range g.Initializers {
		defined[g.Initializers[i].Name] = true
	}
	var names []string
	listed := map[string]bool{}
	read := func(name string) {
		if !defined[name] && !listed[name] {
			listed[name] = true
			names = append(names, name)
		}
	}
	err := each(r, &g.Nodes, func(_ int, n *onnxwire.Node) error {
		for _, name := range n.Inputs {
			read(name)
		}
		inner, err := captured(n, r)
		for _, name := range inner {
			read(name)
		}
		for _, name := range n.Outputs {
			defined[name] = true
		}
		return err
	})
	for _, v := range g.Outputs {
		read(v.Name)
	}
	return names, err
}
