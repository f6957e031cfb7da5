// Package sets makes sets of tensors from other sets.
package sets

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Map returns a set in which the result of change replaces each tensor. If the result is nil, the
// tensor is left out. If change fails, the error names the tensor.
func Map(set *tensor.Set, change func(name string, t *tensor.Tensor) (*tensor.Tensor, error)) (
	*tensor.Set, error) {
	var entries []tensor.Entry
	for name, t := range set.All() {
		changed, err := change(name, t)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		if changed != nil {
			entries = append(entries, tensor.Entry{Name: name, Tensor: changed})
		}
	}
	return tensor.NewSet(entries...)
}

// MapAll applies [Map] to several sets.
func MapAll(list []*tensor.Set, change func(i int, name string, t *tensor.Tensor) (
	*tensor.Tensor, error)) (changed []*tensor.Set, err error) {
	changed = make([]*tensor.Set, len(list))
	for i, set := range list {
		if changed[i], err = Map(set, func(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
			return change(i, name, t)
		}); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// With returns the set with the tensors in more added. They replace tensors of the same name.
func With(set *tensor.Set, more map[string]*tensor.Tensor) (*tensor.Set, error) {
	var entries []tensor.Entry
	for name, t := range set.All() {
		if _, replaced := more[name]; !replaced {
			entries = append(entries, tensor.Entry{Name: name, Tensor: t})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		entries = append(entries, tensor.Entry{Name: name, Tensor: more[name]})
	}
	return tensor.NewSet(entries...)
}

// Single returns one set per tensor. Each set contains only that tensor, under the given name.
func Single(name string, tensors ...*tensor.Tensor) []*tensor.Set {
	list := make([]*tensor.Set, len(tensors))
	for i, t := range tensors {
		list[i], _ = tensor.NewSet(tensor.Entry{Name: name, Tensor: t}) // only duplicate names fail
	}
	return list
}
