package bound

import (
	"fmt"
	"slices"
)

// product returns the number of elements in a shape.
func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// strides returns, for each axis, the distance in the flattened tensor between elements that are
// neighbours along the axis.
func strides(dims []int) []int {
	list, step := make([]int, len(dims)), 1
	for i := len(dims) - 1; i >= 0; i-- {
		list[i] = step
		step *= dims[i]
	}
	return list
}

// broadcast returns the shape to which the given shapes broadcast.
func broadcast(shapes ...[]int) ([]int, error) {
	var all []int
	for _, s := range shapes {
		if len(s) > len(all) {
			all = append(slices.Repeat([]int{1}, len(s)-len(all)), all...)
		}
		for i, d := range s {
			at := len(all) - len(s) + i
			if all[at] != d && all[at] != 1 && d != 1 {
				return nil, fmt.Errorf("shapes %v cannot be broadcast together", shapes)
			}
			if all[at] == 1 {
				all[at] = d
			}
		}
	}
	return all, nil
}

// spreading maps positions in a broadcast shape to the corresponding positions in one operand.
type spreading struct{ dims, steps []int }

func spread(dims, to []int) spreading {
	s := spreading{dims: to, steps: make([]int, len(to))}
	for i, step := range strides(dims) {
		if dims[i] != 1 {
			s.steps[len(to)-len(dims)+i] = step
		}
	}
	return s
}

// at returns the operand's position that corresponds to position i of the broadcast shape.
func (s spreading) at(i int) int {
	at := 0
	for axis := len(s.dims) - 1; axis >= 0; axis-- {
		at += i % s.dims[axis] * s.steps[axis]
		i /= s.dims[axis]
	}
	return at
}

// axis converts an axis number that may be negative to one counted from the front.
func axis(a, rank int) (int, error) {
	if a < 0 {
		a += rank
	}
	if a < 0 || a >= rank {
		return 0, fmt.Errorf("axis %d is out of range for a tensor with %d axes", a, rank)
	}
	return a, nil
}
