package edit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// lowestMinOpset is the first opset in which Min supports integers and broadcasting.
const lowestMinOpset = 12

// WithUpperBounds returns the model with a Min inserted after tensors whose values determine the
// size of other tensors, so that TensorRT knows a bound for those sizes. Tensors named in bounds
// get the bounds given there. If rest is positive, all other tensors that [UnboundedShapes] lists
// get rest as their bound. applied maps each bounded tensor to its bound. Results do not change as
// long as the values are within their bounds.
//
// It is an error if the graph has no tensor of a given name, if a tensor is not numeric, if a bound
// is below 1, or if the opset is below 12.
func WithUpperBounds(m *loaders.Model, bounds map[string]int64, rest int64) (bounded *loaders.Model,
	applied map[string]int64, err error) {
	unbounded, err := UnboundedShapes(m)
	if err != nil {
		return nil, nil, err
	}
	applied = maps.Clone(bounds)
	if applied == nil {
		applied = map[string]int64{}
	}
	for _, name := range unbounded {
		if _, own := bounds[name]; !own && rest != 0 {
			applied[name] = rest
		}
	}
	if version := m.File().Opset(); len(applied) > 0 && version > 0 &&
		version < lowestMinOpset {
		return nil, nil, m.File().Located(fmt.Errorf("opset %d: bounding integers with Min "+
			"requires opset %d or later", version, lowestMinOpset))
	}
	declared, err := m.Declared(slices.Collect(maps.Keys(applied))...)
	if err != nil {
		return nil, nil, err
	}
	bounded = m
	for _, name := range slices.Sorted(maps.Keys(applied)) {
		elem := tensor.Int64 // the usual type of sizes, if the model declares none
		if v, known := declared[name]; known && v.Kind == loaders.Tensor {
			elem = v.Type
		}
		bound, err := scalarOf(elem, applied[name])
		if err != nil {
			return nil, nil, m.File().Located(fmt.Errorf("tensor %q: %w", name, err))
		}
		if bounded, err = withUpperBound(bounded, name, bound); err != nil {
			return nil, nil, err
		}
	}
	if len(applied) > 0 {
		bounded, err = declaredBy(bounded, m) // Min does not change types and shapes
	}
	return bounded, applied, err
}

// withUpperBound inserts a Min after the named tensor.
func withUpperBound(m *loaders.Model, name string, bound *tensor.Tensor) (*loaders.Model, error) {
	names, err := m.TensorNames()
	if err != nil {
		return nil, err
	}
	constant := fresh(names, name, "/bound")
	return Insert(m, NewNode{Op: "Min", Name: constant, Inputs: []string{name, constant},
		Outputs: []string{name}}, tensor.Entry{Name: constant, Tensor: bound})
}

// scalarOf returns n as a scalar tensor of the given type.
func scalarOf(elem tensor.ElementType, n int64) (*tensor.Tensor, error) {
	switch {
	case n < 1:
		return nil, fmt.Errorf("the bound %d is below 1", n)
	case elem == tensor.Int64:
		return tensor.Scalar(n), nil
	case elem == tensor.Int32 && n == int64(int32(n)):
		return tensor.Scalar(int32(n)), nil
	case elem.IsFloat():
		return tensor.Scalar(float32(n)).Convert(elem)
	}
	return nil, fmt.Errorf("%v cannot represent the bound %d", elem, n)
}
