package compare

import (
	"fmt"
	"slices"
)

// Slice returns the noise of one output, reduced to the elements at one index along an axis, such
// as a row of a batch or a token. Axis -1 keeps the whole output. The result contains a single
// iteration with a single output, whose length along the axis is 1. A missing iteration, output,
// axis or index is an error.
func (n *Noise) Slice(iteration int, output string, axis, at int) (*Noise, error) {
	if iteration < 0 || iteration >= len(n.Outputs) {
		return nil, fmt.Errorf("noise: there is no iteration %d; the noise covers %d iterations",
			iteration, len(n.Outputs))
	}
	all := n.Outputs[iteration]
	i := slices.IndexFunc(all, func(o OutputNoise) bool { return o.Name == output })
	if i < 0 {
		return nil, fmt.Errorf("noise: no output %q in iteration %d", output, iteration)
	}
	one := all[i]
	if axis >= 0 {
		if axis >= len(one.Shape) || at < 0 || at >= one.Shape[axis] {
			return nil, fmt.Errorf("noise: output %q %v has no index %d along axis %d", output, one.Shape,
				at, axis)
		}
		one = one.slice(axis, at)
	}
	c := *n
	c.Outputs = [][]OutputNoise{{one}}
	return &c, nil
}

// slice returns the noise of the elements at one index along an axis.
func (o OutputNoise) slice(axis, at int) OutputNoise {
	unsettled := o.unsettled()
	inner, _ := o.Shape[axis+1:].Elements()
	outer, _ := o.Shape[:axis].Elements()
	sigma := o.Sigma
	o.Sigma, o.Unsettled = nil, nil
	for block := range outer {
		from := (block*o.Shape[axis] + at) * inner
		if len(sigma) > 0 {
			o.Sigma = append(o.Sigma, sigma[from:from+inner]...)
		}
		for i := range inner {
			if unsettled[from+i] {
				o.Unsettled = append(o.Unsettled, block*inner+i)
			}
		}
	}
	o.Shape = slices.Clone(o.Shape)
	o.Shape[axis] = 1
	return o
}
