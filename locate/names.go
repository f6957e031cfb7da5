package locate

import (
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// names is a side's own names of tensors by the actual side's; nil where they are the same. What it
// does not hold has one name.
type names struct {
	of      map[string]string
	outputs []string // the actual side's names of the models' outputs
}

// called is the side's own name.
func (n *names) called(name string) string {
	if n == nil {
		return name
	}
	if own, ok := n.of[name]; ok {
		return own
	}
	return name
}

// own is the side's own names of a list, each once: several tensors may have one counterpart.
func (n *names) own(list []string) []string {
	if n == nil {
		return list
	}
	var own []string
	seen := map[string]bool{}
	for _, name := range list {
		if name = n.called(name); !seen[name] {
			seen[name] = true
			own = append(own, name)
		}
	}
	return own
}

// values is values under the side's own names, each once.
func (n *names) values(list []loaders.Value) []loaders.Value {
	if n == nil {
		return list
	}
	var own []loaders.Value
	seen := map[string]bool{}
	for _, v := range list {
		if v.Name = n.called(v.Name); !seen[v.Name] {
			seen[v.Name] = true
			own = append(own, v)
		}
	}
	return own
}

// back is what the side gave under the actual side's names: the wanted tensors, the outputs, and
// whatever else has no counterpart.
func (n *names) back(sets []*tensor.Set, wanted []string) []*tensor.Set {
	if n == nil {
		return sets
	}
	list := make([]*tensor.Set, len(sets))
	for i, set := range sets {
		var entries []tensor.Entry
		taken, used := map[string]bool{}, map[string]bool{}
		take := func(name, own string) {
			if t, ok := set.Get(own); ok && !taken[name] {
				taken[name], used[own] = true, true
				entries = append(entries, tensor.Entry{Name: name, Tensor: t})
			}
		}
		for _, name := range n.outputs {
			take(name, n.called(name))
		}
		for _, name := range wanted {
			take(name, n.called(name))
		}
		for _, own := range set.Names() {
			if !used[own] {
				take(own, own)
			}
		}
		list[i], _ = tensor.NewSet(entries...) // the names are unique
	}
	return list
}
