package tensor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Value is an input or output of a model: a tensor, a sequence or a map. A [Set] contains a tensor
// under the value's own name, but a sequence or a map as several tensors:
//
//	x.length        the number of items of sequence x, an int64 without dimensions
//	x[0], x[1], …   the items of sequence x
//	x.key, x.value  the keys and the values of map x, one-dimensional with equal lengths
//
// Sequences and maps may be nested: x[0].key. [Set.Values] recognises a sequence by these names
// alone. It recognises a map only if an engine or a file has also marked the map's keys with
// [Tensor.AsKeys], because a model may also have two ordinary outputs called x.key and x.value.
type Value struct {
	Name   string
	Tensor *Tensor // nil for a sequence or a map
	// Keys and Mapped are the keys and the values of a map; the keys are int64 or strings. For other
	// values, both fields are nil.
	Keys, Mapped *Tensor
	// Items are the items of a sequence, named x[0], x[1] and so on.
	Items []Value
	// Parts lists the tensors of the set that make up the value, in the set's order. For the items of
	// a sequence, Parts is nil.
	Parts []Entry

	entries []int // the parts' indices in the set, ascending
}

// Leaves returns the tensors that contain the value's elements, in order: the tensor itself, a
// map's values, or the leaves of a sequence's items. All of them have the same element type.
func (v *Value) Leaves() []*Tensor {
	switch {
	case v.Tensor != nil:
		return []*Tensor{v.Tensor}
	case v.Keys != nil:
		return []*Tensor{v.Mapped}
	}
	var leaves []*Tensor
	for i := range v.Items {
		leaves = append(leaves, v.Items[i].Leaves()...)
	}
	return leaves
}

// Stack returns the value as one tensor. Items of a sequence with equal shapes are stacked along a
// new first dimension: a sequence of 150 maps with 3 keys becomes a tensor of shape [150,3], the
// same as a scikit-learn model's output without ZipMap. Items with different shapes are flattened
// and concatenated. An empty sequence, whose element type is unknown, becomes an empty float32
// tensor.
func (v *Value) Stack() (*Tensor, error) {
	leaves := v.Leaves()
	if v.Tensor != nil || v.Keys != nil {
		return leaves[0], nil
	}
	if len(leaves) == 0 {
		return FromBytes(Float32, Shape{0}, nil)
	}
	shape := append(Shape{len(leaves)}, leaves[0].Shape()...)
	elements := 0
	for _, leaf := range leaves {
		elements += leaf.Len()
	}
	if len(leaves) != len(v.Items) || slices.ContainsFunc(leaves, func(t *Tensor) bool {
		return !t.Shape().Equal(leaves[0].Shape())
	}) {
		shape = Shape{elements}
	}
	return concatenate(leaves, shape)
}

// lengthPart, keyPart and mappedPart are the suffixes of the names of a sequence's or map's
// tensors.
const (
	lengthPart = ".length"
	keyPart    = ".key"
	mappedPart = ".value"
)

// Values returns the values of the set, in the order of their first tensors. A tensor whose name
// merely looks like a part of a sequence or a map, such as present.0.key, is a value of its own.
func (s *Set) Values() []Value {
	if s == nil {
		return nil
	}
	taken := make([]bool, len(s.entries))
	var values []Value
	for _, name := range s.containers() {
		at, isSequence := s.index[name+lengthPart]
		if !isSequence {
			at = s.index[name+keyPart]
		}
		if taken[at] { // part of an outer value
			continue
		}
		if v, ok := s.container(name); ok && !slices.ContainsFunc(v.entries,
			func(i int) bool { return taken[i] }) {
			for _, i := range v.entries {
				taken[i] = true
			}
			values = append(values, v)
		}
	}
	for i, e := range s.entries {
		if !taken[i] {
			values = append(values, Value{Name: e.Name, Tensor: e.Tensor, entries: []int{i}})
		}
	}
	slices.SortStableFunc(values, func(a, b Value) int {
		return cmp.Compare(a.entries[0], b.entries[0])
	})
	for i := range values {
		for _, at := range values[i].entries {
			values[i].Parts = append(values[i].Parts, s.entries[at])
		}
	}
	return values
}

// Value returns the value with the given name, and whether there is one.
func (s *Set) Value(name string) (Value, bool) {
	if t, ok := s.Get(name); ok && !strings.HasSuffix(name, "]") && !slices.ContainsFunc(
		[]string{lengthPart, keyPart, mappedPart}, func(part string) bool {
			return strings.HasSuffix(name, part)
		}) { // no part of another value: no need to look at all of them
		i := s.index[name]
		return Value{Name: name, Tensor: t, Parts: s.entries[i : i+1 : i+1], entries: []int{i}}, true
	}
	for _, v := range s.Values() {
		if v.Name == name {
			return v, true
		}
	}
	return Value{}, false
}

// containers returns the possible names of sequences and maps, outer ones first.
func (s *Set) containers() []string {
	var names []string
	for _, e := range s.entries {
		for _, part := range []string{lengthPart, keyPart} {
			if name, ok := strings.CutSuffix(e.Name, part); ok {
				names = append(names, name)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return names
}

// container reads the sequence or map with the given name. It returns false if the set has a tensor
// with exactly that name, or if the tensors of the sequence or map are incomplete or differ in
// element type.
func (s *Set) container(name string) (Value, bool) {
	if _, plain := s.index[name]; plain {
		return Value{}, false
	}
	v, ok := s.read(name, 0)
	if !ok || v.Tensor != nil {
		return Value{}, false
	}
	leaves := v.Leaves()
	if slices.ContainsFunc(leaves, func(t *Tensor) bool { return t.elem != leaves[0].elem }) {
		return Value{}, false
	}
	slices.Sort(v.entries)
	return v, true
}

// mostNested is the maximum depth of nested sequences. It limits the recursion that the names in a
// hostile file can cause.
const mostNested = 32

// read reads the value with the given name. depth is the number of sequences that contain it. The
// indices in the value's entries are not sorted yet.
func (s *Set) read(name string, depth int) (Value, bool) {
	if i, ok := s.index[name]; ok {
		return Value{Name: name, Tensor: s.entries[i].Tensor, entries: []int{i}}, true
	}
	if at, ok := s.index[name+lengthPart]; ok {
		return s.sequence(name, at, depth)
	}
	k, hasKeys := s.index[name+keyPart]
	m, hasMapped := s.index[name+mappedPart]
	if !hasKeys || !hasMapped {
		return Value{}, false
	}
	keys, mapped := s.entries[k].Tensor, s.entries[m].Tensor
	isKey := keys.ElementType() == String || keys.ElementType() == Int64
	if !keys.keys || !isKey || len(keys.Shape()) != 1 || !keys.Shape().Equal(mapped.Shape()) {
		return Value{}, false
	}
	return Value{Name: name, Keys: keys, Mapped: mapped, entries: []int{k, m}}, true
}

// sequence reads a sequence. The parameter at is the index of the entry that contains the
// sequence's length.
func (s *Set) sequence(name string, at, depth int) (Value, bool) {
	v := Value{Name: name, entries: []int{at}}
	if depth == mostNested {
		return v, false
	}
	length, err := Values[int64](s.entries[at].Tensor)
	if err != nil || len(s.entries[at].Tensor.Shape()) != 0 || length[0] < 0 ||
		length[0] >= int64(len(s.entries)) {
		return v, false
	}
	for i := range int(length[0]) {
		item, ok := s.read(fmt.Sprintf("%s[%d]", name, i), depth+1)
		if !ok {
			return v, false
		}
		v.Items, v.entries = append(v.Items, item), append(v.entries, item.entries...)
	}
	return v, true
}

// concatenate concatenates tensors, which must have the same element type.
func concatenate(parts []*Tensor, shape Shape) (*Tensor, error) {
	elem := parts[0].ElementType()
	if elem == String {
		var all []string
		for _, t := range parts {
			all = append(all, t.Strings()...)
		}
		return FromStrings(shape, all)
	}
	if elem.Bits() >= 8 {
		var data []byte
		for _, t := range parts {
			data = append(data, t.Bytes()...)
		}
		return FromBytes(elem, shape, data)
	}
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	data, bits, at := make([]byte, elem.Bytes(n)), elem.Bits(), 0
	perByte := 8 / bits
	for _, t := range parts {
		for i := range t.Len() {
			data[at/perByte] |= packed(t.Bytes(), i, bits) << (bits * (at % perByte))
			at++
		}
	}
	return FromBytes(elem, shape, data)
}
