package edit

import (
	"maps"
	"slices"

	"github.com/modelparity/modelparity/loaders"
)

// UnboundedShapes lists tensors that determine the output size of a Range, Pad, Resize, Tile or
// Expand and whose values have no upper bound; TensorRT requires one. Weights and the outputs of
// Min and Constant nodes are bounded, so they are not listed. A node is skipped if each dimension
// of the output's declared shape is a number or a known symbol. A symbol is known if it occurs in
// an input of the model or in an output of an earlier node. UnboundedShapes does not compute
// values, so fold constants and infer shapes first; otherwise the list may include tensors that are
// in fact bounded.
func UnboundedShapes(m *loaders.Model) ([]string, error) {
	nodes, err := m.Nodes()
	if err != nil {
		return nil, err
	}
	known := map[string]bool{} // symbols declared so far
	inputs, err := m.Inputs()
	if err != nil {
		return nil, err
	}
	for _, v := range inputs {
		for _, d := range v.Dims {
			known[d.Symbol] = d.Symbol != ""
		}
	}
	producers := map[string]string{} // the operator that computes each tensor
	for _, n := range nodes {
		for _, out := range n.Outputs {
			producers[out] = n.Op
		}
	}
	declared, err := m.Declared(slices.Collect(maps.Keys(producers))...)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, n := range nodes {
		open := false
		for _, out := range n.Outputs {
			v, ok := declared[out]
			open = open || !ok || !v.HasShape
			for _, d := range v.Dims {
				open = open || d.Size < 0 && !known[d.Symbol]
				if d.Symbol != "" {
					known[d.Symbol] = true
				}
			}
		}
		at, sized := sizing[n.Op]
		if !open || !sized || at >= len(n.Inputs) {
			continue
		}
		name := n.Inputs[at]
		by, computed := producers[name]
		if computed && by != "Min" && by != "Constant" && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found, nil
}

// sizing maps operators to the input that determines the size of the output.
var sizing = map[string]int{"Range": 1, "Pad": 1, "Resize": 3, "Tile": 1, "Expand": 1}
