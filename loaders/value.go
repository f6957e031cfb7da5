package loaders

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// Names returns the names of the values.
func Names(values []Value) []string {
	return names.Each(values, func(v Value) string { return v.Name })
}

// Value is the declaration of one of a model's tensors, such as an input or output.
type Value struct {
	Name     string
	Kind     Kind
	Type     tensor.ElementType // Invalid for non-tensors and for types that package tensor lacks
	TypeName string             // as in ONNX: tensor(float), seq(tensor(int64)), …
	HasShape bool               // false: the rank is not declared
	Dims     []Dim
}

// Kind says whether a value is a tensor or one of ONNX's other kinds of value.
type Kind uint8

// The kinds of value. An Untyped value has no declared type. For example, some outputs that
// [Model.Mark] adds are Untyped. Engines infer the types of such outputs.
const (
	Tensor Kind = iota
	Sequence
	Map
	Optional
	SparseTensor
	Opaque
	Untyped
)

// Dim is one declared dimension: a size, a symbol such as "batch", or unknown.
type Dim struct {
	Size   int // -1 if the dimension is dynamic
	Symbol string
}

// Dynamic reports whether the dimension has no fixed size.
func (d Dim) Dynamic() bool { return d.Size < 0 }

// String returns the size, the symbol, or "?".
func (d Dim) String() string {
	switch {
	case d.Size >= 0:
		return fmt.Sprint(d.Size)
	case d.Symbol != "":
		return d.Symbol
	}
	return "?"
}

// String returns the declaration in one line: image tensor(float)[batch,3,224,224]. Without a
// declared shape, there are no brackets.
func (v Value) String() string {
	text := names.Line(v.Name) + " " + v.TypeName
	if !v.HasShape {
		return text
	}
	dims := names.Each(v.Dims, Dim.String)
	return text + "[" + strings.Join(dims, ",") + "]"
}

// WireType returns the declared type in the form that package onnxwire uses. It is for packages of
// this module that change models. It is an error if the value is not a tensor of a known type.
func (v Value) WireType() (onnxwire.Type, error) {
	number := onnxfile.NumberOf(v.Type)
	if v.Kind != Tensor || number < 0 {
		return onnxwire.Type{}, fmt.Errorf(
			"%q cannot be an input or output: its type is unknown or not a tensor", v.Name)
	}
	t := onnxwire.Type{Kind: onnxwire.TensorKind, Elem: number, HasShape: v.HasShape}
	for _, d := range v.Dims {
		t.Dims = append(t.Dims, onnxwire.Dim{Size: int64(d.Size), Param: d.Symbol})
	}
	return t, nil
}

func valuesOf(wire []onnxwire.Value) []Value {
	values := make([]Value, len(wire))
	for i, v := range wire {
		values[i] = valueOf(v)
	}
	return values
}

func valueOf(wire onnxwire.Value) Value {
	v := Value{Name: wire.Name, Kind: kinds[wire.Type.Kind], TypeName: onnxfile.TypeName(&wire.Type),
		HasShape: wire.Type.HasShape}
	if v.Kind == Tensor || v.Kind == SparseTensor {
		v.Type = onnxfile.ElementTypeOf(wire.Type.Elem)
	}
	for _, d := range wire.Type.Dims {
		// PaddlePaddle writes ? for every size that it does not know.
		v.Dims = append(v.Dims, Dim{Size: int(d.Size), Symbol: strings.TrimLeft(d.Param, "?")})
	}
	return v
}

var kinds = [...]Kind{
	onnxwire.Untyped:          Untyped,
	onnxwire.TensorKind:       Tensor,
	onnxwire.SequenceKind:     Sequence,
	onnxwire.MapKind:          Map,
	onnxwire.OptionalKind:     Optional,
	onnxwire.SparseTensorKind: SparseTensor,
	onnxwire.OpaqueKind:       Opaque,
}

// MarshalJSON writes a value as {"name":…,"type":"tensor(float)","shape":["batch",3,null]}, without
// "shape" if none is declared.
func (v Value) MarshalJSON() ([]byte, error) {
	object := struct {
		Name  string `json:"name"`
		Type  string `json:"type"`
		Shape *[]Dim `json:"shape,omitempty"`
	}{Name: v.Name, Type: v.TypeName}
	if v.HasShape {
		dims := append([]Dim{}, v.Dims...)
		object.Shape = &dims
	}
	return json.Marshal(object)
}

// MarshalJSON writes a dimension as a number, its symbol, or null.
func (d Dim) MarshalJSON() ([]byte, error) {
	switch {
	case d.Size >= 0:
		return strconv.AppendInt(nil, int64(d.Size), 10), nil
	case d.Symbol != "":
		return json.Marshal(d.Symbol)
	}
	return []byte("null"), nil
}
