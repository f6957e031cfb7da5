package onnxwire

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of GraphProto.
const (
	graphNode              protowire.Number = 1
	graphName              protowire.Number = 2
	graphInitializer       protowire.Number = 5
	graphInput             protowire.Number = 11
	graphOutput            protowire.Number = 12
	graphValueInfo         protowire.Number = 13
	graphQuantization      protowire.Number = 14
	graphSparseInitializer protowire.Number = 15
)

// graphAt adds the GraphProto in f to g. depth is the number of enclosing graphs.
func (s *scanner) graphAt(f field, g *Graph, depth int) error {
	span, err := f.message("a graph")
	if err != nil {
		return err
	}
	if depth > maxDepth {
		return &SyntaxError{f.offset, fmt.Sprintf("graphs are nested more than %d deep", maxDepth)}
	}
	return s.graphFields(span, g, depth)
}

// graphFields reads the fields of the GraphProto at span.
func (s *scanner) graphFields(span Span, g *Graph, depth int) error {
	return s.fields(span, func(f field) (err error) {
		switch f.number {
		case graphNode:
			err = s.node(&g.Nodes, f, depth)
		case graphName:
			g.Name, err = s.text(f, "the graph's name")
		case graphInitializer, graphSparseInitializer:
			g.Initializers, err = s.initializer(g.Initializers, f)
		case graphInput:
			g.Inputs, err = s.value(g.Inputs, f, "an input")
		case graphOutput:
			g.Outputs, err = s.value(g.Outputs, f, "an output")
		case graphValueInfo:
			err = s.valueInfo(&g.Values, f)
		case graphQuantization:
			g.Quantization, err = add(s.reader, g.Quantization, f, f.span)
		}
		return err
	})
}

// Field numbers of NodeProto.
const (
	nodeInput     protowire.Number = 1
	nodeOutput    protowire.Number = 2
	nodeName      protowire.Number = 3
	nodeOp        protowire.Number = 4
	nodeAttribute protowire.Number = 5
	nodeDoc       protowire.Number = 6
	nodeDomain    protowire.Number = 7
	nodeMetadata  protowire.Number = 9
)

// node appends the span of the NodeProto in f to list. It reads the whole node, so that a later
// read cannot fail, but keeps only the span.
func (s *scanner) node(list *Spans, f field, depth int) error {
	return s.keep(list, f, "a node", func(span Span) error {
		if s.shallow {
			return nil
		}
		return s.nodeFields(&Node{}, span, depth)
	})
}

// nodeFields reads the fields of the NodeProto at span.
func (s *scanner) nodeFields(n *Node, span Span, depth int) error {
	return s.fields(span, func(f field) (err error) {
		switch f.number {
		case nodeInput:
			n.Inputs, err = s.texts(n.Inputs, f, "a node's input")
		case nodeOutput:
			n.Outputs, err = s.texts(n.Outputs, f, "a node's output")
		case nodeName:
			n.Name, err = s.text(f, "a node's name")
		case nodeOp:
			n.Op, err = s.text(f, "a node's operator")
		case nodeDomain:
			n.Domain, err = s.text(f, "a node's domain")
		case nodeAttribute:
			err = s.attribute(n, f, depth)
		case nodeMetadata:
			if n.Metadata.End == 0 {
				n.Metadata.Start = f.offset
			}
			n.Metadata.End = f.span.End
		}
		return err
	})
}

// texts appends one element of a repeated string field to list.
func (s *scanner) texts(list []string, f field, what string) ([]string, error) {
	text, err := s.text(f, what)
	if err != nil {
		return nil, err
	}
	return add(s.reader, list, f, text)
}

// These are the field numbers of AttributeProto that hold tensors and graphs.
const (
	attributeTensor        protowire.Number = 5
	attributeGraph         protowire.Number = 6
	attributeTensors       protowire.Number = 10
	attributeGraphs        protowire.Number = 11
	attributeSparseTensor  protowire.Number = 22
	attributeSparseTensors protowire.Number = 23
)

// attribute collects an AttributeProto's graphs and external data.
func (s *scanner) attribute(n *Node, f field, depth int) error {
	span, err := f.message("an attribute")
	if err != nil {
		return err
	}
	if err := s.charge(f.offset, size[Attribute]()); err != nil {
		return err
	}
	var met once
	return s.fields(span, func(f field) (err error) {
		switch f.number {
		case attributeTensor, attributeGraph, attributeSparseTensor:
			if err := met.meet(f, "an attribute's tensor or graph"); err != nil {
				return err
			}
		}
		switch f.number {
		case attributeGraph, attributeGraphs:
			if n.Bodies, err = add(s.reader, n.Bodies, f, f.span); err != nil || s.shallow {
				return err
			}
			return s.graphAt(f, &Graph{}, depth+1)
		case attributeTensor, attributeTensors:
			if s.shallow {
				return nil
			}
			_, err := s.tensor(f)
			return err
		case attributeSparseTensor, attributeSparseTensors:
			if s.shallow {
				return nil
			}
			_, err := s.sparse(f)
			return err
		}
		return nil
	})
}
