package field_test

import (
	"fmt"
	"slices"
)

// wireSites lists inputs that could take an earlier tensor of the same type and shape.
func (p *planter) wireSites() []site {
	var sites []site
	var earlier []string
	for _, name := range p.inputs {
		if p.weights[name] == nil {
			earlier = append(earlier, name)
		}
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		for at, input := range n.inputs {
			if p.like[input] == "" || p.constant(input, len(p.nodes)) {
				continue
			}
			var others []string
			for _, name := range earlier {
				if name != input && p.like[name] == p.like[input] {
					others = append(others, name)
				}
			}
			if len(others) > 0 {
				sites = append(sites, site{fmt.Sprintf("wire %d of %s", at, p.said(i)), func() []int {
					n.inputs = slices.Clone(n.inputs)
					n.inputs[at] = others[p.random.IntN(len(others))]
					return []int{i}
				}})
			}
		}
		for _, output := range n.outputs {
			if output != "" && !p.constant(output, len(p.nodes)) {
				earlier = append(earlier, output)
			}
		}
	}
	return sites
}
