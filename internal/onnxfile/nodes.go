package onnxfile

import (
	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// List calls gather, which builds a list. gather calls take with the number of bytes that the list,
// or each part of it, needs. take returns an error if the total exceeds package budget's limit for
// a model file of this size.
func (m *File) List(gather func(take func(bytes int) error) error) error {
	size, err := m.Size()
	if err != nil {
		return err
	}
	var structure budget.Structure
	err = gather(func(n int) error { return structure.Take(n, size) })
	if err != nil {
		return m.Located(err)
	}
	return nil
}

// EachNode calls visit for each node of the graph, one at a time.
func (m *File) EachNode(visit func(i int, n *onnxwire.Node, r *onnxwire.Reader) error) error {
	source, done, err := m.content.open()
	if err != nil {
		return err
	}
	defer done()
	r := onnxwire.NewReader(source)
	return Each(r, &m.Structure.Graph.Nodes, func(i int, n *onnxwire.Node) error {
		return visit(i, n, r)
	})
}

// EveryNode is like EachNode, but also visits the nodes in functions and in the bodies of If, Loop
// and Scan, after the node that contains them. A function's nodes are visited once.
func (m *File) EveryNode(visit func(n *onnxwire.Node, r *onnxwire.Reader) error) error {
	source, done, err := m.Open()
	if err != nil {
		return m.Located(err)
	}
	defer done()
	r := onnxwire.NewReader(source)
	var walk func(span onnxwire.Span, kind onnxwire.Message) error
	walk = func(span onnxwire.Span, kind onnxwire.Message) error {
		return onnxwire.Walk(source, span, func(f onnxwire.Field) error {
			member := kind.Member(f.Number)
			switch member {
			case onnxwire.NodeMessage:
				n, err := r.Node(f.Body)
				if err == nil {
					err = visit(&n, r)
				}
				if err != nil {
					return err
				}
			case onnxwire.OtherMessage, onnxwire.TensorMessage, onnxwire.SparseTensorMessage,
				onnxwire.TrainingMessage:
				return nil
			}
			return walk(f.Body, member)
		})
	}
	if err := walk(onnxwire.Span{End: source.Size()}, onnxwire.ModelMessage); err != nil {
		return m.Located(err)
	}
	return nil
}

// Each calls visit for each node of a list, one at a time.
func Each(r *onnxwire.Reader, nodes *onnxwire.Spans, visit func(int, *onnxwire.Node) error) error {
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

// Captured lists the names of the tensors that a node's bodies read from the surrounding graph,
// each name once.
func Captured(n *onnxwire.Node, r *onnxwire.Reader) ([]string, error) {
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

// free lists the names that a body reads but does not define, each name once. Its recursion is
// bounded, because the scan has limited how deeply bodies are nested.
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
	err := Each(r, &g.Nodes, func(_ int, n *onnxwire.Node) error {
		for _, name := range n.Inputs {
			read(name)
		}
		inner, err := Captured(n, r)
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

// TensorNames returns the name of every tensor of the graph.
func (m *File) TensorNames() (map[string]bool, error) {
	graph := &m.Structure.Graph
	names := map[string]bool{}
	err := m.List(func(take func(int) error) error {
		for _, v := range graph.Inputs {
			names[v.Name] = true
		}
		for i := range graph.Initializers {
			names[graph.Initializers[i].Name] = true
		}
		if err := take(PerName * len(names)); err != nil {
			return err
		}
		return m.EachNode(func(_ int, n *onnxwire.Node, _ *onnxwire.Reader) error {
			for _, name := range n.Outputs {
				names[name] = true
			}
			return take(PerName * len(n.Outputs))
		})
	})
	delete(names, "")
	return names, err
}

// PerName is an estimate of the memory that a map needs for each name, in bytes.
const PerName = 64

// EachDeclared calls visit for each declaration of a tensor. It visits value_info first, then
// inputs and outputs, so that a declaration as an input or output can override value_info.
func (m *File) EachDeclared(visit func(onnxwire.Value)) error {
	source, done, err := m.content.open()
	if err != nil {
		return err
	}
	defer done()
	graph := &m.Structure.Graph
	reader := onnxwire.NewReader(source)
	for _, span := range graph.Values.All() {
		v, err := reader.Value(span)
		if err != nil {
			return err
		}
		visit(v)
	}
	for _, v := range graph.Inputs {
		visit(v)
	}
	for _, v := range graph.Outputs {
		visit(v)
	}
	return nil
}

// IsONNX reports whether operators of a domain are ONNX's own.
func IsONNX(domain string) bool { return domain == "" || domain == "ai.onnx" }

// IsConstant reports whether an operator is ONNX's Constant. Its value is a weight, whose name is
// the name of the node's output.
func IsConstant(domain, op string) bool { return op == "Constant" && IsONNX(domain) }

// OperatorName returns an operator's name. The name is prefixed with the domain, unless the
// operator is ONNX's own.
func OperatorName(domain, op string) string {
	if IsONNX(domain) {
		return op
	}
	return domain + "." + op
}
