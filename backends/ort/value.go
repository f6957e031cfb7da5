package ort

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/tensor"
)

// A sequence or a map, whether input or output, is represented by tensors with these names:
//
//	x.length        the number of items of sequence x; optional for an input unless it is 0
//	x[0], x[1], …   the items of sequence x
//	x.key, x.value  the keys and the values of map x
//
// The names can be nested: x[0].key. An ONNX optional without a value has no tensor.

// named returns the library's outputs as a set of tensors with the given names.
func named(names []string, values []onnxruntime.Value) (*tensor.Set, error) {
	var entries []tensor.Entry
	for i, name := range names {
		entries = flatten(entries, name, values[i])
	}
	return tensor.NewSet(entries...)
}

// flatten appends to entries the tensors that represent one value.
func flatten(entries []tensor.Entry, name string, v onnxruntime.Value) []tensor.Entry {
	switch v.Kind {
	case onnxruntime.Tensor:
		return append(entries, tensor.Entry{Name: name, Tensor: v.Tensor})
	case onnxruntime.Sequence:
		entries = append(entries, tensor.Entry{Name: name + lengthPart,
			Tensor: tensor.Scalar(int64(len(v.Items)))})
		for i, item := range v.Items {
			entries = flatten(entries, itemName(name, i), item)
		}
	case onnxruntime.Map:
		for i, part := range mapParts {
			entries = flatten(entries, name+part, v.Items[i])
		}
		keys := &entries[len(entries)-len(mapParts)]
		keys.Tensor = keys.Tensor.AsKeys()
	}
	return entries
}

// lengthPart is the suffix of the tensor with the number of items of a sequence.
const lengthPart = ".length"

// mapParts are the suffixes of the names of a map's two tensors, in the library's order.
var mapParts = [2]string{".key", ".value"}

func itemName(name string, i int) string { return fmt.Sprintf("%s[%d]", name, i) }

// gather assembles the value of one input from the tensors in set that represent it. name is the
// input's name, and typeName its ONNX type. gather also returns the names of these tensors.
func gather(set *tensor.Set, name, typeName string) (onnxruntime.Value, []string, error) {
	switch kind, inner := split(typeName); kind {
	case "optional":
		return gather(set, name, inner)
	case "seq":
		return gatherItems(set, name, inner)
	case "map":
		v, all := onnxruntime.Value{Kind: onnxruntime.Map}, []string(nil)
		for _, part := range mapParts {
			item, taken, err := gather(set, name+part, "tensor")
			if err != nil {
				return v, nil, err
			}
			v.Items, all = append(v.Items, item), append(all, taken...)
		}
		if len(all) == 1 {
			return v, nil, fmt.Errorf("input %q: a map needs both %s%s and %s%s",
				name, name, mapParts[0], name, mapParts[1])
		}
		return v, all, nil
	}
	t, ok := set.Get(name)
	if !ok {
		return onnxruntime.Value{}, nil, nil
	}
	return onnxruntime.Value{Kind: onnxruntime.Tensor, Tensor: t}, []string{name}, nil
}

// gatherItems assembles a sequence whose items have the ONNX type typeName.
func gatherItems(set *tensor.Set, name, typeName string) (onnxruntime.Value, []string, error) {
	v, all := onnxruntime.Value{Kind: onnxruntime.Sequence}, []string(nil)
	for {
		item, taken, err := gather(set, itemName(name, len(v.Items)), typeName)
		if err != nil {
			return v, nil, err
		}
		if len(taken) == 0 {
			break
		}
		v.Items, all = append(v.Items, item), append(all, taken...)
	}
	length, given := set.Get(name + lengthPart)
	if !given {
		return v, all, nil
	}
	if n, err := tensor.Values[int64](length); err != nil || len(n) != 1 ||
		n[0] != int64(len(v.Items)) {
		return v, nil, fmt.Errorf("input %q: tensor %s%s is %v; expected the sequence's number of "+
			"items, %d", name, name, lengthPart, length, len(v.Items))
	}
	if len(v.Items) == 0 {
		_, elem := split(typeName)
		v.Type = elementType(elem)
	}
	return v, append(all, name+lengthPart), nil
}

// elementType returns the element type with the given ONNX name, or Invalid if no element type has
// this name.
func elementType(name string) tensor.ElementType {
	for _, elem := range tensor.ElementTypes() {
		if onnxpb.DataTypeName(onnxpb.NumberOf(elem)) == name {
			return elem
		}
	}
	return tensor.Invalid
}

// split removes the outer layer of an ONNX type: "seq(tensor(float))" becomes "seq" and
// "tensor(float)".
func split(typeName string) (kind, inner string) {
	kind, inner, _ = strings.Cut(typeName, "(")
	return kind, strings.TrimSuffix(inner, ")")
}
