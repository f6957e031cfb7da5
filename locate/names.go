package locate

import (
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// names maps the actual side's tensor names to the names on another side. A nil map means that all
// names are the same. Names that it does not contain are the same on both sides.
type names struct {
	of      map[string]string
	outputs []string // the models' outputs, by their names on the actual side
}

// called returns the name of a tensor on this side.
func (n *names) called(name string) string {
	if n == nil {
		return name
	}
	if own, ok := n.of[name]; ok {
		return own
	}
	return name
}

// own returns the names on this side, without duplicates: several actual tensors may share a
// counterpart.
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

// values returns values under this side's names, without duplicates.
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

// back renames this side's results to the actual side's names: the wanted tensors, the outputs, and
// everything without a counterpart.
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
