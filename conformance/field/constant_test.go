package field_test

import (
	"encoding/binary"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// root finds the initializer from which constant nodes compute a weight.
func (p *planter) root(name string) (string, bool) {
	for range len(p.nodes) {
		if w := p.weights[name]; w != nil {
			return name, true
		}
		i := slices.IndexFunc(p.nodes, func(n node) bool { return slices.Contains(n.outputs, name) })
		if i < 0 || len(p.nodes[i].inputs) == 0 {
			return "", false
		}
		for _, input := range p.nodes[i].inputs {
			if !p.constant(input, len(p.nodes)) {
				return "", false
			}
		}
		name = p.nodes[i].inputs[0]
	}
	return "", false
}

// constant reports whether a tensor is independent of the model's inputs.
func (p *planter) constant(name string, depth int) bool {
	if name == "" || p.weights[name] != nil {
		return true
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; slices.Contains(n.outputs, name) {
			return depth > 0 && !slices.ContainsFunc(n.inputs, func(input string) bool {
				return !p.constant(input, depth-1)
			})
		}
	}
	return false
}

// change changes the weight behind input at of node i. A weight that the node reads directly is
// copied first; a weight behind other nodes changes for all readers.
func (p *planter) change(i, at int, root string, change func([]float64, bool)) []int {
	w := p.weights[root]
	values := slices.Clone(w.Float64s())
	change(values, integer(w.ElementType()))
	changed := tensorOf(w, values)
	if n := &p.nodes[i]; n.inputs[at] == root {
		n.inputs = slices.Clone(n.inputs)
		n.inputs[at] = root + "/planted"
		p.set(n.inputs[at], changed)
		return []int{i}
	}
	p.set(root, changed)
	if holder := p.holder(root); holder >= 0 {
		return append(p.readers(root), holder)
	}
	return p.readers(root)
}

// readers lists the nodes affected by a change of a constant: its readers, and instead of readers
// that compute another constant, that constant's readers.
func (p *planter) readers(name string) (list []int) {
	for i := range p.nodes {
		n := &p.nodes[i]
		if !slices.Contains(n.inputs, name) {
			continue
		}
		list = append(list, i)
		if !slices.ContainsFunc(n.inputs, func(input string) bool {
			return !p.constant(input, len(p.nodes))
		}) {
			for _, output := range n.outputs {
				list = append(list, p.readers(output)...)
			}
		}
	}
	return list
}

func integer(t tensor.ElementType) bool {
	return slices.Contains([]tensor.ElementType{tensor.Int8, tensor.Uint8, tensor.Int16,
		tensor.Uint16, tensor.Int32, tensor.Int64}, t)
}

// tensorOf returns other values with the type and shape of a tensor.
func tensorOf(like *tensor.Tensor, values []float64) *tensor.Tensor {
	var changed *tensor.Tensor
	var err error
	if integer(like.ElementType()) {
		size := len(like.Bytes()) / like.Len()
		data := make([]byte, 0, len(like.Bytes()))
		for _, v := range values {
			data = append(data, binary.LittleEndian.AppendUint64(nil, uint64(int64(v)))[:size]...)
		}
		changed, err = tensor.FromBytes(like.ElementType(), like.Shape(), data)
	} else if changed, err = tensor.New(like.Shape(), values); err == nil {
		changed, err = changed.Convert(like.ElementType())
	}
	if err != nil {
		panic(err)
	}
	return changed
}
