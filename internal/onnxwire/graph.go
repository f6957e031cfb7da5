package onnxwire

import (
	"iter"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// graph adds the GraphProto in f to g. depth is the number of enclosing graphs.
func (r *Reader) graph(f Field, g *Graph, depth int) {
	if depth > maxDepth {
		r.wrong(f.Whole.Start, "graphs are nested more than %d deep", maxDepth)
	}
	r.wants(f, protowire.BytesType, "a graph")
	r.graphFields(f.Body, g, depth)
}

// graphFields reads the fields of the GraphProto at span.
func (r *Reader) graphFields(span Span, g *Graph, depth int) {
	for f := range r.Fields(span) {
		switch f.Number {
		case GraphNode:
			r.node(&g.Nodes, f, depth)
		case GraphName:
			g.Name = r.text(f, "the graph's name")
		case GraphInitializer, GraphSparseInitializer:
			g.Initializers = grow(g.Initializers, r.initializer(f))
		case GraphInput:
			g.Inputs = grow(g.Inputs, r.value(f, "an input"))
		case GraphOutput:
			g.Outputs = grow(g.Outputs, r.value(f, "an output"))
		case GraphValueInfo: // read whole, so that a later read cannot fail
			r.keep(&g.Values, f, "a value_info", func() { r.valueAt(f.Body, "a value_info") })
		}
	}
}

// node appends the span of the NodeProto in f to list. It reads the whole node, so that a later
// read cannot fail, but keeps only the span.
func (r *Reader) node(list *[]Span, f Field, depth int) {
	r.keep(list, f, "a node", func() {
		if !r.shallow {
			r.nodeFields(&Node{}, f.Body, depth)
		}
	})
}

// keep adds the span of a message to the list, and then calls check to check the message. Only the
// span counts against the memory budget, because the objects that check creates are freed.
func (r *Reader) keep(list *[]Span, f Field, what string, check func()) {
	r.wants(f, protowire.BytesType, what)
	r.charge(f.Whole.Start, size[Span]())
	if r.err != nil {
		return
	}
	*list = grow(*list, f.Body)
	before := r.budget
	check()
	r.budget = before
}

// nodeFields reads the fields of the NodeProto at span.
func (r *Reader) nodeFields(n *Node, span Span, depth int) {
	for f := range r.Fields(span) {
		switch f.Number {
		case NodeInput:
			n.Inputs = grow(n.Inputs, r.listed(f, "a node's input"))
		case NodeOutput:
			n.Outputs = grow(n.Outputs, r.listed(f, "a node's output"))
		case NodeName:
			n.Name = r.text(f, "a node's name")
		case NodeOp:
			n.Op = r.text(f, "a node's operator")
		case NodeDomain:
			n.Domain = r.text(f, "a node's domain")
		case NodeAttribute:
			r.attribute(n, f, depth)
		case nodeMetadata:
			if n.Metadata.End == 0 {
				n.Metadata.Start = f.Whole.Start
			}
			n.Metadata.End = f.Body.End
		}
	}
}

// listed reads one element of a repeated string field, and counts the memory of its list entry
// against the budget.
func (r *Reader) listed(f Field, what string) string {
	r.charge(f.Whole.Start, size[string]())
	return r.text(f, what)
}

// attribute collects an AttributeProto's graphs and external data.
func (r *Reader) attribute(n *Node, f Field, depth int) {
	r.charge(f.Whole.Start, size[Attribute]())
	var met once
	for f := range r.inside(f, "an attribute") {
		switch f.Number {
		case AttributeTensor, attributeGraph, attributeSparseTensor:
			r.meet(&met, f, "an attribute's tensor or graph")
		}
		switch AttributeMessage.Member(f.Number) {
		case GraphMessage:
			r.charge(f.Whole.Start, size[Span]())
			n.Bodies = grow(n.Bodies, f.Body)
			if !r.shallow {
				r.graph(f, &Graph{}, depth+1)
			}
		case TensorMessage:
			if !r.shallow {
				r.tensor(f)
			}
		case SparseTensorMessage:
			if !r.shallow {
				r.sparse(f)
			}
		}
	}
}

// Node reads the NodeProto at span.
func (r *Reader) Node(span Span) *Node {
	n := &Node{Span: span}
	r.nodeFields(n, span, 0)
	return n
}

// Nodes reads the nodes of a list, one at a time.
func (r *Reader) Nodes(list []Span) iter.Seq2[int, *Node] {
	return func(yield func(int, *Node) bool) {
		for i, span := range list {
			n := r.Node(span)
			if r.err != nil || !yield(i, n) || r.err != nil {
				return
			}
		}
	}
}

// Body reads the GraphProto at span, which is a body of a node.
func (r *Reader) Body(span Span) *Graph {
	g := new(Graph)
	r.graphFields(span, g, 0)
	return g
}

// grow appends v to a list. It doubles the list's capacity when the list is full. The current and
// all earlier arrays of the list therefore take at most twice the memory that [Reader.charge]
// counts for the elements.
func grow[T any](list []T, v T) []T {
	if len(list) == cap(list) {
		list = append(make([]T, 0, max(1, 2*len(list))), list...)
	}
	return append(list, v)
}

// size returns the bytes that one T takes in a growing slice: twice its size, because the slice
// doubles its capacity when it is full.
func size[T any]() int { var t T; return 2 * int(unsafe.Sizeof(t)) }
