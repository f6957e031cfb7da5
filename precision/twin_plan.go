package precision

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// plan says which of a model's nodes its integer version ([Twin]) includes. It also says which
// integers replace the values of each tensor ([kind], [usage]).
type plan struct {
	nodes    []describe.Node
	covered  []bool // by node: whether the integer version includes it; other nodes are omitted
	kinds    map[string]kind
	roots    map[string]string // by tensor of kind constant: the constant that it is a copy of
	usages   map[string]usage  // by constant
	order    []string          // the constants with a usage
	captured map[string]bool   // tensors that omitted nodes read
	foldable bool              // an omitted node computes with constants alone
}

// Operator is an operator and the number of nodes that use it.
type Operator struct {
	Name  string
	Nodes int
}

// newPlan decides, in graph order, which nodes the integer version of the model includes and which
// it omits. seen contains the known outputs of omitted nodes. An omitted node's output counts as an
// activation if it is a float tensor or if seen does not contain it.
func newPlan(model *loaders.Model, seen *tensor.Set) (*plan, error) {
	d, err := describe.Of(model, false)
	if err != nil {
		return nil, err
	}
	p := &plan{nodes: d.Nodes, covered: make([]bool, len(d.Nodes)), kinds: map[string]kind{},
		roots: map[string]string{}, usages: map[string]usage{}, captured: map[string]bool{}}
	for _, v := range d.Inputs {
		if v.Type.IsFloat() {
			p.kinds[v.Name] = activation
		}
		if v.Type.IsFloat() && v.Type != tensor.Float32 {
			return nil, fmt.Errorf("input %q is %v: an integer version can be built only of a model with "+
				"float32 inputs", v.Name, v.Type)
		}
	}
	fixed := map[string]bool{}
	if err := edit.Constants(model, func(c loaders.Constant) error {
		fixed[c.Name] = true
		if elem := c.Values.ElementType(); elem == tensor.Float32 {
			p.kinds[c.Name], p.roots[c.Name] = constant, c.Name
		} else if elem.IsFloat() {
			p.kinds[c.Name] = activation // a float of another type, which no covered node may read
		}
		return nil
	}); err != nil {
		return nil, err
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.Op == "Constant" && n.Domain == "" {
			p.covered[i] = true
			continue
		}
		p.covered[i] = p.cover(n)
		if p.covered[i] {
			continue
		}
		folds := len(n.Inputs) > 0 && n.Op != "DequantizeLinear"
		for _, name := range slices.Concat(n.Inputs, n.Captured) {
			p.captured[name] = true
			folds = folds && fixed[name]
		}
		p.foldable = p.foldable || folds
		for _, name := range n.Outputs {
			if t, known := seen.Get(name); !known || t.ElementType().IsFloat() {
				p.kinds[name] = activation
			}
		}
	}
	return p, nil
}

// cover reports whether the integer version of the model includes the node. If so, cover sets the
// kinds of the node's outputs ([kind]).
func (p *plan) cover(n *describe.Node) bool {
	kinds := make([]kind, len(n.Inputs))
	floating := false
	for i, name := range n.Inputs {
		kinds[i] = p.kinds[name]
		floating = floating || kinds[i] != untouched
	}
	if !floating || n.Op == "Shape" || n.Op == "Size" {
		return indexes(n)
	}
	if n.Domain != "" || len(n.Captured) > 0 || !summing[n.Op] {
		return false
	}
	if !slices.Contains(kinds, activation) { // all inputs are constants
		if handing[n.Op] && kinds[0] == constant {
			p.kinds[n.Outputs[0]], p.roots[n.Outputs[0]] = constant, p.roots[n.Inputs[0]]
			return n.Op != "Transpose" // Transpose moves the output axis
		}
		return false
	}
	list, ok := usages(n, kinds)
	if !ok {
		return false
	}
	for i, u := range list {
		if had, used := p.usages[p.roots[n.Inputs[i]]]; used && had != u {
			return false
		}
	}
	for i := range n.Inputs {
		u, has := list[i]
		root := p.roots[n.Inputs[i]]
		if _, used := p.usages[root]; has && !used {
			p.usages[root] = u
			p.order = append(p.order, root)
		}
	}
	for _, name := range n.Outputs {
		p.kinds[name] = activation
	}
	return true
}

// counts returns the operators of the nodes that the integer version of the model includes or, if
// covered is false, of the nodes that it omits. The most frequent operator comes first.
func (p *plan) counts(covered bool) []Operator {
	byName := map[string]int{}
	for i := range p.nodes {
		if p.covered[i] == covered && p.nodes[i].Op != "Constant" {
			byName[p.nodes[i].Op]++
		}
	}
	var list []Operator
	for name, n := range byName {
		list = append(list, Operator{name, n})
	}
	slices.SortFunc(list, func(a, b Operator) int {
		return cmp.Or(b.Nodes-a.Nodes, cmp.Compare(a.Name, b.Name))
	})
	return list
}

// given lists the tensors that omitted nodes compute and included nodes read. They become inputs of
// the integer version of the model.
func (p *plan) given() []string {
	made := map[string]bool{}
	for i := range p.nodes {
		if !p.covered[i] {
			for _, name := range p.nodes[i].Outputs {
				made[name] = name != ""
			}
		}
	}
	var list []string
	for i := range p.nodes {
		if !p.covered[i] {
			continue
		}
		for _, name := range p.nodes[i].Inputs {
			if made[name] {
				made[name] = false
				list = append(list, name)
			}
		}
	}
	return list
}

// wanted returns the names of activations that the integer version of the model computes. inside
// contains all of these names. list contains only the outputs of the integer version: outputs of
// the original model, and inputs of the nodes that the integer version omits.
func (p *plan) wanted(outputs []loaders.Value) (list, inside []string) {
	leaves := map[string]bool{}
	for _, v := range outputs {
		leaves[v.Name] = true
	}
	for name := range p.captured {
		leaves[name] = true
	}
	for i := range p.nodes {
		if !p.covered[i] {
			continue
		}
		for _, name := range p.nodes[i].Outputs {
			if name == "" || p.kinds[name] != activation {
				continue
			}
			inside = append(inside, name)
			if leaves[name] {
				list = append(list, name)
			}
		}
	}
	return list, inside
}
