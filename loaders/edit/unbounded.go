package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/loaders"
)

// UnboundedShapes are tensors whose values decide how large an output of Range, Pad, Resize, Tile
// or Expand becomes, so that nothing bounds it: TensorRT asks for such a bound. Tensors that a Min
// gives are bounded, weights and constants are known, and an output whose shape is declared has no
// size that its inputs' shapes have not. Nothing is computed: of a model whose constants are not
// folded or whose shapes are not inferred it may name tensors that are bounded.
func UnboundedShapes(m *loaders.Model) ([]string, error) {
	nodes, err := m.Nodes()
	if err != nil {
		return nil, err
	}
	known := map[string]bool{} // symbols that were met
	inputs, err := m.Inputs()
	if err != nil {
		return nil, err
	}
	for _, v := range inputs {
		for _, d := range v.Dims {
			known[d.Symbol] = d.Symbol != ""
		}
	}
	var outputs []string
	for _, n := range nodes {
		outputs = append(outputs, n.Outputs...)
	}
	declared, err := m.Declared(outputs...)
	if err != nil {
		return nil, err
	}
	producers := map[string]string{} // the operator that gives a tensor
	for _, n := range nodes {
		for _, out := range n.Outputs {
			producers[out] = n.Op
		}
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

// sizing is which input of an operator says how large its output is.
var sizing = map[string]int{"Range": 1, "Pad": 1, "Resize": 3, "Tile": 1, "Expand": 1}

// UnboundedText is the list for people.
func UnboundedText(names []string) string {
	if len(names) == 0 {
		return "tensors that size others without a bound: none\n"
	}
	return fmt.Sprintf("tensors that size others without a bound: %s\n", strings.Join(names, ", "))
}
