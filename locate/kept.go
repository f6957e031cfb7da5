package locate

import (
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// kept stores tensors that a side has returned, up to a memory limit, so that the side need not run
// again. Three steps use them: pairing tensors by their values, comparing whole models, and running
// nodes alone. The tensors have the names of the side's own model.
type kept struct {
	tensors    map[string][]*tensor.Tensor // one for each iteration
	outputs    []string                    // names of the model's outputs
	iterations int
	room       int64 // bytes left
}

// has reports whether all of the named tensors are available, because an earlier run has returned
// them or because they are inputs of the model.
func (k *kept) has(v view, own ...string) bool {
	return !slices.ContainsFunc(own, func(name string) bool {
		return !v.isInput(name) && (k.iterations == 0 || k.tensors[name] == nil)
	})
}

// addMarked stores the tensors that a model with additional outputs has returned, including the
// original outputs. It stores nothing if all these tensors together exceed the memory limit.
func (k *kept) addMarked(sets []*tensor.Set, outputs []string) {
	bytes := bytesOf(sets)
	if len(sets) == 0 || bytes > k.room {
		return
	}
	own := sets[0].Only(outputs...)
	for _, set := range sets {
		if !slices.Equal(set.Only(outputs...).Names(), own.Names()) {
			return // the length of the sequence differs between iterations
		}
	}
	k.room -= bytes
	k.outputs, k.iterations = own.Names(), len(sets)
	for _, name := range sets[0].Names() {
		if list := all(sets, name); list != nil && k.tensors[name] == nil {
			k.tensors[name] = list
		}
	}
}

// add stores the named tensor's values, one per iteration, unless they exceed the memory limit.
func (k *kept) add(name string, list []*tensor.Tensor) {
	bytes := int64(0)
	for _, t := range list {
		bytes += int64(t.Size())
	}
	if list != nil && bytes <= k.room {
		k.tensors[name], k.room = list, k.room-bytes
	}
}

// sets returns one set per iteration, with the model's outputs and the named tensors.
func (k *kept) sets(names []string) []*tensor.Set {
	list := make([]*tensor.Set, k.iterations)
	for i := range list {
		var entries []tensor.Entry
		taken := map[string]bool{}
		for _, name := range slices.Concat(k.outputs, names) {
			if k.tensors[name] != nil && !taken[name] {
				taken[name] = true
				entries = append(entries, tensor.Entry{Name: name, Tensor: k.tensors[name][i]})
			}
		}
		list[i], _ = tensor.NewSet(entries...) // the names are unique
	}
	return list
}
