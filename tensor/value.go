package tensor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Value is what a model calls one output or input. A set holds a tensor under the value's own name,
// and a sequence or a map as several tensors:
//
//	x.length        the number of items of sequence x, an int64 without dimensions
//	x[0], x[1], …   the items of sequence x
//	x.key, x.value  the keys and the values of map x, each with one dimension of one length
//
// and nested: x[0].key. [Set.Values] finds them by these names.
type Value struct {
	Name   string
	Tensor *Tensor // of a tensor, else nil
	// Keys and Mapped are the keys (int64 or strings) and the values of a map, else nil.
	Keys, Mapped *Tensor
	// Items are those of a sequence, called x[0], x[1] and so on.
	Items []Value

	entries []int // the places in the set, ascending
}

// IsTensor reports whether the value is a tensor, not a sequence or a map.
func (v *Value) IsTensor() bool { return v.Tensor != nil }

// IsMap reports whether the value is a map.
func (v *Value) IsMap() bool { return v.Keys != nil }

// Has reports whether the value has a part of that name in its set: x[0].key is a part of x.
func (v *Value) Has(part string) bool {
	if v.IsTensor() {
		return false
	}
	inner, ok := strings.CutPrefix(part, v.Name)
	if !ok {
		return false
	}
	if v.IsMap() {
		return inner == keyPart || inner == mappedPart
	}
	return inner == lengthPart || slices.ContainsFunc(v.Items, func(item Value) bool {
		return item.Name == part || item.Has(part)
	})
}

// Leaves are the tensors with the value's elements, in order: itself, what a map's keys map to, or
// those of a sequence's items. They have one element type.
func (v *Value) Leaves() []*Tensor {
	switch {
	case v.IsTensor():
		return []*Tensor{v.Tensor}
	case v.IsMap():
		return []*Tensor{v.Mapped}
	}
	var leaves []*Tensor
	for i := range v.Items {
		leaves = append(leaves, v.Items[i].Leaves()...)
	}
	return leaves
}

// Stack is the value as one tensor. The items of a sequence lie along a new first dimension where
// they have one shape: a sequence of 150 maps of 3 keys is a tensor of [150,3], which is what a
// scikit-learn model gives without ZipMap. Items of several shapes are laid end to end, in one
// dimension. An empty sequence is an empty float32 tensor, whose type nobody knows.
func (v *Value) Stack() (*Tensor, error) {
	leaves := v.Leaves()
	if v.IsTensor() || v.IsMap() {
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
	if v.Ragged() {
		shape = Shape{elements}
	}
	return concatenate(leaves, shape)
}

// Ragged reports whether a sequence's items have several shapes, or are sequences themselves, so
// that [Value.Stack] has one dimension.
func (v *Value) Ragged() bool {
	if v.IsTensor() || v.IsMap() {
		return false
	}
	leaves := v.Leaves()
	return len(leaves) != len(v.Items) || slices.ContainsFunc(leaves, func(t *Tensor) bool {
		return !t.Shape().Equal(leaves[0].Shape())
	})
}

// Index is the place of an element of the stacked tensor in the value: the number of the item, then
// the place in the item.
func (v *Value) Index(flat int) []int {
	leaves := v.Leaves()
	if v.IsTensor() || v.IsMap() {
		return leaves[0].Shape().Index(flat)
	}
	for i, leaf := range leaves {
		if flat < leaf.Len() {
			return append([]int{i}, leaf.Shape().Index(flat)...)
		}
		flat -= leaf.Len()
	}
	return nil
}

// Key is the key of an element of the stacked tensor, or "" where the value has no maps.
func (v *Value) Key(flat int) string {
	if v.IsTensor() {
		return ""
	}
	if v.IsMap() {
		return keyText(v.Keys, flat)
	}
	for i := range v.Items {
		n := 0
		for _, leaf := range v.Items[i].Leaves() {
			n += leaf.Len()
		}
		if flat < n {
			return v.Items[i].Key(flat)
		}
		flat -= n
	}
	return ""
}

// keyText is a key as Go would write it.
func keyText(keys *Tensor, i int) string {
	if keys.ElementType() == String {
		return fmt.Sprintf("%q", keys.Strings()[i])
	}
	return keys.Text(i)
}

// TypeName is the value's type in ONNX's words, with this package's element types:
// "seq(map(string,float32))".
func (v *Value) TypeName() string {
	switch {
	case v.IsTensor():
		return v.Tensor.ElementType().String()
	case v.IsMap():
		return fmt.Sprintf("map(%v,%v)", v.Keys.ElementType(), v.Mapped.ElementType())
	case len(v.Items) == 0:
		return "seq"
	}
	return "seq(" + v.Items[0].TypeName() + ")"
}

// lengthPart, keyPart and mappedPart end the names of the tensors of sequences and maps.
const (
	lengthPart = ".length"
	keyPart    = ".key"
	mappedPart = ".value"
)

// Values are the values of a set, in the order of their first tensors. A tensor whose name merely
// looks like a part of a sequence or a map, as present.0.key does, is a value by itself.
func (s *Set) Values() []Value {
	if s == nil {
		return nil
	}
	taken := make([]bool, len(s.entries))
	var values []Value
	for _, name := range s.containers() {
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
	return values
}

// Value finds a value of the set by its name.
func (s *Set) Value(name string) (Value, bool) {
	for _, v := range s.Values() {
		if v.Name == name {
			return v, true
		}
	}
	return Value{}, false
}

// Parts are the tensors of a value of the set, in the set's order.
func (s *Set) Parts(v Value) []Entry {
	parts := make([]Entry, len(v.entries))
	for i, at := range v.entries {
		parts[i] = s.entries[at]
	}
	return parts
}

// containers are the names that sequences and maps may have, the outer ones first.
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

// container reads the sequence or map of that name, if its tensors are there and nothing else in
// the set bears the name.
func (s *Set) container(name string) (Value, bool) {
	if _, plain := s.index[name]; plain {
		return Value{}, false
	}
	v, ok := s.read(name)
	if !ok || v.IsTensor() {
		return Value{}, false
	}
	for _, leaf := range v.Leaves() {
		if leaf.ElementType() != v.Leaves()[0].ElementType() {
			return Value{}, false
		}
	}
	slices.Sort(v.entries)
	return v, true
}

// read reads the value of that name, whose entries are then in no order.
func (s *Set) read(name string) (Value, bool) {
	if i, ok := s.index[name]; ok {
		return Value{Name: name, Tensor: s.entries[i].Tensor, entries: []int{i}}, true
	}
	if at, ok := s.index[name+lengthPart]; ok {
		return s.sequence(name, at)
	}
	k, hasKeys := s.index[name+keyPart]
	m, hasMapped := s.index[name+mappedPart]
	if !hasKeys || !hasMapped {
		return Value{}, false
	}
	keys, mapped := s.entries[k].Tensor, s.entries[m].Tensor
	isKey := keys.ElementType() == String || keys.ElementType() == Int64
	if !isKey || len(keys.Shape()) != 1 || !keys.Shape().Equal(mapped.Shape()) {
		return Value{}, false
	}
	return Value{Name: name, Keys: keys, Mapped: mapped, entries: []int{k, m}}, true
}

// sequence reads the sequence whose length is the entry at.
func (s *Set) sequence(name string, at int) (Value, bool) {
	v := Value{Name: name, entries: []int{at}}
	length, err := Values[int64](s.entries[at].Tensor)
	if err != nil || len(s.entries[at].Tensor.Shape()) != 0 || length[0] < 0 ||
		length[0] >= int64(len(s.entries)) {
		return v, false
	}
	for i := range int(length[0]) {
		item, ok := s.read(fmt.Sprintf("%s[%d]", name, i))
		if !ok {
			return v, false
		}
		v.Items, v.entries = append(v.Items, item), append(v.entries, item.entries...)
	}
	return v, true
}

// concatenate lays tensors of one type end to end.
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
	perByte, mask := 8/bits, byte(1<<bits-1)
	for _, t := range parts {
		for i := range t.Len() {
			element := t.Bytes()[i/perByte] >> (bits * (i % perByte)) & mask
			data[at/perByte] |= element << (bits * (at % perByte))
			at++
		}
	}
	return FromBytes(elem, shape, data)
}
