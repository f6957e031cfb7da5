package field_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// kindsOfTrained lists further faults, which are planted into trained networks.
var kindsOfTrained = []struct {
	name  string
	sites func(p *planter) []site
}{
	{"operator", (*planter).operatorSites},
	{"activation", (*planter).activationSites},
	{"square", (*planter).squareSites},
	{"stale", (*planter).staleSites},
	{"axis", (*planter).axisSites},
}

// others maps operators to operators that keep the shape.
var others = map[string]string{"Add": "Sub", "Sub": "Add", "Mul": "Add", "Div": "Mul",
	"Relu": "Tanh", "Sigmoid": "Tanh", "Tanh": "Sigmoid", "Sqrt": "Exp", "ReduceMean": "ReduceSum",
	"ReduceMax": "ReduceMin", "GlobalAveragePool": "GlobalMaxPool", "HardSigmoid": "Sigmoid",
	"Max": "Min", "Min": "Max"}

// floating reports whether a tensor has floats that depend on the inputs. Types are unknown in
// bodies, so there every tensor that depends on the inputs is assumed to have floats.
func (p *planter) floating(name string) bool {
	return (p.like == nil || strings.HasPrefix(p.like[name], "float")) &&
		!p.constant(name, len(p.nodes))
}

func (p *planter) operatorSites() []site {
	var sites []site
	for i := range p.nodes {
		n := &p.nodes[i]
		if other := others[n.op]; other != "" && n.domain == "" && p.floating(n.outputs[0]) {
			sites = append(sites, site{other + " instead of " + p.said(i), func() []int {
				if n.op == "HardSigmoid" {
					n.written = nil
				}
				n.op = other
				return []int{i}
			}})
		}
	}
	return sites
}

// activationSites lists activations that an Identity can replace.
func (p *planter) activationSites() []site {
	var sites []site
	for i := range p.nodes {
		n := &p.nodes[i]
		if slices.Contains([]string{"Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid",
			"HardSwish", "Softmax", "Erf", "Gelu", "PRelu", "Elu"}, n.op) && n.domain == "" &&
			p.floating(n.outputs[0]) {
			sites = append(sites, site{"no " + p.said(i), func() []int {
				n.op, n.inputs, n.written = "Identity", n.inputs[:1], nil
				return []int{i}
			}})
		}
	}
	return sites
}

// squareSites lists weights that can be transposed: the first two axes are equally long.
func (p *planter) squareSites() []site {
	return p.weightsOfLayers("transposed weights of ", func(shape []int) bool {
		return len(shape) >= 2 && shape[0] == shape[1] && shape[0] > 1
	}, func(values []float64, shape []int) {
		side, inner := shape[0], len(values)/shape[0]/shape[0]
		for row := range side {
			for column := range row {
				for k := range inner {
					a, b := (row*side+column)*inner+k, (column*side+row)*inner+k
					values[a], values[b] = values[b], values[a]
				}
			}
		}
	})
}

// staleSites lists weights that can be changed as if they came from an earlier training step: each
// weight moves by a twentieth of the weights' root mean square.
func (p *planter) staleSites() []site {
	return p.weightsOfLayers("stale weights of ", func(shape []int) bool { return true },
		func(values []float64, _ []int) {
			squares := 0.0
			for _, v := range values {
				squares += float64(v * v)
			}
			size := math.Sqrt(squares/float64(len(values))) / 20
			for i := range values {
				values[i] += float64(size * p.random.NormFloat64())
			}
		})
}

// weightsOfLayers lists the float weights of layers that have a suitable shape.
func (p *planter) weightsOfLayers(what string, suits func(shape []int) bool,
	change func(values []float64, shape []int)) []site {
	var sites []site
	for i := range p.nodes {
		at, ok := weightsOf[p.nodes[i].op]
		if !ok || at.weight < 0 || at.weight >= len(p.nodes[i].inputs) {
			continue
		}
		root, ok := p.root(p.nodes[i].inputs[at.weight])
		if !ok || integer(p.weights[root].ElementType()) || p.weights[root].Len() < 2 ||
			!suits(p.weights[root].Shape()) {
			continue
		}
		sites = append(sites, site{what + p.said(i), func() []int {
			return p.change(i, at.weight, root, func(values []float64, _ bool) {
				change(values, p.weights[root].Shape())
			})
		}})
	}
	return sites
}

// axisSites lists each Transpose that can exchange two equal axes, and each Concat or binary
// operator that can exchange its inputs.
func (p *planter) axisSites() []site {
	var sites []site
	for i := range p.nodes {
		n := &p.nodes[i]
		if !p.floating(n.outputs[0]) {
			continue
		}
		if perm := p.ints(i, "perm"); n.op == "Transpose" && perm != nil {
			_, text, _ := strings.Cut(p.like[n.outputs[0]], "[")
			sizes := strings.Split(strings.TrimSuffix(text, "]"), ",")
			for a := range sizes {
				for b := range a {
					if len(sizes) == len(perm) && sizes[a] == sizes[b] && sizes[a] != "1" {
						sites = append(sites, site{fmt.Sprintf("axes %d and %d of %s", b, a, p.said(i)),
							func() []int {
								perm[a], perm[b] = perm[b], perm[a]
								p.setInts(i, "perm", perm)
								return []int{i}
							}})
					}
				}
			}
		}
		if len(n.inputs) >= 2 && p.like[n.inputs[0]] != "" && n.inputs[0] != n.inputs[1] &&
			p.like[n.inputs[0]] == p.like[n.inputs[1]] &&
			slices.Contains([]string{"Concat", "Sub", "Div", "MatMul"}, n.op) {
			sites = append(sites, site{"exchanged inputs of " + p.said(i), func() []int {
				n.inputs = slices.Clone(n.inputs)
				n.inputs[0], n.inputs[1] = n.inputs[1], n.inputs[0]
				return []int{i}
			}})
		}
	}
	return sites
}
