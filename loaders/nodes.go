package loaders

import "github.com/modelparity/modelparity/internal/onnxwire"

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
}

// Nodes is the nodes of the graph, in order. Nodes inside the bodies of If, Loop and Scan, and
// inside functions, are part of the node that holds them.
func (m *Model) Nodes() ([]Node, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	wire := m.structure.Graph.Nodes
	nodes := make([]Node, len(wire))
	for i := range wire {
		n := &wire[i]
		nodes[i] = Node{Index: i, Name: n.Name, Op: n.Op, Domain: n.Domain, Inputs: n.Inputs,
			Outputs: n.Outputs, Captured: captured(n)}
	}
	return nodes, nil
}

// captured lists the names that a node's bodies read from the graph around it, each once.
func captured(n *onnxwire.Node) []string {
	if len(n.Bodies) == 0 {
		return nil
	}
	seen := map[string]bool{"": true}
	var names []string
	for i := range n.Bodies {
		for _, name := range free(&n.Bodies[i]) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// free lists the names that a body reads and does not define. Nesting was bounded by the scan.
func free(g *onnxwire.Graph) []string {
	defined := map[string]bool{"": true}
	for _, v := range g.Inputs {
		defined[v.Name] = true
	}
	for i := range g.Initializers {
		defined[g.Initializers[i].Name] = true
	}
	var names []string
	read := func(name string) {
		if !defined[name] {
			names = append(names, name)
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for _, name := range n.Inputs {
			read(name)
		}
		for _, name := range captured(n) {
			read(name)
		}
		for _, name := range n.Outputs {
			defined[name] = true
		}
	}
	for _, v := range g.Outputs {
		read(v.Name)
	}
	return names
}
