package edit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// lowestMinOpset is from when on Min takes integers, and tensors of different shapes.
const lowestMinOpset = 12

// WithUpperBounds returns the model with a Min in the way of tensors whose values size others, so
// that TensorRT knows how large those become: of the tensors in bounds, and, where rest is above 0,
// of every other that [UnboundedShapes] lists. applied is the bound of each. Values up to the
// bound stay as they are, so within it the model computes the same.
//
// A name that the graph does not have, a tensor that is not of numbers, a bound below 1 and an
// opset below 12 are errors.
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
	if version := onnxOpset(m.File().Structure); len(applied) > 0 && version > 0 &&
		version < lowestMinOpset {
		return nil, nil, m.File().Located(fmt.Errorf("opset %d: Min bounds sizes from opset %d on",
			version, lowestMinOpset))
	}
	declared, err := m.Declared(slices.Collect(maps.Keys(applied))...)
	if err != nil {
		return nil, nil, err
	}
	bounded = m
	for _, name := range slices.Sorted(maps.Keys(applied)) {
		elem := tensor.Int64 // what sizes are, where the model does not say
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
		bounded, err = DeclaredBy(bounded, m) // the types and shapes are as they were
	}
	return bounded, applied, err
}

// withUpperBound puts a Min in the way of a tensor.
func withUpperBound(m *loaders.Model, name string, bound *tensor.Tensor) (*loaders.Model, error) {
	names, err := m.TensorNames()
	if err != nil {
		return nil, err
	}
	constant := name + "/bound"
	for names[constant] {
		constant += "_"
	}
	return Insert(m, InsertedNode{Op: "Min", Name: constant, Inputs: []string{name, constant},
		Outputs: []string{name}, Constants: []tensor.Entry{{Name: constant, Tensor: bound}}})
}

// scalarOf is a whole number as a tensor of a type.
func scalarOf(elem tensor.ElementType, n int64) (*tensor.Tensor, error) {
	switch {
	case n < 1:
		return nil, fmt.Errorf("the bound %d is below 1", n)
	case elem == tensor.Int64:
		return tensor.New(tensor.Shape{}, []int64{n})
	case elem == tensor.Int32 && n == int64(int32(n)):
		return tensor.New(tensor.Shape{}, []int32{int32(n)})
	case elem.IsFloat():
		t, err := tensor.New(tensor.Shape{}, []float32{float32(n)})
		if err != nil {
			return nil, err
		}
		return t.Convert(elem)
	}
	return nil, fmt.Errorf("%v does not hold the bound %d", elem, n)
}
