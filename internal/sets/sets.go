// Package sets makes sets of tensors from other sets.
package sets

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Map calls change for each tensor of a set, and returns a set of the results. If a result is nil,
// the tensor is left out. If change fails, the error names the tensor.
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

// MapAll applies [Map] to several sets. change also gets the index of the set.
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

// With returns a set with the tensors of set and of added. The tensors in added replace tensors of
// the same name.
func With(set *tensor.Set, added map[string]*tensor.Tensor) (*tensor.Set, error) {
	var entries []tensor.Entry
	for name, t := range set.All() {
		if _, replaced := added[name]; !replaced {
			entries = append(entries, tensor.Entry{Name: name, Tensor: t})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(added)) {
		entries = append(entries, tensor.Entry{Name: name, Tensor: added[name]})
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

// Names returns the names of a set's values. All tensors of a sequence or a map count as one value.
func Names(set *tensor.Set) []string {
	values := set.Values()
	all := make([]string, len(values))
	for i := range values {
		all[i] = values[i].Name
	}
	return all
}

// Stacked returns every output of a set as one tensor, including sequences and maps.
func Stacked(set *tensor.Set) (*tensor.Set, error) {
	var entries []tensor.Entry
	for _, v := range set.Values() {
		t, err := v.Stack()
		if err != nil {
			return nil, fmt.Errorf("output %q: %w", v.Name, err)
		}
		entries = append(entries, tensor.Entry{Name: v.Name, Tensor: t})
	}
	return tensor.NewSet(entries...)
}

// InOrder returns a copy of the set with its outputs in the order of names. Outputs that are not in
// names come last.
func InOrder(set *tensor.Set, names []string) (*tensor.Set, error) {
	place := make(map[string]int, len(names)) // negative, so that other outputs, with 0, come last
	for i, name := range names {
		place[name] = i - len(names)
	}
	values := set.Values()
	slices.SortStableFunc(values, func(a, b tensor.Value) int { return place[a.Name] - place[b.Name] })
	var entries []tensor.Entry
	for _, v := range values {
		entries = append(entries, v.Parts...)
	}
	return tensor.NewSet(entries...)
}
