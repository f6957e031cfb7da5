package trt

import (
	"slices"

	"github.com/modelparity/modelparity/loaders"
)

// networkLayer is a layer of a network: its input and output tensors, and its name, which is "" if
// the layer's precision cannot be chosen.
type networkLayer struct {
	name            string
	inputs, outputs []string
}

// layersOf returns, for each node, the names of the layers that the parser makes from it. The
// parser gives the outputs of a node their ONNX names, and makes up names for other tensors. The
// layers of a node are therefore found by searching backwards from the layers that compute the
// node's outputs. The search ends at tensors that belong to other nodes.
func layersOf(nodes []loaders.Node, layers []networkLayer) [][]string {
	makers, of := map[string]int{}, map[string]bool{}
	for i, layer := range layers {
		for _, name := range layer.outputs {
			makers[name] = i
		}
	}
	for _, n := range nodes {
		for _, name := range n.Outputs {
			of[name] = true
		}
	}
	all := make([][]string, len(nodes))
	for k, n := range nodes {
		var found []int
		var trace func(name string)
		trace = func(name string) {
			i, made := makers[name]
			if !made || slices.Contains(found, i) {
				return
			}
			found = append(found, i)
			for _, input := range layers[i].inputs {
				if !of[input] {
					trace(input)
				}
			}
		}
		for _, name := range n.Outputs {
			if name != "" {
				trace(name)
			}
		}
		slices.Sort(found)
		for _, i := range found {
			if name := layers[i].name; name != "" && !slices.Contains(all[k], name) {
				all[k] = append(all[k], name)
			}
		}
	}
	return all
}
