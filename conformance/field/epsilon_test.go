package field_test

import (
	"math"
	"slices"
)

// epsilonSites lists the epsilons of normalisations, as attributes or as small constants.
func (p *planter) epsilonSites() []site {
	var sites []site
	for i := range p.nodes {
		n := &p.nodes[i]
		if f, ok := n.attribute("epsilon", attributeFloat); ok {
			sites = append(sites, site{"epsilon of " + p.said(i), func() []int {
				p.setFloat(i, "epsilon", 1e3*math.Float32frombits(uint32(f.word)))
				return []int{i}
			}})
		}
		if !slices.Contains([]string{"Add", "Max", "Clip"}, n.op) {
			continue
		}
		for at, input := range n.inputs {
			w := p.weights[input]
			if w == nil || w.Len() != 1 || integer(w.ElementType()) || w.Float64At(0) <= 0 ||
				w.Float64At(0) > 1e-3 {
				continue
			}
			sites = append(sites, site{"epsilon of " + p.said(i), func() []int {
				return p.change(i, at, input, func(v []float64, _ bool) { v[0] *= 1e3 })
			}})
		}
	}
	return sites
}
