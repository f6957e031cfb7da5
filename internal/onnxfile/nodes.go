package onnxfile

import "github.com/modelparity/modelparity/internal/onnxwire"

// Opset returns the version of ONNX's own operator set that the model imports, or 0.
func (m *File) Opset() (version int64) {
	for _, o := range m.Structure.Opsets {
		if IsONNX(o.Domain) {
			version = max(version, o.Version)
		}
	}
	return version
}

// EachNode calls visit for each node of the graph, one at a time.
func (m *File) EachNode(visit func(i int, n *onnxwire.Node, r *onnxwire.Reader)) error {
	r, done := m.Open()
	defer done()
	for i, n := range r.Nodes(m.Structure.Graph.Nodes) {
		visit(i, n, r)
	}
	return m.Located(r.Err())
}

// EveryNode is like EachNode, but also visits the nodes in functions and in the bodies of If, Loop
// and Scan, after the node that contains them. A function's nodes are visited once.
func (m *File) EveryNode(visit func(n *onnxwire.Node, r *onnxwire.Reader)) error {
	r, done := m.Open()
	defer done()
	var walk func(list []onnxwire.Span)
	walk = func(list []onnxwire.Span) {
		for _, n := range r.Nodes(list) {
			visit(n, r)
			for _, span := range n.Bodies {
				walk(r.Body(span).Nodes)
			}
		}
	}
	walk(m.Structure.Graph.Nodes)
	for i := range m.Structure.Functions {
		walk(m.Structure.Functions[i].Nodes)
	}
	return m.Located(r.Err())
}

// Unread returns a clause for the end of an error message. The clause says that nodes in the
// model's own functions are not examined, and what to do about it. Unread returns "" if the model
// has no functions.
func (m *File) Unread() string {
	if len(m.Structure.Functions) == 0 {
		return ""
	}
	return "; nodes in the model's own functions are not examined: inline the functions first " +
		"(onnx.inliner.inline_local_functions in Python)"
}

// Captured lists the names of the tensors that a node's bodies read from the surrounding graph,
// each name once.
func Captured(n *onnxwire.Node, r *onnxwire.Reader) (names []string) {
	seen := map[string]bool{"": true}
	for _, span := range n.Bodies {
		for _, name := range free(r.Body(span), r) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// Reads lists the names of the tensors that a node reads: the tensors that its bodies read,
// followed by its inputs.
func Reads(n *onnxwire.Node, r *onnxwire.Reader) []string {
	return append(Captured(n, r), n.Inputs...)
}

// free lists the names that a body reads but does not define, each name once. The recursion is
// bounded, because loading a model rejects bodies that are nested too deeply.
func free(g *onnxwire.Graph, r *onnxwire.Reader) (names []string) {
	defined := map[string]bool{"": true}
	for _, v := range g.Inputs {
		defined[v.Name] = true
	}
	for i := range g.Initializers {
		defined[g.Initializers[i].Name] = true
	}
	listed := map[string]bool{}
	read := func(name string) {
		if !defined[name] && !listed[name] {
			listed[name] = true
			names = append(names, name)
		}
	}
	for _, n := range r.Nodes(g.Nodes) {
		for _, name := range n.Inputs {
			read(name)
		}
		for _, name := range Captured(n, r) {
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

// TensorNames returns the name of every tensor of the graph.
func (m *File) TensorNames() (map[string]bool, error) {
	graph := &m.Structure.Graph
	names := map[string]bool{}
	for _, v := range graph.Inputs {
		names[v.Name] = true
	}
	for i := range graph.Initializers {
		names[graph.Initializers[i].Name] = true
	}
	r, done := m.Open()
	defer done()
	r.Take(PerName * len(names))
	for _, n := range r.Nodes(graph.Nodes) {
		for _, name := range n.Outputs {
			names[name] = true
		}
		r.Take(PerName * len(n.Outputs))
	}
	delete(names, "")
	return names, m.Located(r.Err())
}

// PerName is an estimate of the memory that a map needs for each name, in bytes.
const PerName = 64

// EachDeclared calls visit for each declaration of a tensor. It visits value_info first, then
// inputs and outputs, so that a declaration as an input or output can override value_info.
func (m *File) EachDeclared(visit func(onnxwire.Value)) error {
	r, done := m.Open()
	defer done()
	graph := &m.Structure.Graph
	for v := range r.Values(graph.Values) {
		visit(v)
	}
	for _, v := range graph.Inputs {
		visit(v)
	}
	for _, v := range graph.Outputs {
		visit(v)
	}
	return m.Located(r.Err())
}

// IsONNX reports whether a domain is that of ONNX's own operators.
func IsONNX(domain string) bool { return domain == "" || domain == "ai.onnx" }

// IsConstant reports whether an operator is ONNX's Constant. A Constant's value is a weight, which
// is named after the node's output.
func IsConstant(domain, op string) bool { return op == "Constant" && IsONNX(domain) }

// OperatorName returns an operator's name. The name is prefixed with the domain, unless the
// operator is ONNX's own.
func OperatorName(domain, op string) string {
	if IsONNX(domain) {
		return op
	}
	return domain + "." + op
}
