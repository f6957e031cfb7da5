package field_test

import (
	"slices"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// typeSites lists weights to round to a lower precision, and tensors to pass through float16.
func (p *planter) typeSites() []site {
	var sites []site
	for i := range p.nodes {
		n := &p.nodes[i]
		if at, ok := weightsOf[n.op]; ok && at.weight >= 0 && at.weight < len(n.inputs) {
			root, ok := p.root(n.inputs[at.weight])
			if ok && p.weights[root].ElementType() == tensor.Float32 && p.weights[root].Len() > 1 {
				sites = append(sites, site{"bfloat16 weights of " + p.said(i), func() []int {
					return p.change(i, at.weight, root, func(values []float64, _ bool) {
						for k, v := range values {
							values[k] = float64(tensor.BF16FromFloat32(float32(v)).Float32())
						}
					})
				}})
			}
		}
		if len(n.outputs) == 1 && p.like[n.outputs[0]] != "" &&
			p.like[n.outputs[0]][:len("float32")] == "float32" && !p.constant(n.outputs[0], len(p.nodes)) {
			sites = append(sites, site{"float16 behind " + p.said(i), func() []int {
				return p.through(i)
			}})
		}
	}
	return sites
}

// through passes the output of node i through float16.
func (p *planter) through(i int) []int {
	n := &p.nodes[i]
	name := n.outputs[0]
	n.outputs = []string{name + "/exact"}
	const float32Type, float16Type = 1, 10 // of TensorProto
	p.nodes = slices.Insert(p.nodes, i+1, cast(name+"/exact", name+"/short", float16Type),
		cast(name+"/short", name, float32Type))
	return []int{i + 1, i + 2}
}

func cast(from, to string, elem uint64) node {
	n := node{op: "Cast", inputs: []string{from}, outputs: []string{to},
		attributes: map[string][]part{}, rest: onnxwire.AppendText(nil, nodeName, to)}
	n.with("to", integerField(elem))
	return n
}
