package bound

import (
	"fmt"
	"math"
	"slices"
)

// pool computes MaxPool and AveragePool. A mean counts the padding if count_include_pad is set.
func pool(n *Node, a Arithmetic) (*computation, error) {
	x, err := n.operand(0, a)
	if err != nil {
		return nil, err
	}
	kernel, err := n.Attributes.Integers("kernel_shape")
	if err != nil {
		return nil, err
	}
	if n.Attributes.Integer("ceil_mode", 0) != 0 {
		return nil, &Unknown{n.Op + " with ceil_mode"}
	}
	if len(kernel) == 0 || len(x.shape) != len(kernel)+2 {
		return nil, fmt.Errorf("%s: kernel_shape %v does not match input shape %v", n.Op, kernel, x.shape)
	}
	w, err := n.window(x.shape[2:], kernel)
	if err != nil {
		return nil, err
	}
	f, reduce, padded := formatOf(a.Sums), mean, n.Attributes.Integer("count_include_pad", 0) != 0
	if n.Op == "MaxPool" {
		reduce, padded = greatest, false
	}
	space, inSpace, size := product(w.out), product(w.in), product(kernel)
	shape := slices.Concat(x.shape[:2], w.out)
	return inGroups(shape, product(shape), size, func(g int, put func(int, number)) {
		taps := w.taps(g % space)
		count := len(taps)
		if padded {
			count = size
		}
		if count == 0 { // the window has only padding
			put(g, number{0, math.Inf(1)})
			return
		}
		put(g, reduce(f, count, func(i int) number {
			if i >= len(taps) {
				return number{}
			}
			return x.at(g/space*inSpace + taps[i].in)
		}))
	}), nil
}
