// Package onnxtest writes small ONNX models for specs, so that a spec shows the model it is about.
// It can also write invalid models.
package onnxtest

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Model is a ModelProto. The defaults are IR version 9 and opset 19.
type Model struct {
	IR        int64
	Producer  string
	Opsets    map[string]int64
	Graph     Graph
	Functions []Function
}

// Graph is a GraphProto.
type Graph struct {
	Name         string
	Nodes        []Node
	Initializers []Tensor
	Inputs       []Value
	Outputs      []Value
	Values       []Value
}

// Node is a NodeProto.
type Node struct {
	Op, Name, Domain string
	In, Out          []string
	Attrs            []Attr
	Metadata         [][2]string // keys and values
}

// Attr is an AttributeProto with one of the values below.
type Attr struct {
	Name   string
	Int    *int64
	Ints   []int64
	Float  *float32
	Text   string
	Texts  []string
	Tensor *Tensor
	Graph  *Graph
}

// Tensor is a TensorProto. Its data is raw, or external if one of the last three fields is set.
type Tensor struct {
	Name           string
	Type           int32
	Dims           []int64
	Raw            []byte
	Location       string
	Offset, Length string
}

// Value is a ValueInfoProto. Its type is a tensor of Elem and Dims, unless Proto contains an
// encoded TypeProto. A dimension is an int, a string (a symbol), or nil (unknown).
type Value struct {
	Name  string
	Elem  int32
	Dims  []any // nil if no shape is declared
	Proto []byte
}

// Function is a FunctionProto.
type Function struct {
	Name, Domain string
	In, Out      []string
	Nodes        []Node
}

// Bytes encodes the model.
func (m Model) Bytes() []byte {
	if m.IR == 0 {
		m.IR = 9
	}
	if m.Opsets == nil {
		m.Opsets = map[string]int64{"": 19}
	}
	b := Varint(nil, 1, m.IR)
	b = text(b, 2, m.Producer)
	b = Message(b, 7, m.Graph.Bytes()) // OpenVINO reads no model with two opsets before the graph
	for _, domain := range slices.Sorted(maps.Keys(m.Opsets)) {
		b = Message(b, 8, opset(domain, m.Opsets[domain]))
	}
	for _, f := range m.Functions {
		b = Message(b, 25, f.bytes())
	}
	return b
}

func opset(domain string, version int64) []byte { return Varint(text(nil, 1, domain), 2, version) }

// Bytes encodes the graph.
func (g Graph) Bytes() []byte {
	var b []byte
	for _, n := range g.Nodes {
		b = Message(b, 1, n.bytes())
	}
	if g.Name == "" {
		g.Name = "g"
	}
	b = text(b, 2, g.Name)
	for _, t := range g.Initializers {
		b = Message(b, 5, t.Bytes())
	}
	for i, values := range [][]Value{g.Inputs, g.Outputs, g.Values} {
		for _, v := range values {
			b = Message(b, protowire.Number(11+i), v.Bytes())
		}
	}
	return b
}

func (n Node) bytes() []byte {
	var b []byte
	for _, in := range n.In {
		b = Message(b, 1, []byte(in))
	}
	for _, out := range n.Out {
		b = Message(b, 2, []byte(out))
	}
	b = text(text(text(b, 3, n.Name), 4, n.Op), 7, n.Domain)
	for _, a := range n.Attrs {
		b = Message(b, 5, a.bytes())
	}
	for _, m := range n.Metadata {
		b = Message(b, 9, Message(Message(nil, 1, []byte(m[0])), 2, []byte(m[1])))
	}
	return b
}

func (a Attr) bytes() []byte {
	b := text(nil, 1, a.Name)
	switch {
	case a.Int != nil:
		b = Varint(Varint(b, 3, *a.Int), 20, 2)
	case a.Float != nil:
		b = protowire.AppendTag(b, 2, protowire.Fixed32Type)
		b = Varint(protowire.AppendFixed32(b, bits(*a.Float)), 20, 1)
	case a.Text != "":
		b = Varint(Message(b, 4, []byte(a.Text)), 20, 3)
	case a.Texts != nil:
		for _, v := range a.Texts {
			b = Message(b, 9, []byte(v))
		}
		b = Varint(b, 20, 8)
	case a.Tensor != nil:
		b = Varint(Message(b, 5, a.Tensor.Bytes()), 20, 4)
	case a.Graph != nil:
		b = Varint(Message(b, 6, a.Graph.Bytes()), 20, 5)
	default:
		for _, v := range a.Ints {
			b = Varint(b, 8, v)
		}
		b = Varint(b, 20, 7)
	}
	return b
}

// Bytes encodes the tensor.
func (t Tensor) Bytes() []byte {
	var b []byte
	for _, d := range t.Dims {
		b = Varint(b, 1, d)
	}
	b = text(Varint(b, 2, int64(t.Type)), 8, t.Name)
	if t.Location+t.Offset+t.Length == "" {
		return Message(b, 9, t.Raw)
	}
	for _, entry := range [][2]string{
		{"location", t.Location}, {"offset", t.Offset}, {"length", t.Length}} {
		if entry[1] != "" {
			b = Message(b, 13, text(text(nil, 1, entry[0]), 2, entry[1]))
		}
	}
	return Varint(b, 14, 1)
}

// Bytes encodes the value.
func (v Value) Bytes() []byte {
	b := text(nil, 1, v.Name)
	if v.Proto != nil {
		return Message(b, 2, v.Proto)
	}
	if v.Elem == 0 && v.Dims == nil {
		return b
	}
	return Message(b, 2, TensorType(v.Elem, v.Dims))
}

// TensorType encodes a TypeProto of a tensor. If dims is nil, it declares no shape.
func TensorType(elem int32, dims []any) []byte {
	inner := Varint(nil, 1, int64(elem))
	if dims != nil {
		inner = Message(inner, 2, shape(dims))
	}
	return Message(nil, 1, inner)
}

func shape(dims []any) []byte {
	b := []byte{}
	for _, d := range dims {
		dim := []byte{}
		switch d := d.(type) {
		case int:
			dim = Varint(dim, 1, int64(d))
		case string:
			dim = text(dim, 2, d)
		}
		b = Message(b, 1, dim)
	}
	return b
}

func (f Function) bytes() []byte {
	b := text(nil, 1, f.Name)
	for _, in := range f.In {
		b = Message(b, 4, []byte(in))
	}
	for _, out := range f.Out {
		b = Message(b, 5, []byte(out))
	}
	for _, n := range f.Nodes {
		b = Message(b, 7, n.bytes())
	}
	return text(Message(b, 9, opset("", 19)), 10, f.Domain)
}
