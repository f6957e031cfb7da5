package openvino

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// feeds checks the inputs against the model's declaration and converts them to the library's
// values.
func (b *backend) feeds(inputs *tensor.Set) (feeds []abi.Feed, err error) {
	var required []loaders.Value
	for _, in := range b.inputs {
		t, given := inputs.Get(in.Name)
		switch {
		case given && in.initial:
			return nil, fmt.Errorf("OpenVINO turns the default value of input %q into a constant, so "+
				"no value can be passed for it", in.Name)
		case given && !in.absent:
			feeds = append(feeds, abi.Feed{Input: in.place, Tensor: t})
		}
		if !in.initial {
			required = append(required, in.Value)
		}
	}
	return feeds, backends.CheckInputs(required, inputs)
}

// pending returns the inputs whose shapes must be known before the model can be compiled: all of
// them with [StaticShapes], otherwise only those whose rank the model does not declare, because no
// device compiles a model without knowing the ranks.
func (b *backend) pending() (ports []port) {
	for _, in := range b.inputs {
		if !in.absent && (b.settings.Static || !in.HasShape) {
			ports = append(ports, in)
		}
	}
	return ports
}

// shapes returns the input shapes for which the model must be compiled before it can run on inputs.
// It returns nil if the declared shapes are enough to compile the model.
func (b *backend) shapes(inputs *tensor.Set) (shapes []given) {
	for _, in := range b.pending() {
		t, ok := inputs.Get(in.Name)
		if !ok {
			continue
		}
		dims := t.Shape()
		if !b.settings.Static { // only the rank is fixed
			dims = slices.Repeat([]int{-1}, len(dims))
		}
		shapes = append(shapes, given{in, dims})
	}
	return shapes
}

// given is an input and the shape for which the model is compiled.
type given struct {
	port port
	dims []int
}

// first returns the input shapes of the first iteration. If the model need not be compiled for
// particular shapes, first returns nil and draws no inputs.
func (b *backend) first(inputs fixtures.Inputs) ([]given, error) {
	if len(b.pending()) == 0 {
		return nil, nil
	}
	for set, err := range inputs.All() {
		if err != nil {
			return nil, fmt.Errorf("inputs: %w", err)
		}
		if _, err := b.feeds(set); err != nil {
			return nil, err
		}
		return b.shapes(set), nil
	}
	return nil, backends.ErrNoInputs
}
