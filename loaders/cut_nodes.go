package loaders

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/onnxfile"
)

// CutNodes returns the nodes from index first to index last, both included, as a model. Its inputs
// are the tensors that these nodes read from earlier nodes, with their declared types. Its outputs
// are the tensors that later nodes read, the original model's outputs, and tensors that no node
// reads. Earlier Constant nodes whose values these nodes read are included at the front.
//
// It is an error if an input has no declared type; run shape inference first.
func (m *Model) CutNodes(first, last int) (*Model, error) {
	nodes, err := m.Nodes()
	if err != nil {
		return nil, err
	}
	if first < 0 || last < first || last >= len(nodes) {
		return nil, m.file.Located(fmt.Errorf("cut: nodes %d to %d do not exist: the graph has %d nodes",
			first, last, len(nodes)))
	}
	taken, given, err := m.cutEnds(nodes, first, last)
	if err != nil {
		return nil, err
	}
	declared, err := m.Declared(taken...)
	if err != nil {
		return nil, err
	}
	var inputs, outputs []Value
	for _, name := range taken {
		value, known := declared[name]
		if !known {
			return nil, m.file.Located(fmt.Errorf("cut: the type of %q is not declared: infer shapes first",
				name))
		}
		inputs = append(inputs, value)
	}
	for _, name := range given {
		outputs = append(outputs, Value{Name: name})
	}
	return m.Cut(inputs, outputs)
}

// cutEnds returns the inputs and outputs of the cut nodes, excluding weights. taken contains the
// tensors that the nodes read but do not compute. given contains tensors that the nodes compute:
// those that later nodes read, outputs of the model, and those that no node reads.
func (m *Model) cutEnds(nodes []Node, first, last int) (taken, given []string, err error) {
	made, read, wanted := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range m.file.Structure.Graph.Initializers {
		made[m.file.Structure.Graph.Initializers[i].Name] = true
	}
	outputs, err := m.Outputs()
	if err != nil {
		return nil, nil, err
	}
	for _, v := range outputs {
		wanted[v.Name] = true
	}
	for i, n := range nodes {
		inside := first <= i && i <= last
		for _, names := range [][]string{n.Inputs, n.Captured} {
			for _, name := range names {
				if inside && name != "" && !made[name] && !read[name] {
					taken = append(taken, name)
				}
				read[name] = read[name] || inside
				wanted[name] = wanted[name] || i > last
			}
		}
		for _, name := range n.Outputs {
			made[name] = inside || i < first && onnxfile.IsConstant(n.Domain, n.Op)
		}
	}
	for _, n := range nodes[first : last+1] {
		for _, name := range n.Outputs {
			if name != "" && (wanted[name] || !read[name]) {
				given = append(given, name)
			}
		}
	}
	return taken, given, nil
}
