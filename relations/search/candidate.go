package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// candidate is a set of inputs to try. Values are float64, which represents all float types
// exactly, and integers of up to 53 bits.
type candidate struct {
	how    string // describes the inputs in the result
	shapes map[string]tensor.Shape
	values map[string][]float64
	error  float64 // see [excess]

	climbed bool // the search has followed the error's gradient from here
}

// next returns a copy for the caller to modify. change describes the modification, and replaces the
// description of an earlier one.
func (c *candidate) next(change string) *candidate {
	how, _, _ := strings.Cut(c.how, ", ")
	return c.clone(how + ", " + change)
}

func (c *candidate) clone(how string) *candidate {
	n := &candidate{how: how, shapes: maps.Clone(c.shapes), values: map[string][]float64{}}
	for name, v := range c.values {
		n.values[name] = slices.Clone(v)
	}
	return n
}

func (c *candidate) names() []string { return slices.Sorted(maps.Keys(c.values)) }

// set converts the candidate to tensors of the declared types.
func (c *candidate) set(inputs []loaders.Value) (*tensor.Set, error) {
	var entries []tensor.Entry
	for _, v := range inputs {
		t, err := sets.Pack(v.Type, c.shapes[v.Name], c.values[v.Name])
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", v.Name, err)
		}
		entries = append(entries, tensor.Entry{Name: v.Name, Tensor: t})
	}
	return tensor.NewSet(entries...)
}

// candidateOf converts inputs into a candidate.
func candidateOf(set *tensor.Set, how string) *candidate {
	c := &candidate{how: how, shapes: map[string]tensor.Shape{}, values: map[string][]float64{}}
	for name, t := range set.All() {
		c.shapes[name], c.values[name] = t.Shape(), t.Float64s()
	}
	return c
}

// least returns the type's smallest positive denormal and normal numbers.
func least(e tensor.ElementType) (denormal, normal float64) {
	switch e {
	case tensor.Float16:
		return 0x1p-24, 0x1p-14
	case tensor.BFloat16:
		return 0x1p-133, 0x1p-126
	case tensor.Float64:
		return 0x1p-1074, 0x1p-1022
	}
	return 0x1p-149, 0x1p-126
}
