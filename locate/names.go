package locate

import (
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// namesakes maps the actual side's tensor names to the names on another side. A name that is
// missing in the map is the same on both sides. If namesakes is nil, all names are the same.
type namesakes struct {
	of      map[string]string
	outputs []string // the models' outputs, by their names on the actual side
}

// called returns the name that a tensor of the actual side has on the other side.
func (n *namesakes) called(name string) string {
	if n == nil {
		return name
	}
	if own, ok := n.of[name]; ok {
		return own
	}
	return name
}

// translate returns the names that the other side uses for the listed tensors of the actual side.
// It drops duplicates, which occur if several actual tensors share a counterpart.
func (n *namesakes) translate(list []string) []string {
	return loaders.Names(n.values(untyped(list)))
}

// values is like translate, but for declared values: it replaces their names.
func (n *namesakes) values(list []loaders.Value) []loaders.Value {
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

// back renames the other side's results to the actual side's names. It renames the model's outputs
// and the tensors in names. All other tensors keep their names.
func (n *namesakes) back(sets []*tensor.Set, names []string) []*tensor.Set {
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
		for _, name := range names {
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
